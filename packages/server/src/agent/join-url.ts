/**
 * The address that goes into a script which root runs. The header Host is whatever the caller, or
 * somebody between, wrote: it may choose among the names this server has, and nothing else.
 */
import { X509Certificate } from 'node:crypto';
import { ownNames } from '../tls/tls.ts';

export interface OwnAddresses {
  /** Given by the operator: then there is nothing to choose. */
  readonly publicUrl?: string | undefined;
  /** From the config. */
  readonly names: readonly string[];
  /** What the certificate holds besides. */
  readonly certificatePem?: string | undefined;
  /** The URL that is right for everybody. */
  readonly url: string;
}

const normal = (name: string): string => name.toLowerCase().replace(/^\[|\]$|\.$/g, '');

const certified = (pem: string | undefined): string[] =>
  (pem === undefined ? '' : (new X509Certificate(pem).subjectAltName ?? ''))
    .split(', ')
    .filter((part) => /^(DNS|IP Address):/.test(part) && !part.includes('*'))
    .map((part) => part.replace(/^(DNS|IP Address):/, ''));

export const joinUrl = (host: string | undefined, own: OwnAddresses): string => {
  const fallback = own.url.replace(/\/+$/, '');
  if (own.publicUrl !== undefined) return own.publicUrl.replace(/\/+$/, '');
  const said = URL.parse(`http://${host ?? ''}`);
  if (said === null) return fallback;
  const known = [...ownNames(own.names), ...certified(own.certificatePem)];
  const name = known.find((candidate) => {
    const plain = normal(candidate);
    // one spelling for an IPv6 address
    const same = plain.includes(':') ? (URL.parse(`http://[${plain}]`)?.hostname ?? '') : plain;
    return normal(same) === normal(said.hostname);
  });
  if (name === undefined) return fallback;
  const url = new URL(fallback);
  url.hostname = name.includes(':') ? `[${name}]` : name;
  return url.origin;
};
