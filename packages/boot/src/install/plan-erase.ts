/** The frozen plan of an erasure: which disks, and how thoroughly. An installation that puts nothing there. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import type { Disk } from './choose-disks.ts';
import { plainSerial, type MadePlan } from './plan.ts';

export const ERASE_ROLE = 'provisioner-erase';
export const ERASE_WAYS = ['quick', 'full'] as const;

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Of more the server could not tell which leave was for which. */
const MOST = 64;

export const makeErasePlan = (input: {
  readonly attribs: JsonObject;
  readonly nodeName: string;
  readonly disks: readonly Disk[];
}): MadePlan => {
  const refuse = (path: string, message: string): MadePlan => ({
    ok: false,
    refusals: [{ code: 'bad_erase', path, message }],
  });
  const own = object(input.attribs['erase']);
  const how = ERASE_WAYS.find((way) => way === (own['how'] ?? 'quick'));
  if (how === undefined) return refuse('how', `must be one of ${ERASE_WAYS.join(', ')}`);
  const wanted = Array.isArray(own['serials'])
    ? own['serials'].filter((one) => typeof one === 'string')
    : [];
  const missing = wanted.filter(
    (serial) => input.disks.filter((disk) => disk.serial === serial).length !== 1,
  );
  if (missing.length > 0)
    return refuse('serials', `no disk, or more than one, has the serial ${missing.join(', ')}`);
  const chosen = input.disks.filter((disk) =>
    wanted.length > 0 ? wanted.includes(disk.serial) : !disk.removable,
  );
  if (chosen.length === 0) return refuse('serials', 'the machine has no disk that could be erased');
  if (chosen.length > MOST) return refuse('serials', `at most ${MOST} disks at once`);
  const nameless = chosen.filter((disk) => disk.serial === '');
  if (nameless.length > 0)
    return refuse(
      'serials',
      `${nameless.map((disk) => disk.name).join(', ')} has no serial and cannot be told from others`,
    );
  // as the eraser tells them apart: of two that look the same it would find one twice, and leave the other
  const twins = chosen.filter((disk) =>
    chosen.some(
      (other) =>
        other !== disk &&
        other.bytes === disk.bytes &&
        plainSerial(other.serial) === plainSerial(disk.serial),
    ),
  );
  if (twins.length > 0)
    return refuse(
      'serials',
      `${twins.map((disk) => disk.name).join(', ')} have the same serial and size: one would be left as it is`,
    );
  return {
    ok: true,
    plan: {
      os: `erase-${how}`,
      kind: 'erase',
      bootenv: 'erase',
      hostname: input.nodeName.split('.')[0] ?? input.nodeName,
      domain: '',
      layout: 'plain',
      disks: chosen.map(({ name, serial, bytes, signatures }) => ({
        name,
        serial,
        bytes,
        signatures,
      })),
      image: null,
      user: 'root',
      sshKeys: [],
      passwordHash: '',
      mirror: '',
      timezone: 'UTC',
      packages: [],
    },
  };
};
