/**
 * Where a webhook may go. Unless a setting allows it, not to loopback, private or link-local
 * addresses: a webhook must not become a way to reach what only this machine can. Checked on the
 * address really connected to, so that a name that changes its address in between does not help.
 */
import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Refusal } from '@hostwright/core';

const inner = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  // carry an IPv4 address inside, which may be an inner one
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inner.addSubnet(net, bits, 'ipv6');

export const isInnerAddress = (address: string): boolean => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return inner.check(mapped, 'ipv4');
  // ::ffff:7f00:1 is the same thing in another spelling
  if (/^::ffff:/i.test(address)) return true;
  return inner.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
};

/** Names that stand for this machine or for a cloud's metadata, whatever a resolver says of them. */
const INNER_NAMES =
  /^(localhost|.+\.localhost|localhost\.localdomain|ip6-(localhost|loopback)|metadata(\.google\.internal)?)$/i;

/** As far as the URL itself tells; a name's addresses are looked at when it is connected to. */
export const isInnerHost = (host: string): boolean =>
  isIP(host) === 0 ? INNER_NAMES.test(host.replace(/\.+$/, '')) : isInnerAddress(host);

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export const checkWebhookUrl = (
  text: string,
  options: { readonly allowInner: boolean },
): Refusal[] => {
  const refuse = (message: string): Refusal[] => [{ code: 'bad_input', path: 'url', message }];
  if (text.length > 2048 || !URL.canParse(text))
    return refuse('not a URL of at most 2048 characters');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('only http and https');
  if (url.username !== '' || url.password !== '')
    return refuse('a password in a URL would be seen; the signature proves who sends');
  if (!options.allowInner && isInnerHost(hostOf(url)))
    return refuse('an inner address; the setting webhook.allowInner allows those');
  return [];
};

/** For http.request: refuses in the moment of connecting. */
export const guardedLookup =
  (allowInner: boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] = error === null ? found : [];
      const bad = addresses.find(({ address }) => !allowInner && isInnerAddress(address));
      const first = addresses[0];
      if (error !== null) callback(error, '', 4);
      else if (bad !== undefined || first === undefined)
        callback(
          new Error(
            `${hostname} is the inner address ${bad?.address ?? ''}, which the setting webhook.allowInner refuses`,
          ),
          '',
          4,
        );
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
