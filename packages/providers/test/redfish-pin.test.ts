/** The BMC's password must reach the BMC and nobody who has only taken its address. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redfishHammer } from '../src/index.ts';

let folder: string;
let server: Server;
let fingerprint: string;
const passwords: (string | undefined)[] = [];
let systems: unknown;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostwright-pin-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const name = ['-subj', '/CN=bmc', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...name],
    { stdio: 'ignore' },
  );
  fingerprint = new X509Certificate(readFileSync(cert)).fingerprint256;
  server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      passwords.push(request.headers.authorization);
      response.end(
        JSON.stringify(request.url === '/redfish/v1/Systems' ? systems : { PowerState: 'On' }),
      );
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const hammer = (certificateSha256?: string) =>
  redfishHammer({
    // listen() on TCP gives an object
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    username: 'admin',
    password: 'lab-secret',
    timeoutSeconds: 5,
    ...(certificateSha256 !== undefined && { certificateSha256 }),
  });

test('a BMC that shows another certificate than the pinned one is not told the password', async () => {
  systems = { Members: [{ '@odata.id': '/redfish/v1/Systems/1' }] };
  passwords.length = 0;
  await expect(hammer('00'.repeat(32)).power?.status()).rejects.toThrow(/not the pinned one/);
  await expect(hammer().power?.status()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(passwords).toEqual([]);
});

test('the pinned certificate is accepted, written with or without colons', async () => {
  systems = { Members: [{ '@odata.id': '/redfish/v1/Systems/1' }] };
  expect(await hammer(fingerprint).power?.status()).toBe('on');
  expect(await hammer(fingerprint.replaceAll(':', '').toLowerCase()).power?.status()).toBe('on');
});

test('a link in an answer cannot lead from TLS to plain HTTP', async () => {
  const { port } = server.address() as AddressInfo;
  systems = { Members: [{ '@odata.id': `http://127.0.0.1:${port}/redfish/v1/Systems/1` }] };
  await expect(hammer(fingerprint).power?.status()).rejects.toThrow(/another host/);
});
