// The processes of the container that runs all of them know no more than in containers of their own, as far as their settings go.

import { expect, test } from 'vitest';
import { environmentsOf } from './all.mjs';

const ALL = {
  PATH: '/bin',
  PUBLIC_URL: 'https://pay.example',
  MASTER_KEYS: 'keys',
  EVIDENCE_KEY: 'evidence',
  KEYSTORE_FILE: '/keystore',
  KEYSTORE_PASSPHRASE: 'phrase',
  SIGNER_NETWORKS: 'bsc@mainnet',
  SMTP_URL: 'smtp://a:b@c',
  VALKEY_URL: 'redis://a:b@c',
  DATABASE_URL: 'postgresql://owner:own@db/stabletill',
  WEB_DATABASE_PASSWORD: 'of-web',
  WORKER_DATABASE_PASSWORD: 'of-worker',
};

test('the passphrase goes to the signer alone, and nothing of the database does', () => {
  const { signer, worker, web } = environmentsOf(ALL);
  expect(Object.keys(signer).toSorted()).toEqual([
    ...[
      'EVIDENCE_KEY',
      'KEYSTORE_FILE',
      'KEYSTORE_PASSPHRASE',
      'PATH',
      'PUBLIC_URL',
      'SIGNER_NETWORKS',
      'SIGNER_SOCKET',
    ],
  ]);
  for (const one of [worker, web]) expect(Object.keys(one).join()).not.toMatch(/KEYSTORE|SIGNER_NETWORKS/);
});

test('web and worker have the database roles of their own, and only the worker the evidence key', () => {
  const { worker, web } = environmentsOf(ALL);
  expect(web.DATABASE_URL).toBe('postgresql://stabletill_web:of-web@db/stabletill');
  expect(worker.DATABASE_URL).toBe('postgresql://stabletill_worker:of-worker@db/stabletill');
  expect([web, worker].map((one) => 'VALKEY_URL' in one)).toEqual([true, false]);
  expect(JSON.stringify(web)).not.toMatch(/evidence|phrase|own@|of-worker/);
  expect(JSON.stringify(worker)).not.toMatch(/phrase|own@|of-web/);
  expect(worker).toMatchObject({ EVIDENCE_KEY: 'evidence', MASTER_KEYS: 'keys' });
});

test('without passwords for separate roles it does not start', () => {
  expect(() => environmentsOf({ ...ALL, WEB_DATABASE_PASSWORD: '' })).toThrow('WEB_DATABASE_PASSWORD');
});
