/** Runs inside a rack's namespace: opens a listening socket there and hands it to its parent outside. */
import { createServer } from 'node:net';

const [address, port] = process.argv.slice(2);
const server = createServer();
server.listen(Number(port), address, () => {
  process.send?.('socket', server, {}, () => process.exit(0));
});
