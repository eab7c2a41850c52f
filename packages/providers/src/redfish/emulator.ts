/**
 * A small Redfish service over the machines of a lab: no emulator is in Debian. It knows what the
 * client uses, and can be told to misbehave, because real BMCs do.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmulatedMachine {
  isOn(): boolean;
  start(options?: { readonly once?: 'network' | 'disk' }): Promise<void>;
  cut(): Promise<void>;
}

export interface RedfishEmulator {
  readonly url: string;
  /** The next requests are answered so, until it is set to 'none' again. */
  misbehave(how: 'none' | 'hang' | 'refuse' | 'lie'): void;
  readonly bootOnce: () => string;
  close(): Promise<void>;
}

const SYSTEM = '/redfish/v1/Systems/1';
const MEDIA = '/redfish/v1/Managers/1/VirtualMedia/Cd';

const readJson = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
};

export const startRedfishEmulator = async (
  machine: EmulatedMachine,
  options: { readonly username: string; readonly password: string },
): Promise<RedfishEmulator> => {
  let how: 'none' | 'hang' | 'refuse' | 'lie' = 'none';
  let target = 'None';
  let image: unknown = null;
  const members = (path: string) => ({ Members: [{ '@odata.id': path }] });

  const start = async (): Promise<void> => {
    const once = target === 'Pxe' ? 'network' : target === 'Hdd' ? 'disk' : undefined;
    target = 'None';
    await machine.start(once === undefined ? {} : { once });
  };
  const reset = async (type: unknown): Promise<boolean> => {
    if (how === 'lie') return true;
    if (type === 'On') await start();
    else if (type === 'ForceOff') await machine.cut();
    else if (type === 'ForceRestart') {
      await machine.cut();
      await start();
    } else return false;
    return true;
  };

  const server = createServer((request, response) => {
    const answer = (status: number, body: object = {}) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const handle = async (): Promise<unknown> => {
      if (how === 'hang') return undefined;
      const given = Buffer.from(
        (request.headers.authorization ?? '').replace(/^Basic /, ''),
        'base64',
      ).toString();
      if (given !== `${options.username}:${options.password}`) return answer(401);
      if (how === 'refuse') return answer(500);
      const body = request.method === 'GET' ? {} : await readJson(request);
      switch (`${request.method} ${request.url}`) {
        case 'GET /redfish/v1/Systems':
          return answer(200, members(SYSTEM));
        case `GET ${SYSTEM}`:
          return answer(200, {
            PowerState: machine.isOn() ? 'On' : 'Off',
            Boot: {
              BootSourceOverrideTarget: target,
              BootSourceOverrideEnabled: target === 'None' ? 'Disabled' : 'Once',
            },
          });
        case `PATCH ${SYSTEM}`: {
          const boot = body['Boot'];
          if (
            typeof boot === 'object' &&
            boot !== null &&
            'BootSourceOverrideTarget' in boot &&
            how !== 'lie'
          )
            target = String(boot.BootSourceOverrideTarget);
          return answer(200);
        }
        case `POST ${SYSTEM}/Actions/ComputerSystem.Reset`:
          return answer((await reset(body['ResetType'])) ? 204 : 400);
        case 'GET /redfish/v1/Managers':
          return answer(200, members('/redfish/v1/Managers/1'));
        case 'GET /redfish/v1/Managers/1/VirtualMedia':
          return answer(200, members(MEDIA));
        case `POST ${MEDIA}/Actions/VirtualMedia.InsertMedia`:
          image = body['Image'];
          return answer(typeof image === 'string' ? 204 : 400);
        case `POST ${MEDIA}/Actions/VirtualMedia.EjectMedia`:
          image = null;
          return answer(204);
        default:
          return answer(404);
      }
    };
    handle().catch(() => answer(500));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    misbehave: (wanted) => {
      how = wanted;
    },
    bootOnce: () => target,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
