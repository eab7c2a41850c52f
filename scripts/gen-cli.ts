/** `node scripts/gen-cli.ts`: writes docs/reference/cli.md from the table of commands. */
import { writeFileSync } from 'node:fs';
import { renderReference } from '../packages/cli/src/render-reference.ts';

writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), renderReference());
