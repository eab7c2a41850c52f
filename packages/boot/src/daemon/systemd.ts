/**
 * Where systemd is the first process, it looks after the daemons: it starts them at boot, before
 * Hostwright, and again when they die. Elsewhere (containers) the worker does that.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import { runCommand } from '@hostwright/providers';
import type { Daemon } from './daemon.ts';

const UNITS = '/etc/systemd/system';

export const hasSystemd = (): boolean =>
  existsSync('/run/systemd/system') && process.getuid?.() === 0;

export const unitName = (daemon: Pick<Daemon, 'name'>): string =>
  `hostwright-${daemon.name}.service`;

/** systemd expands `%` and `$`, and splits at white space unless it is quoted. */
const quote = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

export const renderUnit = (daemon: Daemon): string =>
  [
    '# written by Hostwright; changes are overwritten',
    '[Unit]',
    `Description=${daemon.name}, run by Hostwright`,
    'After=network-online.target postgresql.service',
    'Wants=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${daemon.command.map(quote).join(' ')}`,
    ...Object.entries(daemon.env ?? {}).map(
      ([key, value]) => `Environment=${quote(`${key}=${value}`)}`,
    ),
    'Restart=always',
    'RestartSec=1',
    'ProtectHome=true',
    'PrivateTmp=true',
    'NoNewPrivileges=true',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');

/** 0 if it does not run. */
export const readUnitPid = async (daemon: Pick<Daemon, 'name'>): Promise<number> =>
  Number(
    await runCommand(['systemctl', 'show', '--property=MainPID', '--value', unitName(daemon)]),
  );

export const startUnit = async (daemon: Daemon): Promise<number> => {
  await writeFile(`${UNITS}/${unitName(daemon)}`, renderUnit(daemon));
  await runCommand(['systemctl', 'daemon-reload']);
  await runCommand(['systemctl', 'enable', '--quiet', unitName(daemon)]);
  await runCommand(['systemctl', 'restart', unitName(daemon)]);
  const pid = await readUnitPid(daemon);
  if (pid > 1) return pid;
  throw new HostwrightError('unavailable', {
    message: `${unitName(daemon)} did not start; journalctl -u ${unitName(daemon)} says why`,
  });
};

export const stopUnit = async (daemon: Pick<Daemon, 'name'>): Promise<void> => {
  if (!existsSync(`${UNITS}/${unitName(daemon)}`)) return;
  await runCommand(['systemctl', 'disable', '--now', '--quiet', unitName(daemon)]);
  await rm(`${UNITS}/${unitName(daemon)}`, { force: true });
  await runCommand(['systemctl', 'daemon-reload']);
};
