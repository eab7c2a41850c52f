/**
 * Redfish: power, one-time boot, virtual media where offered. Over HTTPS the BMC's certificate is
 * pinned by its SHA-256 fingerprint, because BMCs sign their own.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { awaitPower } from '../hammer/await-power.ts';
import { HammerError, type Hammer, type PowerState } from '../hammer/hammer.ts';
import { openPinned } from './open-pinned.ts';

export interface RedfishOptions {
  /** `https://10.0.0.5` */
  readonly endpoint: string;
  readonly username: string;
  readonly password: string;
  /** Path of the system; default: the only one there is. */
  readonly system?: string;
  readonly certificateSha256?: string;
  readonly timeoutSeconds?: number;
  /** How long a machine may take to be seen on or off after a command. */
  readonly settleSeconds?: number;
}

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const MAX_ANSWER = 1 << 20;

export const redfishHammer = (options: RedfishOptions): Hammer => {
  const base = URL.parse(options.endpoint);
  if (base === null || !['http:', 'https:'].includes(base.protocol))
    throw new HammerError('refused', 'the Redfish endpoint is no URL');
  const seconds = options.timeoutSeconds ?? 20;
  const settle = options.settleSeconds ?? 60;

  const noAnswer = (error: Error): HammerError =>
    new HammerError('unreachable', `the BMC ${base.host} did not answer: ${error.message}`, error);

  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const url = new URL(path, base);
    // links in answers may not lead elsewhere, nor out of TLS: the password would follow
    if (url.origin !== base.origin)
      throw new HammerError('refused', 'the BMC names a link on another host');
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const signal = AbortSignal.timeout(seconds * 1000);
    const { certificateSha256 } = options;
    const pinned =
      url.protocol === 'https:' && certificateSha256 !== undefined
        ? await openPinned(url, { certificateSha256, signal }).catch((error: Error) => {
            throw noAnswer(error);
          })
        : null;
    return new Promise((resolve, reject) => {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, {
        method,
        timeout: seconds * 1000,
        signal,
        auth: `${options.username}:${options.password}`,
        headers: {
          accept: 'application/json',
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
        },
        ...(pinned !== null && { createConnection: () => pinned }),
      });
      request.on('error', (error) => reject(noAnswer(error)));
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER) request.destroy(new Error('the answer is too large'));
          else chunks.push(chunk);
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          if (status < 200 || status >= 300)
            return reject(
              new HammerError(
                'refused',
                `the BMC ${base.host} refused ${method} ${url.pathname}: ${status}`,
              ),
            );
          const text = Buffer.concat(chunks).toString('utf8');
          try {
            const parsed: unknown = text === '' ? {} : JSON.parse(text);
            resolve(isJson(parsed) ? parsed : {});
          } catch (error) {
            reject(
              new HammerError(
                'refused',
                `the BMC ${base.host} answered something that is no JSON`,
                error,
              ),
            );
          }
          return undefined;
        });
      });
      request.end(payload);
    });
  };

  const link = (value: unknown): string =>
    isJson(value) && typeof value['@odata.id'] === 'string' ? value['@odata.id'] : '';
  let known = options.system;
  const findSystem = async (): Promise<string> => {
    if (known !== undefined) return known;
    const members = (await call('GET', '/redfish/v1/Systems'))['Members'];
    const found = Array.isArray(members) ? members.map(link).filter((path) => path !== '') : [];
    if (found.length !== 1 || found[0] === undefined)
      throw new HammerError('refused', `the BMC has ${found.length} systems: name one`);
    known = found[0];
    return known;
  };

  const status = async (): Promise<PowerState> => {
    const state = (await call('GET', await findSystem()))['PowerState'];
    if (state === 'On' || state === 'PoweringOff') return 'on';
    if (state === 'Off' || state === 'PoweringOn') return 'off';
    throw new HammerError('refused', 'the BMC says neither On nor Off');
  };
  const change = async (type: 'On' | 'ForceOff', wanted: PowerState): Promise<void> => {
    if ((await status()) === wanted) return;
    await call('POST', `${await findSystem()}/Actions/ComputerSystem.Reset`, { ResetType: type });
    await awaitPower(status, wanted, settle);
  };
  const media = async (): Promise<string> => {
    const managers = (await call('GET', '/redfish/v1/Managers'))['Members'];
    const manager = Array.isArray(managers) ? link(managers[0]) : '';
    const slots = (await call('GET', `${manager}/VirtualMedia`))['Members'];
    const slot = Array.isArray(slots)
      ? slots.map(link).find((path) => /cd/i.test(path))
      : undefined;
    if (slot === undefined) throw new HammerError('refused', 'the BMC offers no virtual CD');
    return slot;
  };
  return {
    kind: 'redfish',
    power: {
      status,
      on: () => change('On', 'on'),
      off: () => change('ForceOff', 'off'),
      // not ForceRestart: a machine that is on before and after has shown nothing
      reset: async () => {
        await change('ForceOff', 'off');
        await change('On', 'on');
      },
    },
    bootDevice: {
      setOnce: async (device) => {
        const path = await findSystem();
        const target = device === 'network' ? 'Pxe' : 'Hdd';
        await call('PATCH', path, {
          Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: target },
        });
        const boot = (await call('GET', path))['Boot'];
        if (!isJson(boot) || boot['BootSourceOverrideTarget'] !== target)
          throw new HammerError('lied', 'the BMC took the boot device, but does not show it');
      },
    },
    virtualMedia: {
      insert: async (url) => {
        await call('POST', `${await media()}/Actions/VirtualMedia.InsertMedia`, { Image: url });
      },
      eject: async () => {
        await call('POST', `${await media()}/Actions/VirtualMedia.EjectMedia`, {});
      },
    },
  };
};
