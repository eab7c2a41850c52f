/**
 * A TLS connection to a BMC whose certificate is pinned. Looked at before a byte is sent: Node asks
 * `checkServerIdentity` only for certificates that it trusts already, which a BMC's own never is.
 */
import { createHash } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();

export const openPinned = (
  url: URL,
  options: { readonly certificateSha256: string; readonly signal: AbortSignal },
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? 443 : Number(url.port),
      rejectUnauthorized: false,
    });
    const giveUp = (): void => void socket.destroy(new Error('no answer in time'));
    options.signal.addEventListener('abort', giveUp, { once: true });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const found = createHash('sha256').update(socket.getPeerCertificate().raw).digest('hex');
      if (found !== plain(options.certificateSha256))
        return socket.destroy(new Error('the certificate is not the pinned one'));
      options.signal.removeEventListener('abort', giveUp);
      socket.off('error', reject);
      return resolve(socket);
    });
  });
