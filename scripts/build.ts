/** `node scripts/bootstrap.mjs build`: everything that a server needs and that may not be made at its start. */
import { buildConsole } from '../packages/cli/src/up/build-console.ts';

const built = await buildConsole(new AbortController().signal);
if (built.note !== '') console.error(`hostwright: ${built.note}`);
process.exitCode = built.ok ? 0 : 1;
