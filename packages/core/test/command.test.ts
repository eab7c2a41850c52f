import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteWord, sayConsent, sayDisk } from '../src/index.ts';

/** The words that a shell makes of a line. */
const words = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');

test('whatever a machine calls itself is one word of a pasted command, and never a command', () => {
  const said = [
    'S1;echo x|sh',
    '$(echo x)',
    '`echo x`',
    'a b',
    "it's",
    'a"b',
    '*',
    '',
    '~',
    'é',
    '\\',
  ];
  for (const word of said) expect(words(`${quoteWord(word)} end`)).toEqual([word, 'end']);
  for (const plain of ['WD-0001', 'role@node:S1,S2', 'wwn/0x5000.1'])
    expect(quoteWord(plain)).toBe(plain);
});

test('a disk whose serial no command could take is named by its name', () => {
  expect(sayDisk({ name: 'sda', serial: 'S1' })).toBe('S1');
  for (const serial of [null, '', 'S1,S2', '-x'])
    expect(sayDisk({ name: 'sda', serial })).toBe('sda');
  const disks = [
    { name: 'sda', serial: 'S,1' },
    { name: 'sdb', serial: 'S 2;echo x' },
    { name: 'sdc', serial: null },
  ];
  expect(words(sayConsent({ role: 'wipe', node: 'm1', disks }))).toEqual([
    '--consent',
    'wipe@m1:sda,S 2;echo x,sdc',
  ]);
  expect(sayConsent({ role: 'wipe', node: 'm1', disks: [] })).toBe('--consent wipe@m1');
});
