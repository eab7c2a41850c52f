/** What a BMC's hammer cannot be made of, before it is kept: found out at its first use it costs an installation. */
import type { JsonObject, Refusal } from '@hostwright/core';

export interface HammerToCheck {
  readonly kind: string;
  readonly endpoint?: string | undefined;
  readonly username?: string | undefined;
  readonly config?: JsonObject | undefined;
}

/** A host, a v4 or v6 address. */
export const isBmcHost = (host: string): boolean =>
  /^[A-Za-z0-9]([A-Za-z0-9.:-]{0,252}[A-Za-z0-9])?$/.test(host);

export const isIpmiUser = (name: string): boolean => /^[\w.@-]{0,16}$/.test(name);

const isWebAddress = (text: string): boolean =>
  ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');

const isFingerprint = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value.replaceAll(':', ''));

const isCipherSuite = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 17;

export const checkHammer = (hammer: HammerToCheck): Refusal[] => {
  const { endpoint, username, config = {} } = hammer;
  const { certificateSha256, cipherSuite } = config;
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  if (hammer.kind === 'ipmi')
    return [
      ...(endpoint === undefined || isBmcHost(endpoint)
        ? []
        : [refuse('endpoint', 'the BMC address is no host')]),
      ...(username === undefined || isIpmiUser(username)
        ? []
        : [refuse('username', 'at most 16 letters, digits, . _ @ -')]),
      ...(cipherSuite === undefined || isCipherSuite(cipherSuite)
        ? []
        : [refuse('config/cipherSuite', 'a whole number from 0 to 17')]),
    ];
  if (hammer.kind === 'redfish')
    return [
      ...(endpoint === undefined || isWebAddress(endpoint)
        ? []
        : [refuse('endpoint', 'the Redfish endpoint is no URL')]),
      ...(certificateSha256 === undefined || isFingerprint(certificateSha256)
        ? []
        : [refuse('config/certificateSha256', 'a SHA-256 fingerprint has 64 hexadecimal digits')]),
    ];
  return [];
};
