import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export const runCommand = async (command: readonly string[], seconds = 60): Promise<string> => {
  const { stdout } = await execute(command[0] ?? '', command.slice(1), {
    timeout: seconds * 1000,
    maxBuffer: 1 << 24,
  });
  return stdout;
};
