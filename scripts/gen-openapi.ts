/** `node scripts/gen-openapi.ts`: writes docs/reference/openapi.json from the contract. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeApi } from '../packages/server/src/openapi.ts';

const golden = fileURLToPath(new URL('../docs/reference/openapi.json', import.meta.url));
writeFileSync(golden, `${JSON.stringify(describeApi(), null, 1)}\n`);
