/** Runs inside a rack's namespace: opens a listening socket there and hands it to its parent outside. */
import { createSocket, type Socket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

const [kind, address, port] = process.argv.slice(2);
const hand = (socket: Server | Socket) =>
  process.send?.('socket', socket, {}, () => process.exit(0));
if (kind === 'udp') {
  const socket = createSocket('udp4');
  socket.bind(Number(port), address, () => hand(socket));
} else {
  const server = createServer();
  server.listen(Number(port), address, () => hand(server));
}
