import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/table/all.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const units = readdirSync(DEPLOY).filter((name) => name.endsWith('.service'));

test.each(units)(
  '%s calls a command and options that there are, and runs without rights',
  (name) => {
    const text = readFileSync(`${DEPLOY}/${name}`, 'utf8');
    const line = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? '';
    const [program = '', verb = '', ...rest] = line.split(' ');
    expect(program).toBe('/opt/hostwright/packages/cli/bin/hostwright');
    const command = COMMANDS.find((each) => each.path === verb);
    const known = (command?.options ?? []).map((option) => /--[\w-]+/.exec(option.flags)?.[0]);
    for (const word of rest.filter((each) => each.startsWith('--'))) expect(known).toContain(word);
    for (const setting of [
      'User=hostwright',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
    ])
      expect(text).toContain(setting);
  },
);
