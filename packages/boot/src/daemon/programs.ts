/**
 * The programs a server role needs, installed where we may. Debian starts a daemon as it is
 * installed, with a configuration of its own: its unit is masked first, for ours takes its place.
 */
import { existsSync, symlinkSync } from 'node:fs';
import { HostwrightError } from '@hostwright/core';
import { runCommand } from '@hostwright/providers';

export interface Program {
  readonly file: string;
  readonly package: string;
  /** The unit that the package brings and starts. */
  readonly unit?: string;
}

const mask = (unit: string): void => {
  const path = `/etc/systemd/system/${unit}`;
  if (existsSync('/etc/systemd/system') && !existsSync(path)) symlinkSync('/dev/null', path);
};

export const installPrograms = async (
  programs: readonly Program[],
  say: (text: string) => void,
): Promise<void> => {
  const missing = programs.filter((program) => !existsSync(program.file));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => program.package))];
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new HostwrightError('unavailable', {
      message: `${packages.join(', ')} must be installed on this machine; Hostwright does it by itself only as root on Debian`,
    });
  for (const { unit } of missing) if (unit !== undefined) mask(unit);
  say(`installing ${packages.join(' ')}`);
  const apt = (...words: string[]) =>
    runCommand(
      [
        'env',
        'DEBIAN_FRONTEND=noninteractive',
        'apt-get',
        '-o',
        'DPkg::Lock::Timeout=300',
        '-qq',
        ...words,
      ],
      600,
    );
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', ...packages);
  const still = missing.filter((program) => !existsSync(program.file));
  if (still.length > 0)
    throw new HostwrightError('unavailable', {
      message: `${still.map((program) => program.file).join(', ')} is not there after installing ${packages.join(' ')}`,
    });
};
