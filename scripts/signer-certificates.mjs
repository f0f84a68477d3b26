// Makes or renews the certificates of a signer on a machine of its own: `node scripts/signer-certificates.mjs DIRECTORY HOST`.
// OpenSSL makes everything. DIRECTORY gets the authority (ca.pem, and ca-key.pem, which belongs on no server) and two
// directories, `signer` and `worker`, each with the three files that this end needs. An authority that exists is used again.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const AUTHORITY_DAYS = 3650;
/** The doctor warns thirty days before the end. */
const CERTIFICATE_DAYS = 730;
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/**
 * @param {string} directory created if it does not exist
 * @param {string} host the name or IP address under which the worker reaches the signer
 */
export function makeCertificates(directory, host) {
  // Keys are readable by their owner only.
  const umask = process.umask(0o077);
  try {
    fs.mkdirSync(directory, { recursive: true });
    const authority = { certificate: path.join(directory, 'ca.pem'), key: path.join(directory, 'ca-key.pem') };
    if (fs.existsSync(authority.certificate) && !fs.existsSync(authority.key))
      throw new Error(`Put ${authority.key} back: another authority would end the trust between signer and worker.`);
    if (!fs.existsSync(authority.key)) makeAuthority(authority);
    const name = `${net.isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`;
    const signer = { usage: 'serverAuth', name };
    for (const [end, given] of Object.entries({ signer, worker: { usage: 'clientAuth', name: null } })) {
      issue(path.join(directory, end), { authority, end, ...given });
    }
  } finally {
    process.umask(umask);
  }
}

function makeAuthority({ certificate, key }) {
  const files = ['-keyout', key, '-out', certificate, '-days', String(AUTHORITY_DAYS)];
  const extensions = ['-addext', 'keyUsage=critical,keyCertSign'];
  openssl(['req', '-x509', ...NEW_KEY, ...files, '-subj', '/CN=Stabletill signer authority', ...extensions]);
}

function issue(directory, { authority, end, usage, name }) {
  fs.mkdirSync(directory, { recursive: true });
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((file) => path.join(directory, file));
  const [request, extensions] = ['request.pem', 'extensions.txt'].map((file) => path.join(directory, file));
  const lines = ['basicConstraints=critical,CA:FALSE', `extendedKeyUsage=${usage}`];
  fs.writeFileSync(extensions, [...lines, ...(name === null ? [] : [`subjectAltName=${name}`])].join('\n'));
  openssl(['req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=Stabletill ${end}`]);
  const by = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial', '-extfile', extensions];
  openssl(['x509', '-req', '-in', request, '-out', certificate, '-days', String(CERTIFICATE_DAYS), ...by]);
  fs.copyFileSync(authority.certificate, path.join(directory, 'ca.pem'));
  for (const file of [request, extensions]) fs.rmSync(file);
}

const openssl = (args) => execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory, host] = process.argv.slice(2);
  if (!directory || !host) {
    console.error('Usage: node scripts/signer-certificates.mjs DIRECTORY HOST');
    process.exit(2);
  }
  try {
    makeCertificates(directory, host);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
  console.log(`Copy ${directory}/signer to the signer's machine and ${directory}/worker to the worker's.`);
  console.log(`Keep ${directory}/ca-key.pem on neither of them: a person who has it can call the signer.`);
}
