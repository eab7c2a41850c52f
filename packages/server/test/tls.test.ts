import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createClient } from '@hostwright/api';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import { session_get } from '@hostwright/api/nouns/session';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOwnCa } from '../src/tls/own-ca.ts';
import { openTls } from '../src/tls/tls.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let port: number;
beforeAll(async () => {
  world = await createWorld({ tls: 'own', names: ['admin.example', '10.1.2.3'] });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const address = world.app.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => world.stop());

test('a client that trusts the own CA is served, one that does not refuses', async () => {
  const ca = world.context.tls?.caPem ?? '';
  const url = `https://127.0.0.1:${port}`;
  const trusting = createClient({ url, token: world.tokens.admin, fetch: createNodeFetch({ ca }) });
  expect(await trusting.call(session_get)).toMatchObject({ name: 'admin' });
  const stranger = createClient({ url, token: world.tokens.admin, fetch: createNodeFetch() });
  await expect(stranger.call(session_get)).rejects.toThrow();
});

test('the certificate names every configured name and this machine, and old protocols are refused', async () => {
  const certificate = new X509Certificate(world.context.tls?.certificatePem ?? '');
  for (const name of [
    'DNS:admin.example',
    'DNS:localhost',
    'IP Address:10.1.2.3',
    'IP Address:127.0.0.1',
  ])
    expect(certificate.subjectAltName).toContain(name);
  const socket = connect({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
  });
  const failed = await new Promise((resolve) => {
    socket.once('error', () => resolve(true));
    socket.once('secureConnect', () => resolve(false));
  });
  socket.destroy();
  expect(failed).toBe(true);
});

test('cookies over TLS are bound to this host and never sent in the clear', async () => {
  await world.ask('admin', {
    method: 'POST',
    url: '/users',
    body: { name: 'kim', role: 'viewer', password: 'a long enough password' },
  });
  const answer = await world.ask(undefined, {
    method: 'POST',
    url: '/session',
    body: { name: 'kim', password: 'a long enough password' },
  });
  expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-hostwright_session=/);
  expect(String(answer.headers['set-cookie'])).toMatch(/Secure/);
  expect(answer.headers['strict-transport-security']).toBeDefined();
  expect(String(answer.headers['content-security-policy'])).toContain("default-src 'none'");
});

test('the CA stays the same over restarts, is private, and two starts at once agree on one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-ca-'));
  const made = await Promise.all([openOwnCa(folder), openOwnCa(folder), openOwnCa(folder)]);
  expect(new Set(made.map((ca) => ca.fingerprint)).size).toBe(1);
  expect((await openOwnCa(folder)).fingerprint).toBe(made[0]?.fingerprint);
  expect(statSync(join(folder, 'tls', 'ca.pem')).mode & 0o077).toBe(0);
  rmSync(folder, { recursive: true });
});

test('a certificate is kept while it is good and renewed before it ends, under the same CA', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-ca-'));
  const now = new Date();
  const later = (days: number) => new Date(now.getTime() + days * 24 * 3600 * 1000);
  const first = await openTls({ dataDir: folder }, now);
  const same = await openTls({ dataDir: folder }, later(300));
  const renewed = await openTls({ dataDir: folder }, later(380));
  expect(same?.certificatePem).toBe(first?.certificatePem);
  expect(renewed?.certificatePem).not.toBe(first?.certificatePem);
  expect(renewed?.caFingerprint).toBe(first?.caFingerprint);
  const named = await openTls({ dataDir: folder, names: ['new.example'] }, later(381));
  expect(new X509Certificate(named?.certificatePem ?? '').subjectAltName).toContain('new.example');
  rmSync(folder, { recursive: true });
});
