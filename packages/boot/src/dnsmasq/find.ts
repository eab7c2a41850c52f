import { findDaemon } from '../daemon/daemon.ts';

/** The pid if it runs as it was started from this folder. */
export const findDnsmasq = (folder: string): Promise<number | null> =>
  findDaemon({ folder, name: 'dnsmasq' });
