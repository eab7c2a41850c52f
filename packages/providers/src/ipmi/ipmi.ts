/**
 * IPMI by ipmitool. The password goes by the environment (ipmitool -E), never by the command line,
 * where every user of the machine could read it. A BMC that hangs is given up after a time limit.
 */
import { execFile } from 'node:child_process';
import { awaitPower } from '../hammer/await-power.ts';
import { isBmcHost, isIpmiUser } from '../hammer/check-hammer.ts';
import { HammerError, type Hammer, type PowerState } from '../hammer/hammer.ts';

export interface IpmiOptions {
  readonly host: string;
  readonly port?: number;
  readonly username: string;
  readonly password: string;
  /** 17 by default in ipmitool; older BMCs and ipmi_sim know only 3. */
  readonly cipherSuite?: number;
  readonly timeoutSeconds?: number;
}

const SELECTOR = { network: /PXE/i, disk: /Hard-Drive/i } as const;

export const ipmiHammer = (options: IpmiOptions): Hammer => {
  const seconds = options.timeoutSeconds ?? 20;
  if (!isBmcHost(options.host)) throw new HammerError('refused', 'the BMC address is no host');
  if (!isIpmiUser(options.username))
    throw new HammerError('refused', 'the BMC user name is not valid');

  const ipmitool = (...command: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const args = [
        '-I',
        'lanplus',
        '-C',
        String(options.cipherSuite ?? 17),
        '-H',
        options.host,
        '-p',
        String(options.port ?? 623),
        '-U',
        options.username,
        '-E',
        '-N',
        '2',
        '-R',
        '2',
        ...command,
      ];
      const child = execFile(
        'ipmitool',
        args,
        {
          timeout: seconds * 1000,
          killSignal: 'SIGKILL',
          env: { PATH: process.env['PATH'], IPMI_PASSWORD: options.password },
        },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else if (error.killed === true)
            reject(
              new HammerError(
                'unreachable',
                `the BMC ${options.host} did not answer in ${seconds} s`,
              ),
            );
          else {
            const text = `${stderr} ${stdout}`
              .replaceAll(options.password === '' ? '\u0000' : options.password, '***')
              .trim();
            const unreachable = /Unable to establish|timeout|No route|Connection refused/i.test(
              text,
            );
            reject(
              new HammerError(
                unreachable ? 'unreachable' : 'refused',
                `the BMC ${options.host} refused ${command.join(' ')}: ${text.slice(0, 200)}`,
              ),
            );
          }
        },
      );
      child.stdin?.end();
    });

  const change = async (wanted: PowerState): Promise<void> => {
    if ((await status()) === wanted) return;
    await ipmitool('chassis', 'power', wanted);
    await awaitPower(status, wanted, 60);
  };
  const status = async (): Promise<PowerState> => {
    const text = await ipmitool('chassis', 'power', 'status');
    const [, state] = /Chassis Power is (on|off)/.exec(text) ?? [];
    if (state !== 'on' && state !== 'off')
      throw new HammerError('refused', `the BMC ${options.host} says neither on nor off`);
    return state;
  };
  return {
    kind: 'ipmi',
    power: {
      status,
      on: () => change('on'),
      off: () => change('off'),
      // not `power reset`: a machine that is on before and after has shown nothing
      reset: async () => {
        await change('off');
        await change('on');
      },
    },
    bootDevice: {
      setOnce: async (device) => {
        await ipmitool('chassis', 'bootdev', device === 'network' ? 'pxe' : 'disk');
        // a BMC that will not say what it holds is believed; one that says something else is not
        const shown = await ipmitool('chassis', 'bootparam', 'get', '5').catch(() => '');
        const [, selector] = /Boot Device Selector : (.*)/.exec(shown) ?? [];
        if (selector !== undefined && !SELECTOR[device].test(selector))
          throw new HammerError(
            'lied',
            `the BMC ${options.host} took the boot device, but shows: ${selector.trim()}`,
          );
      },
    },
  };
};
