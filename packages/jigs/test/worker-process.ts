/** A worker in a process of its own, so that a test can kill it with -9. */
import { masterKey, openDatabase, SILENT, startWorker } from '@hostwright/engine';
import { createScriptJig } from '@hostwright/jigs';

const [url = '', key = ''] = process.argv.slice(2);
const database = openDatabase({ url, maxConnections: 5 });
const master = masterKey(Buffer.from(key, 'hex'));
await startWorker({
  database,
  jigs: [createScriptJig({ database, master, log: SILENT })],
  log: SILENT,
  name: 'to be killed',
  master,
});
process.stdout.write('ready\n');
