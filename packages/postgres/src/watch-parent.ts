/**
 * Ends PostgreSQL when the process that started it is killed with -9: a shell waits at the other end
 * of a pipe. A line on the pipe means "stopped in good order, leave it"; a bare end of file means
 * that nobody is left.
 */
import { spawn } from 'node:child_process';

export const endWithParent = (pid: number): (() => void) => {
  const watcher = spawn('/bin/sh', ['-c', `read -r _ || kill -INT ${pid}`], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {});
  watcher.stdin.on('error', () => {});
  watcher.unref();
  return () => {
    watcher.stdin.end('stopped\n');
  };
};
