// .env.example explains every existing setting and no other.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { NETWORKS } from '@/lib/networks/networks';
import { isSecret } from '@/lib/platform/config/secret-files.mjs';
import { DECIDED, ENDPOINTS, FORWARDED, WORKER_FORWARDED } from './start/settings.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

const explained = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
/** Settings of `npm start` itself, of compose.yaml and of the database's roles. */
const OTHERS = [
  ...['DATA_DIR', 'SANDBOX', 'OWNER_DATABASE_PASSWORD', 'DATABASE_PASSWORD', 'SECRETS_DIR'],
  ...['STABLETILL_IMAGE', 'POSTGRES_IMAGE', 'CADDY_IMAGE', 'SIGNERS', 'LOG_DRIVER'],
  ...['WEB_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD', 'READ_DATABASE_PASSWORD'],
];
/** Settings without use in a production container: of the sandbox, and of deposit keys that are offline. */
const NOT_COMPOSED =
  /^(LIMIT_LOOPBACK|WEBHOOKS_TO_LOOPBACK|TEST_CHAINS|CRASH_POINT|SWEEP_AUTHORIZATIONS_DIR|SCREENING_ORACLE_LOCAL)$/;

const namesIn = (file: string) => [...read(file).matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);

/** The settings of endpoints and their budgets of the standard networks. A network that is off is not mentioned. */
const endpoints = [
  ...new Set(
    NETWORKS.filter(({ isStandard }) => isStandard).flatMap(({ environment, network }) =>
      ['URLS', 'BUDGETS'].map((what) => `${environment}_${network}_${what}`.toUpperCase()),
    ),
  ),
];
const serviceSettings = [
  ...['config', 'energy-market', 'processes', 'rates', 'retention'].flatMap((name) =>
    namesIn(`lib/platform/config/${name}.ts`),
  ),
  ...endpoints,
];

test('explains every setting exactly once, and nothing else', () => {
  const all = [...serviceSettings, ...namesIn('lib/signer/settings.ts'), ...OTHERS];
  expect(explained.toSorted()).toEqual([...new Set(all)].toSorted());
});

test('every setting of the service is forwarded or decided by `npm start`', () => {
  expect([...FORWARDED, ...WORKER_FORWARDED, ...DECIDED, ...endpoints].toSorted()).toEqual(serviceSettings.toSorted());
  expect(endpoints.filter((name) => !ENDPOINTS.test(name))).toEqual([]);
});

test('the containers are given every setting that a production installation may want, and secrets by files only', () => {
  const composed = new Set(
    [...read('compose.yaml').matchAll(/^ {2,6}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name),
  );
  expect(
    [...FORWARDED, ...WORKER_FORWARDED, ...endpoints].filter(
      (name) => !NOT_COMPOSED.test(name) && !isSecret(name) && !composed.has(name),
    ),
  ).toEqual([]);
  expect([...composed].filter((name) => isSecret(name) && name !== 'DATABASE_URL')).toEqual([]);
});
