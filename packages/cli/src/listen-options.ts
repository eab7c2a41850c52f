import type { Invocation } from './invocation.ts';
import { Failure } from './failure.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
}

export const readListenOptions = (call: Invocation): ListenOptions => {
  const certificate = call.text('tls-cert');
  const key = call.text('tls-key');
  if ((certificate === undefined) !== (key === undefined))
    throw new Failure('usage', '--tls-cert and --tls-key go together');
  const port = call.number('port', { least: 0, most: 65_535 }) ?? 4680;
  if (!Number.isInteger(port)) throw new Failure('usage', '--port takes a whole number');
  const publicUrl = call.text('public-url');
  if (publicUrl !== undefined && !URL.canParse(publicUrl))
    throw new Failure('usage', `--public-url takes an address, not ${publicUrl}`);
  return {
    host: call.text('listen') ?? '127.0.0.1',
    port,
    publicUrl,
    tls: certificate === undefined || key === undefined ? undefined : { certificate, key },
  };
};

/** The same on the command line of a child. */
export const listenArguments = (options: ListenOptions): string[] => [
  `--listen=${options.host}`,
  `--port=${options.port}`,
  ...(options.publicUrl === undefined ? [] : [`--public-url=${options.publicUrl}`]),
  ...(options.tls === undefined
    ? []
    : [`--tls-cert=${options.tls.certificate}`, `--tls-key=${options.tls.key}`]),
];

/** By which name this machine reaches itself on that address. */
export const localName = (host: string): string =>
  host === '0.0.0.0' || host === '::' || host === '127.0.0.1' || host === 'localhost'
    ? 'localhost'
    : host;
