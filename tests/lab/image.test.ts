/** The discovery image: the same packages give the same bytes, whoever builds it where. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentScript } from '@hostwright/agent';
import { afterAll, describe, expect, test } from 'vitest';
import { LONG, longLab } from './look.ts';

const SCRIPT = fileURLToPath(
  new URL('../../packages/agent/discovery-image/build.sh', import.meta.url),
);

describe.skipIf(!longLab())('the discovery image', () => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-image-'));
  afterAll(() => rmSync(home, { recursive: true }));

  const build = (name: string, umask: string, zone: string): Buffer => {
    const agent = join(home, 'agent.sh');
    writeFileSync(agent, agentScript());
    const began = performance.now();
    const command = `umask ${umask}; exec nice -n 10 ${SCRIPT} ${join(home, name)} ${agent}`;
    const said = execFileSync('bash', ['-c', command], { env: { ...process.env, TZ: zone } });
    process.stderr.write(
      `${said.toString().trim()}; built in ${((performance.now() - began) / 1000).toFixed(1)} s\n`,
    );
    execFileSync('sha256sum', ['-c', '--quiet', 'SHA256SUMS'], { cwd: join(home, name) });
    return readFileSync(join(home, name, 'SHA256SUMS'));
  };

  test('built twice, with another umask and time zone, it is the same to the byte', LONG, () => {
    const one = build('one', '022', 'UTC');
    const other = build('deeper/two', '077', 'Asia/Tokyo');
    expect(other.toString()).toBe(one.toString());
    process.stderr.write(one.toString());
  });
});
