/** PostgreSQL as a UNIX socket: network namespaces have no way to the loopback of this one. */
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

export const openPostgresDoor = async (
  url: string,
  folder: string,
): Promise<{ readonly host: string; readonly port: number; close(): void }> => {
  const target = new URL(url);
  const server = createServer((inside) => {
    const outside = connect(Number(target.port), target.hostname);
    inside.pipe(outside).pipe(inside);
    for (const end of [inside, outside])
      end.on('error', () => {
        inside.destroy();
        outside.destroy();
      });
  });
  await new Promise<void>((resolve) =>
    server.listen(join(folder, `.s.PGSQL.${target.port}`), resolve),
  );
  return { host: folder, port: Number(target.port), close: () => server.close() };
};
