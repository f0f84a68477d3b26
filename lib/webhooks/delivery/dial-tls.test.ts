// HTTPS to merchants: the certificate must be for the name and from a trusted authority, with TLS 1.2 or later.

import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { selfSigned, type Certificate } from '@/testing/receivers/receiver-certificate';
import { callReceiver, type CallOptions } from './dial';

const servers: https.Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function receiverWith(certificate: Certificate, options: https.ServerOptions = {}): Promise<number> {
  const server = https.createServer(
    { ...certificate, ...options },
    (_, answer) => void answer.end('{"received":true}'),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const call = (port: number, options: Partial<CallOptions> = {}) =>
  callReceiver(
    { url: `https://localhost:${port}/hook`, headers: () => ({}), body: '{}' },
    {
      reach: { toLoopback: true },
      deadlineMilliseconds: 3000,
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      ...options,
    },
  );
const days = (count: number) => new Date(Date.now() + count * 86_400_000);

test('W-07: a trusted certificate for the name is accepted', async () => {
  const certificate = selfSigned('localhost', days(-1), days(1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({
    kind: 'answered',
    status: 200,
    answer: '{"received":true}',
  });
});

test('W-07: an untrusted certificate is a network error', async () => {
  const port = await receiverWith(selfSigned('localhost', days(-1), days(1)));
  expect(await call(port)).toEqual({ kind: 'unreachable', error: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('W-07: a certificate for another name, even from a trusted authority, is a network error', async () => {
  const certificate = selfSigned('other.example', days(-1), days(1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({
    kind: 'unreachable',
    error: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('W-07: an expired certificate is a network error', async () => {
  const certificate = selfSigned('localhost', days(-3), days(-1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({ kind: 'unreachable', error: 'CERT_HAS_EXPIRED' });
});

test('W-07: a receiver that supports only TLS 1.1 is a network error', async () => {
  const certificate = selfSigned('localhost', days(-1), days(1));
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  expect((await call(await receiverWith(certificate, old), { ca: certificate.cert })).kind).toBe('unreachable');
});
