/** Delivers events of the database given, until a hook of it kills the process. */
import { openDatabase, SILENT, startDelivery } from '@hostwright/engine';

const url = process.argv[2];
if (url === undefined) throw new Error('usage: dying-process.ts DATABASE_URL');
await startDelivery({ database: openDatabase({ url }), log: SILENT });
