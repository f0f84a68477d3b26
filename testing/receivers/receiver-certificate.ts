// Certificates for receivers on this machine, created on demand.

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export type Certificate = { key: string; cert: string };

/** A self-signed certificate (RFC 5280) for one DNS name: the test needs no program and no key in the repository. */
export function selfSigned(name: string, from: Date, until: Date): Certificate {
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
