// The signer on a machine of its own: the same calls over mutual TLS, with certificates that OpenSSL made.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { freePort } from '@/scripts/free-port.mjs';
import { makeCertificates } from '@/scripts/signer-certificates.mjs';
import { silentLog } from '@/testing/chain-clock';
import { openScene } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { callsOn } from '@/lib/signer/calls';
import { SignerClient } from '@/lib/signer/client';
import { readEndpoint } from './endpoint';
import { serveCalls, type SignerServer } from './server';

const HOST = '127.0.0.1';
const keys = keysFromSeed(randomBytes(64));
const directory = useTemporaryDirectory();
const inside = (...names: string[]): string => path.join(directory, ...names);
let port: number;
let server: SignerServer | null = null;

beforeAll(async () => {
  makeCertificates(inside('ours'), HOST);
  makeCertificates(inside('theirs'), HOST);
  port = await freePort();
});
afterEach(async () => {
  await server?.close();
  server = null;
});

const address = (certificates: string): string => `tls://${HOST}:${port}?certificates=${certificates}`;
const client = (certificates = inside('ours', 'worker')) => new SignerClient(address(certificates), 5000);
async function serve(certificates = inside('ours', 'signer')): Promise<void> {
  const { signer } = openScene(fs.mkdtempSync(inside('journal-')));
  server = await serveCalls(address(certificates), callsOn(keys, signer), silentLog());
}

test('answers the worker over TLS as over its socket, also after a renewal without a restart of the worker', async () => {
  await serve();
  const worker = client();
  expect(await worker.fingerprint()).toBe(keys.fingerprint);
  expect((await worker.addresses(0, 200)).addresses).toHaveLength(200);
  makeCertificates(inside('ours'), HOST);
  expect(await worker.fingerprint()).toBe(keys.fingerprint);
});

test.each<[string, () => string]>([
  ['of another authority', () => inside('theirs', 'worker')],
  ['that only the signer may use', () => inside('ours', 'signer')],
])('gives no answer to a caller with a certificate %s', async (_which, certificates) => {
  await serve();
  await expect(client(certificates()).fingerprint()).rejects.toMatchObject({ fault: 'unavailable' });
  expect(await client().fingerprint()).toBe(keys.fingerprint);
});

test.each<['signer' | 'worker', RegExp]>([
  ['worker', /closed the connection|cannot be reached/],
  ['signer', /CERT_HAS_EXPIRED/],
])('no call is answered once the certificate of the %s has expired, until it is renewed', async (end, message) => {
  fs.cpSync(inside('ours'), inside(`expired-${end}`), { recursive: true });
  expire(inside(`expired-${end}`), end);
  await serve(inside(`expired-${end}`, 'signer'));
  const worker = client(inside(`expired-${end}`, 'worker'));
  const refused = await worker.fingerprint().catch((error: Error) => error);
  expect(refused).toMatchObject({ fault: 'unavailable', retryable: true, message: expect.stringMatching(message) });
  await server?.close();
  makeCertificates(inside(`expired-${end}`), HOST);
  await serve(inside(`expired-${end}`, 'signer'));
  expect(await worker.fingerprint()).toBe(keys.fingerprint);
});

/** Replaces the certificate of one end by one of the same authority and key that ended a day ago. */
function expire(certificates: string, end: 'signer' | 'worker'): void {
  const [ca, own] = [certificates, path.join(certificates, end)];
  fs.writeFileSync(
    path.join(own, 'extensions.txt'),
    end === 'signer' ? `extendedKeyUsage=serverAuth\nsubjectAltName=IP:${HOST}` : 'extendedKeyUsage=clientAuth',
  );
  const run = (...words: string[]): void => void execFileSync('openssl', words, { cwd: own, stdio: 'pipe' });
  run('req', '-new', '-key', 'key.pem', '-subj', `/CN=${end}`, '-out', 'request.pem');
  const authority = ['-CA', path.join(ca, 'ca.pem'), '-CAkey', path.join(ca, 'ca-key.pem'), '-CAcreateserial'];
  const request = ['-in', 'request.pem', '-extfile', 'extensions.txt', '-out', 'certificate.pem'];
  run('x509', '-req', ...request, ...authority, '-days', '-1');
}

test('gives no answer to a caller without a certificate, or with an old TLS version', async () => {
  await serve();
  const ca = fs.readFileSync(inside('ours', 'worker', 'ca.pem'));
  const [cert, key] = ['certificate.pem', 'key.pem'].map((name) => fs.readFileSync(inside('ours', 'worker', name)));
  expect(await answerTo({ ca })).toBe('');
  expect(await answerTo({ ca, cert, key, maxVersion: 'TLSv1.2' })).toBe('');
  expect(await answerTo({ ca, cert, key })).toContain(keys.fingerprint);
});

/** What the signer answers to a call of a caller with these options; empty when it closes the connection. */
function answerTo(options: tls.ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = tls.connect({ host: HOST, port, ...options });
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.write(`${JSON.stringify({ id: '1', call: 'fingerprint', params: {} })}\n`);
  });
}

test('the worker refuses a signer of another authority, and one whose certificate names another host', async () => {
  await serve(inside('theirs', 'signer'));
  await expect(client().fingerprint()).rejects.toMatchObject({ fault: 'unavailable', retryable: true });
  await server?.close();
  makeCertificates(inside('elsewhere'), 'signer.example');
  await serve(inside('elsewhere', 'signer'));
  const refused = client(inside('elsewhere', 'worker')).fingerprint();
  await expect(refused).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
});

test('a hundred callers who connect and say nothing hold up no other caller, nor the end of the signer', async () => {
  await serve();
  const silent = Array.from({ length: 100 }, () => net.connect({ host: HOST, port }));
  for (const socket of silent) socket.on('error', () => {});
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  expect(await client().fingerprint()).toBe(keys.fingerprint);
  await server?.close();
  server = null;
  await expect(client().fingerprint()).rejects.toMatchObject({ fault: 'unavailable' });
});

test('idle connections without a certificate end no call of a worker', async () => {
  const { fingerprint } = keys;
  const events = new EventEmitter();
  const slow = async () => {
    events.emit('begun');
    await once(events, 'finished');
    return { mode: 'seed', fingerprint, capacity: 1, highest: -1 };
  };
  server = await serveCalls(address(inside('ours', 'signer')), new Map([['fingerprint', slow]]), silentLog());
  const begun = once(events, 'begun');
  const answer = client().fingerprint();
  await begun;
  const silent = Array.from({ length: 200 }, () => net.connect({ host: HOST, port }).on('error', () => {}));
  const closed = silent.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
  // Room was made for the last ones, so the signer has counted all before them.
  await Promise.all(closed.slice(0, 130));
  events.emit('finished');
  expect(await answer).toBe(fingerprint);
  await server.close();
  server = null;
});

test('above sixty-four workers the connection of the oldest one makes room for the next', async () => {
  await serve();
  const [ca, cert, key] = ['ca.pem', 'certificate.pem', 'key.pem'].map((name) =>
    fs.readFileSync(inside('ours', 'worker', name)),
  );
  const workers: tls.TLSSocket[] = [];
  for (let n = 0; n < 64; n++) {
    const socket = tls.connect({ host: HOST, port, ca, cert, key }).on('error', () => {});
    workers.push(socket);
    // An answer shows that the signer has counted it.
    socket.write(`${JSON.stringify({ id: '1', call: 'fingerprint', params: {} })}\n`);
    await once(socket, 'data');
  }
  const [oldest, second] = workers;
  expect(oldest?.closed).toBe(false);
  const closed = once(oldest!, 'close');
  expect(await client().fingerprint()).toBe(keys.fingerprint);
  await closed;
  expect(second?.closed).toBe(false);
});

test('a key that every user of the machine can read is refused with the command that fixes it', async () => {
  fs.cpSync(inside('ours', 'worker'), inside('open'), { recursive: true });
  const key = inside('open', 'key.pem');
  fs.chmodSync(key, 0o644);
  const refused = await client(inside('open'))
    .fingerprint()
    .catch((error: Error) => error);
  expect((refused as Error).cause).toMatchObject({ message: expect.stringContaining(`chmod 600 ${key}`) });
  await expect(serve(inside('open'))).rejects.toThrow(/chmod 600/);
});

test.each([
  'tls://signer',
  'tls://signer:1',
  'tls://:1?certificates=/a',
  'tls://signer?certificates=/a',
  'x'.repeat(104),
])('an invalid address is refused: %s', (text) => {
  expect(() => readEndpoint(text)).toThrow(/tls:\/\/HOST:PORT|103 bytes/);
  expect(() => new SignerClient(text)).toThrow(/^SIGNER_SOCKET /);
});

test('an address of IPv6, a name and a path are read', () => {
  expect(readEndpoint('tls://[::1]:7443?certificates=/a')).toEqual({
    kind: 'tls',
    host: '::1',
    port: 7443,
    certificates: '/a',
  });
  expect(readEndpoint('tls://signer.internal:7443?certificates=/a%20b')).toMatchObject({ certificates: '/a b' });
  expect(readEndpoint('/run/signer.sock')).toEqual({ kind: 'socket', path: '/run/signer.sock' });
});

test('a renewal without the key of the authority changes nothing', () => {
  makeCertificates(inside('renewed'), HOST);
  fs.rmSync(inside('renewed', 'ca-key.pem'));
  const before = fs.readFileSync(inside('renewed', 'worker', 'certificate.pem'));
  expect(() => makeCertificates(inside('renewed'), HOST)).toThrow(/Put .*ca-key\.pem back/);
  expect(fs.readFileSync(inside('renewed', 'worker', 'certificate.pem'))).toEqual(before);
});

test('the program that makes certificates says where each belongs', () => {
  const made = spawnSync(process.execPath, ['scripts/signer-certificates.mjs', inside('made'), 'signer.internal'], {
    encoding: 'utf8',
  });
  expect([made.status, made.stdout]).toEqual([0, expect.stringContaining('made/signer to the signer')]);
  for (const end of ['signer', 'worker']) expect(fs.statSync(inside('made', end, 'key.pem')).mode & 0o077).toBe(0);
});
