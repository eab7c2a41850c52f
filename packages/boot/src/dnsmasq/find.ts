import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The pid if it runs with this very configuration. */
export const findDnsmasq = async (folder: string): Promise<number | null> => {
  const pid = Number((await readFile(join(folder, 'dnsmasq.pid'), 'utf8').catch(() => '')).trim());
  if (!Number.isInteger(pid) || pid < 2) return null;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(join(folder, 'dnsmasq.conf')) ? pid : null;
};
