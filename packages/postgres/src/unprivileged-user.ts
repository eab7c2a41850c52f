import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface UnixUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const lookUp = (name: string): UnixUser | undefined => {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [entry, , uid, gid] = line.split(':');
    if (entry === name) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
};

/**
 * PostgreSQL refuses to run as root. Root therefore lends it another user: `postgres` where it
 * exists, else a system user `hostwright`, else `nobody`. Anybody else runs it as themselves.
 */
export const unprivilegedUser = (): UnixUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const known = lookUp('postgres') ?? lookUp('hostwright');
  if (known) return known;
  try {
    execFileSync(
      'useradd',
      ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'hostwright'],
      {
        stdio: 'ignore',
      },
    );
  } catch {
    // no useradd, or a read-only /etc: nobody will do
  }
  const user = lookUp('hostwright') ?? lookUp('nobody');
  if (!user)
    throw new Error('running as root, and there is no unprivileged user to run PostgreSQL as');
  return user;
};
