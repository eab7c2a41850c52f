/** PostgreSQL refuses to run as root, so it runs as another user, who must get to its folder. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { UnixUser } from './unprivileged-user.ts';

const mayEnter = (folder: string, user: UnixUser): boolean => {
  const { mode, uid, gid } = statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
};

/** The first folder on the way down to `folder`, itself included, that the user may not enter. */
export const findClosedFolder = (folder: string, user: UnixUser): string | undefined => {
  const above = dirname(folder);
  const closed = above === folder ? undefined : findClosedFolder(above, user);
  if (closed !== undefined) return closed;
  return mayEnter(folder, user) ? undefined : folder;
};
