/** `hostwright`: reads the command line, runs one command, ends with its exit code. */
import { enableCompileCache } from 'node:module';
import { version } from './version.ts';

// the second start of a command skips compiling: worth 20-40 ms of it
enableCompileCache();

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version()}\n`);
} else {
  const { asFailure, buildProgram } = await import('./program.ts');
  const { orderWords } = await import('./order-words.ts');
  try {
    const program = buildProgram();
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(orderWords(words), { from: 'user' });
  } catch (error) {
    const failure = asFailure(error);
    if (failure !== undefined) {
      const { reportFailure } = await import('./report.ts');
      process.exitCode = reportFailure(failure, words.includes('--json'));
    }
  } finally {
    // the channel to a keeper would hold a finished child
    if (process.connected) process.disconnect?.();
  }
}
