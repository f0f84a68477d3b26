// HTTPS as merchants have it: the certificate must be for the name and from a trusted authority, and TLS 1.2 or later.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { callReceiver, type Line } from './dial';

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
const call = (port: number, line: Partial<Line> = {}) =>
  callReceiver(
    { url: `https://localhost:${port}/hook`, headers: () => ({}), body: '{}' },
    {
      reach: { toLoopback: true },
      deadlineMilliseconds: 3000,
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      ...line,
    },
  );
const days = (count: number) => new Date(Date.now() + count * 86_400_000);

test('a trusted certificate for the name is accepted', async () => {
  const certificate = selfSigned('localhost', days(-1), days(1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({
    kind: 'answered',
    status: 200,
    answer: '{"received":true}',
  });
});

test('a certificate that nobody vouches for is a network error', async () => {
  const port = await receiverWith(selfSigned('localhost', days(-1), days(1)));
  expect(await call(port)).toEqual({ kind: 'unreachable', error: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('so is one for another name, even from a trusted authority', async () => {
  const certificate = selfSigned('other.example', days(-1), days(1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({
    kind: 'unreachable',
    error: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('so is an expired one', async () => {
  const certificate = selfSigned('localhost', days(-3), days(-1));
  const port = await receiverWith(certificate);
  expect(await call(port, { ca: certificate.cert })).toEqual({ kind: 'unreachable', error: 'CERT_HAS_EXPIRED' });
});

test('so is a receiver that speaks only TLS 1.1', async () => {
  const certificate = selfSigned('localhost', days(-1), days(1));
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  expect((await call(await receiverWith(certificate, old), { ca: certificate.cert })).kind).toBe('unreachable');
});

type Certificate = { key: string; cert: string };

/** A self-signed certificate (RFC 5280) for one DNS name, so that the test needs no program and no key in the repository. */
function selfSigned(name: string, from: Date, until: Date): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
    const content = Buffer.concat(parts);
    const { length } = content;
    const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
    return Buffer.concat([Buffer.from([tag, ...size]), content]);
  };
  const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
  const oid = (hex: string) => der(6, Buffer.from(hex, 'hex'));
  const time = (at: Date) =>
    der(
      0x17,
      Buffer.from(
        at
          .toISOString()
          .replace(/[-:T]|\.\d+/g, '')
          .slice(2),
      ),
    );
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'));
  const issuer = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
  const names = der(4, sequence(der(0x82, Buffer.from(name))));
  const authority = sequence(oid('551d13'), der(4, sequence(der(1, Buffer.from([255])))));
  const body = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaSha256,
    issuer,
    sequence(time(from), time(until)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authority, sequence(oid('551d11'), names))),
  );
  const signed = sequence(body, ecdsaSha256, der(3, Buffer.from([0]), sign('sha256', body, privateKey)));
  const cert = `-----BEGIN CERTIFICATE-----\n${signed.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
