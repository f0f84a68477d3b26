// Where the signer listens, as SIGNER_SOCKET names it: a Unix socket on the same machine, or an address with mutual TLS. Both
// ends read the same setting, and both need a certificate of the operator's own authority.

import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/** `certificates`: the directory of the three files below. */
export type SignerEndpoint =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tls'; readonly host: string; readonly port: number; readonly certificates: string };

/** Operating systems limit a Unix socket path to 104 or 108 bytes, including the terminator. */
const SOCKET_PATH_BYTES = 103;
const FORMAT = 'tls://HOST:PORT?certificates=DIRECTORY';
const [CA, CERTIFICATE, KEY] = ['ca.pem', 'certificate.pem', 'key.pem'];
/** The permission of other users to read a file. */
const OTHERS_READ = 0o004;

/** Parses SIGNER_SOCKET. Throws an Error for an invalid text. */
export function readEndpoint(text: string): SignerEndpoint {
  if (!text.startsWith('tls://')) {
    if (Buffer.byteLength(text) > SOCKET_PATH_BYTES) throw new Error(`is longer than ${SOCKET_PATH_BYTES} bytes`);
    return { kind: 'socket', path: text };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const certificates = url?.searchParams.get('certificates');
  if (!url || !certificates || url.hostname === '' || url.port === '') throw new Error(`must be a path or ${FORMAT}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { kind: 'tls', host, port: Number(url.port), certificates };
}

/** What both ends of a TLS connection need. TLS 1.2 is refused, because both ends are ours. */
type TlsFiles = {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: 'TLSv1.3';
};

/**
 * Reads the certificate of the operator's authority, this end's own certificate, and its key. Throws an Error that names the
 * file which is missing, or the key that other users of the machine can read.
 */
export function readTlsFiles(directory: string): TlsFiles {
  const key = path.join(directory, KEY);
  if ((fs.statSync(key).mode & OTHERS_READ) !== 0) {
    throw new Error(`Every user of this machine can read ${key}. Run: chmod 600 ${key}`);
  }
  const [ca, cert] = [CA, CERTIFICATE].map((name) => fs.readFileSync(path.join(directory, name)));
  return { ca: ca as Buffer, cert: cert as Buffer, key: fs.readFileSync(key), minVersion: 'TLSv1.3' };
}

/** When the certificate of this end ends; null for a Unix socket. Throws an Error when the file cannot be read. */
export function certificateEnd(address: string): Date | null {
  const endpoint = readEndpoint(address);
  if (endpoint.kind === 'socket') return null;
  const certificate = new X509Certificate(fs.readFileSync(path.join(endpoint.certificates, CERTIFICATE)));
  return new Date(certificate.validTo);
}

/** The name that the signer's certificate must carry. An IP address is compared with the addresses of the certificate. */
export const serverName = (host: string): { readonly servername?: string } =>
  net.isIP(host) === 0 ? { servername: host } : {};
