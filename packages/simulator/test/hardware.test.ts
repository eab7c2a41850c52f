import { expect, test } from 'vitest';
import { readBehaviour, readBundle } from '../src/bundle.ts';
import { identityOf, inventoryOf } from '../src/hardware.ts';
import { createPace } from '../src/pace.ts';

test('the same seed gives the same machines, another seed others', () => {
  expect(inventoryOf(5, 17, 'sim')).toEqual(inventoryOf(5, 17, 'sim'));
  expect(identityOf(5, 17, 'sim')).not.toEqual(identityOf(6, 17, 'sim'));
});

test('no two of ten thousand machines share a name, UUID, MAC or address', () => {
  const all = Array.from({ length: 10_000 }, (_, index) => identityOf(1, index, 'sim'));
  const distinct = (values: readonly string[]) => new Set(values).size;
  expect(distinct(all.map((machine) => machine.hostname))).toBe(10_000);
  expect(distinct(all.map((machine) => machine.systemUuid))).toBe(10_000);
  expect(distinct(all.flatMap((machine) => machine.macs))).toBe(20_000);
  expect(distinct(all.map((machine) => machine.address))).toBe(10_000);
});

test('the hardware is varied: several vendors, sizes and numbers of disks', () => {
  const vendors = new Set(
    Array.from({ length: 100 }, (_, index) =>
      JSON.stringify(inventoryOf(1, index, 'sim')['dmi']),
    ).map((dmi) => /"vendor":"([^"]+)"/.exec(dmi)?.[1]),
  );
  expect(vendors.size).toBe(4);
});

const bundleOf = (scripts: Readonly<Record<string, string>>): Buffer => {
  const blocks = Object.entries(scripts).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(`scripts/${name}`, 0);
    header.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
    header.write('0', 156);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    body.write(text);
    return [header, body];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
};

test('comments of the scripts say how a simulated machine behaves', () => {
  const tar = bundleOf({
    '20-b': '#!/bin/sh\n# simulate: wall {"a":{"c":"@address@"}}\n# simulate: fail 25%\n',
    '10-a':
      '#!/bin/sh\n# simulate: log first\n# simulate: wall {"a":{"b":1}}\n# simulate: seconds 3\n',
  });
  const behaviour = readBehaviour(readBundle(tar), (text) =>
    text.replaceAll('@address@', '10.0.0.9'),
  );
  expect(behaviour).toEqual({
    logs: ['== 10-a', 'first', '== 20-b'],
    wall: { a: { b: 1, c: '10.0.0.9' } },
    seconds: 3,
    failure: 0.25,
    exitCode: 0,
    script: '20-b',
  });
});

test('a wall in a comment that is not JSON does not stop the machine', () => {
  const tar = bundleOf({ '10-a': '#!/bin/sh\n# simulate: wall {oops\n' });
  expect(readBehaviour(readBundle(tar), (text) => text).wall).toEqual({});
});

test('the door lets in only so many at once, the next when one has left', async () => {
  const pace = createPace({ perSecond: 1e6, atOnce: 1 });
  const { signal } = new AbortController();
  const leave = await pace.enter(signal);
  let entered = false;
  const second = pace.enter(signal).then((out) => {
    entered = true;
    return out;
  });
  await Promise.resolve();
  expect(entered).toBe(false);
  leave();
  leave();
  (await second)();
  (await pace.enter(signal))();
});

test('those who wait at the door go away when everything stops, and take no place', async () => {
  const pace = createPace({ perSecond: 1e6, atOnce: 1 });
  const stop = new AbortController();
  const leave = await pace.enter(stop.signal);
  const second = pace.enter(stop.signal);
  stop.abort();
  await expect(second).rejects.toThrow('stopped');
  leave();
  (await pace.enter(new AbortController().signal))();
});
