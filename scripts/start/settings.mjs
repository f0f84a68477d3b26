// The supervisor's settings, and the environment of each process: its few settings and no secrets of other processes.
// lib/platform/config/config.ts checks the service's own settings; this file only passes them on.

import fs from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { localChains } from './local-chains.mjs';
import { signerWallets, withLocalCold, withLocalTreasury } from './local-treasury.mjs';
import { Refusal } from './refusal.mjs';

/** Variables that any of our programs may need from the system. */
const SYSTEM = [
  'PATH',
  'HOME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** Settings of lib/platform/config/config.ts that web and worker get unchanged. */
export const FORWARDED = [
  ...['DATABASE_POOL', 'DATABASE_POOLER', 'NAMED_STATEMENTS', 'API_IN_FLIGHT', 'LOG_LEVEL', 'DIRECT_DOOR'],
  ...['DRAIN_SECONDS', 'TRUSTED_PROXIES', 'DIRECT_CLIENTS', 'RESTORE_PROOF_DAYS'],
  ...['KEY_RATE', 'KEY_BURST', 'PAGE_RATE', 'PAGE_BURST', 'FAILURE_RATE', 'FAILURE_BURST'],
  ...['LIMIT_LOOPBACK', 'WATCH_ONLY_EVM_XPUB', 'WATCH_ONLY_TRON_XPUB', 'ADDRESS_POOL_SIZE', 'EXPIRY_HOLD_SECONDS'],
  ...['TREASURY_WALLETS', 'TRON_FORWARDERS', 'DIRECT_SETTLEMENT', 'COLD_WALLETS', 'REFUND_WALLET_LEVELS'],
  ...['TREASURY_LEVELS', 'SPONSOR_LEVELS', 'SWEEP_DELAY_SECONDS', 'SWEEP_AUTHORIZATIONS_DIR', 'TRACES_URL'],
  ...['WEBHOOKS_TO_LOOPBACK', 'TEST_CHAINS', 'METRICS_TOKEN', 'SECURITY_CONTACT', 'CLAIM_DAYS', 'EXCHANGE_LIST_DAYS'],
  ...[
    'REFUND_APPROVAL_ABOVE',
    'PAYOUT_APPROVAL_ABOVE',
    'SMTP_URL',
    'VALKEY_URL',
    'MAIL_FROM',
    'ALARM_WEBHOOK_URL',
    'ALARM_WEBHOOK_SECRET',
    'FINDER_LOOKUPS_PER_DAY',
  ],
  ...[
    'COUNTRY_RULES',
    'SCREENED_ROLES',
    'SCREENING_LIST_KEY',
    'SCREENING_STALE_LIST',
    'SCREENING_ORACLE',
    'SCREENING_ORACLE_LOCAL',
  ],
  ...['SCREENING_HOOK_URL', 'SCREENING_HOOK_SECRET'],
  ...['REFUND_HOLD_SECONDS_LIVE', 'REFUND_HOLD_SECONDS_TEST', 'REFUND_COSTS', 'REFUND_COSTS_TEST', 'CRASH_POINT'],
  ...['REFUND_CLAIM_DELAY_SECONDS_LIVE', 'REFUND_CLAIM_DELAY_SECONDS_TEST'],
  ...['PAYOUT_ADDRESS_DELAY_SECONDS_LIVE', 'PAYOUT_ADDRESS_DELAY_SECONDS_TEST', 'PAYOUT_RATE_NOTICE_HOURS'],
  ...['LIVE_TRON_API_KEY', 'TEST_TRON_API_KEY', 'OFFER_TRON_USDC', 'AGREEMENT_ABOVE'],
  ...['AGREEMENT_ABOVE_PER_HOUR', 'AGREEMENT_ENDPOINTS'],
  ...['RATE_SOURCES', 'RATE_MAX_AGE', 'RATE_DAILY_MAX_AGE', 'RATE_LEAST_SOURCES', 'RATE_AGREEMENT_PERCENT'],
  ...['RATE_PEG_PERCENT', 'RATE_BAND_PERCENT', 'CONVERSION_PEG_BASIS_POINTS'],
];

/** Settings of lib/platform/config/config.ts that only the worker needs. Those of the energy market spend a balance. */
export const WORKER_FORWARDED = [
  ...['DATABASE_DIRECT_URL', 'WORKER_STEPS'],
  ...['DELIVERY_RETENTION_DAYS', 'EVENT_RETENTION_DAYS', 'MAIL_RETENTION_DAYS', 'ARCHIVE_DIR'],
  ...['ENERGY_MARKET', 'ENERGY_MARKET_KEY', 'ENERGY_MARKET_SECRET', 'ENERGY_MARKET_MAX_PRICE'],
  ...['ENERGY_MARKET_TRX_PER_HOUR', 'METRICS_PORT', 'METRICS_HOST'],
];

/** A sandbox pays its stores out; elsewhere the operator decides how much. */
const SANDBOX_PAYOUTS = {
  ...{ SIGNER_PAYOUT_CENTS_PER_PAYOUT: '1000000', SIGNER_PAYOUT_CENTS_PER_HOUR: '2000000' },
  SIGNER_PAYOUT_CENTS_PER_DAY: '5000000',
};

/** Settings of lib/signer/settings.ts that the signer gets unchanged. */
export const SIGNER_FORWARDED = [
  ...['SIGNER_CENTS_PER_REFUND', 'SIGNER_CENTS_PER_HOUR', 'SIGNER_CENTS_PER_DAY', 'JOURNAL_FILE'],
  ...['SIGNER_CLAIM_CENTS_PER_REFUND', 'SIGNER_CLAIM_CENTS_PER_HOUR', 'SIGNER_CLAIM_CENTS_PER_DAY'],
  ...['SIGNER_PAYOUT_CENTS_PER_PAYOUT', 'SIGNER_PAYOUT_CENTS_PER_HOUR', 'SIGNER_PAYOUT_CENTS_PER_DAY'],
  ...['SIGNER_PAYMENT_FEES', 'SIGNER_PAYOUT_BATCHES'],
  ...['SIGNER_COLD_WALLETS', 'SIGNER_COLD_CENTS_PER_TRANSFER'],
  ...['SIGNER_COLD_CENTS_PER_HOUR', 'SIGNER_COLD_CENTS_PER_DAY'],
  ...['SIGNER_APPROVAL_ABOVE', 'SIGNER_PAYOUT_APPROVAL_ABOVE', 'SIGNER_APPROVERS_FILE', 'CRASH_POINT'],
  ...['SIGNER_TREASURY_WALLETS', 'SIGNER_TRON_FORWARDERS', 'SIGNER_SPONSOR', 'SIGNER_SWEEP_FEES'],
  ...['SIGNER_HSM_KEYS', 'SIGNER_HSM_MODULE', 'SIGNER_HSM_LABEL', 'SIGNER_HSM_PIN_FILE'],
];

/** Endpoints and their budgets are passed on by pattern; only lib/networks/networks.ts knows the networks. */
export const ENDPOINTS = /^(?:LIVE|TEST)_[A-Z0-9]+_(?:URLS|BUDGETS)$/;

/** The settings of lib/platform/config/config.ts that the supervisor decides. */
export const DECIDED = [
  ...['DATABASE_URL', 'HOST', 'PORT', 'PUBLIC_URL', 'MASTER_KEYS', 'CRON_SECRET', 'STOP_WITH_PARENT'],
  ...[
    'SIGNER_SOCKET',
    'EVIDENCE_KEY',
    'WATCH_ONLY_SOLANA_KEYS_FILE',
    'SANDBOX_ORIGIN',
    'SANDBOX_FILE',
    'WORKER_DATABASE_URL',
    'SETUP_FILE',
  ],
];

/** The environment together with the checkout's `.env`. As in Next, the environment overrides `.env`. */
export function readEnvironment(root, environment = process.env) {
  const file = path.join(root, '.env');
  return { ...(fs.existsSync(file) ? parseEnv(fs.readFileSync(file, 'utf8')) : {}), ...environment };
}

/**
 * The supervisor's own settings. Throws a Refusal. `chosenPort` is used for PORT=0.
 * @param {Record<string, string | undefined>} environment
 */
export function readSettings(environment, root, chosenPort) {
  const asked = environment.PORT || '3000';
  if (!/^\d{1,5}$/.test(asked) || Number(asked) > 65535)
    throw new Refusal(`PORT must be a port number, not "${asked}".`);
  const port = Number(asked) || chosenPort;
  const sandbox = environment.SANDBOX || 'on';
  if (sandbox !== 'on' && sandbox !== 'off') throw new Refusal(`SANDBOX must be on or off, not "${sandbox}".`);
  const host = environment.HOST || '127.0.0.1';
  return {
    root,
    port,
    host,
    /** The address of the web process from this machine. */
    origin: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`,
    publicUrl: publicOrigin(environment.PUBLIC_URL || `http://127.0.0.1:${port}`),
    databaseUrl: environment.DATABASE_URL || null,
    sandbox: sandbox === 'on',
    /** Deposit addresses come from public keys, so a signer has nothing to do. */
    watchOnly: Boolean(
      environment.WATCH_ONLY_EVM_XPUB && environment.WATCH_ONLY_TRON_XPUB && environment.WATCH_ONLY_SOLANA_KEYS_FILE,
    ),
    dataDirectory: dataDirectoryOf(environment, root),
  };
}

/** The directory of all persistent data. */
export const dataDirectoryOf = (environment, root) =>
  environment.DATA_DIR ? path.resolve(environment.DATA_DIR) : path.join(root, '.data');

/** The rule of lib/platform/config/config.ts, applied before anything starts. */
function publicOrigin(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const local = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.origin === text && (url.protocol === 'https:' || local)) return text;
  throw new Refusal('PUBLIC_URL must be an https origin without a path or last slash, like https://pay.example.');
}

/**
 * The environments of the children. `setupFile`: where the web process may write the browser set-up; null once that is
 * over.
 * @param {{ settings: ReturnType<typeof readSettings>, secrets: Record<string, string>, environment: Record<string, string | undefined>, databaseUrls: { owner: string, web: string, worker: string }, setupFile?: string | null }} given
 */
export function environments({ settings, secrets, environment, databaseUrls, setupFile = null }) {
  const base = {
    ...pick(environment, SYSTEM),
    NODE_ENV: 'production',
    STOP_WITH_PARENT: 'on',
    // Caches of libraries stay in the data directory.
    XDG_CACHE_HOME: path.join(settings.dataDirectory, 'cache'),
    ...pick(environment, ['LOG_LEVEL']),
  };
  const own = { DATA_DIR: settings.dataDirectory, PUBLIC_URL: settings.publicUrl };
  const { MASTER_KEYS, KEYSTORE_PASSPHRASE, EVIDENCE_KEY } = secrets;

  /** `chains` is the sandbox's ready line, or null without a sandbox. */
  const service = (chains) => ({
    ...base,
    // In a sandbox a refund or payout of a few hundred demonstrates approval by two operators.
    ...(chains ? { LIMIT_LOOPBACK: 'off', REFUND_APPROVAL_ABOVE: '50000', PAYOUT_APPROVAL_ABOVE: '50000' } : {}),
    ...pick(environment, FORWARDED),
    ...pick(
      environment,
      Object.keys(environment).filter((name) => ENDPOINTS.test(name)),
    ),
    ...(chains ? { ...localChains(chains), TREASURY_WALLETS: withLocalTreasury(environment.TREASURY_WALLETS) } : {}),
    ...(chains ? withLocalCold(environment) : {}),
    // A developer watches, so sweeps, the use of a new payout address and new fees follow soon.
    ...(chains ? { SWEEP_DELAY_SECONDS: environment.SWEEP_DELAY_SECONDS || '5' } : {}),
    ...(chains ? { PAYOUT_ADDRESS_DELAY_SECONDS_TEST: environment.PAYOUT_ADDRESS_DELAY_SECONDS_TEST || '20' } : {}),
    ...(chains ? { PAYOUT_RATE_NOTICE_HOURS: environment.PAYOUT_RATE_NOTICE_HOURS || '0' } : {}),
    ...(chains ? { SANDBOX_FILE: path.join(settings.dataDirectory, 'sandbox.json') } : {}),
    ...{ PUBLIC_URL: settings.publicUrl, HOST: settings.host, PORT: String(settings.port), MASTER_KEYS },
    ...solanaKeys(environment),
    // Next reads unset variables from the checkout's .env, and the web process may not see these.
    ...{ KEYSTORE_PASSPHRASE: '', EVIDENCE_KEY: '', OWNER_DATABASE_PASSWORD: '', WORKER_DATABASE_PASSWORD: '' },
  });
  // With the secret of the cron path set, the web process runs the worker's steps and needs the worker's role.
  const { CRON_SECRET = '' } = environment;
  const ofWorker = pick(environment, WORKER_FORWARDED);
  const cron = {
    CRON_SECRET,
    WORKER_DATABASE_URL: CRON_SECRET === '' ? '' : databaseUrls.worker,
    // Next reads unset variables from the checkout's .env.
    ...(CRON_SECRET === '' ? Object.fromEntries(WORKER_FORWARDED.map((name) => [name, ''])) : ofWorker),
  };

  return {
    signer: {
      ...base,
      ...(settings.sandbox ? SANDBOX_PAYOUTS : {}),
      ...pick(environment, SIGNER_FORWARDED),
      ...{ KEYSTORE_FILE: 'keystore.json', SIGNER_SOCKET, KEYSTORE_PASSPHRASE, EVIDENCE_KEY },
      SIGNER_NETWORKS: signerNetworks(settings, environment),
      ...(settings.sandbox ? signerWallets(environment) : {}),
      PUBLIC_URL: settings.publicUrl,
    },
    sandbox: { ...base, ...own, ...(settings.watchOnly ? {} : { SIGNER_SOCKET }) },
    prepare: ({ networks }) => ({
      ...base,
      ...own,
      ...{ DATABASE_URL: databaseUrls.owner, MASTER_KEYS, SANDBOX_NETWORKS: JSON.stringify(networks) },
    }),
    web: (chains) => ({ ...service(chains), ...cron, DATABASE_URL: databaseUrls.web, SETUP_FILE: setupFile ?? '' }),
    worker: (chains) => ({
      ...service(chains),
      ...ofWorker,
      DATABASE_URL: databaseUrls.worker,
      SIGNER_SOCKET,
      EVIDENCE_KEY,
    }),
  };
}

/**
 * Signer and worker run in the data directory and use a relative socket path. A Unix socket path may have only a
 * hundred bytes, and the path of a data directory may be longer.
 */
const SIGNER_SOCKET = 'signer.sock';

/** The networks on which the signer may pay: the operator's, and in a sandbox the local chains. */
function signerNetworks({ sandbox }, { SIGNER_NETWORKS: given }) {
  const local = ['ethereum', 'bsc', 'tron', 'solana'].map((network) => `${network}@local`);
  const named = (given ?? '').split(',').filter((name) => name.trim() !== '');
  return [...named, ...(sandbox ? local : [])].join(',');
}

function solanaKeys({ WATCH_ONLY_SOLANA_KEYS_FILE: file }) {
  return file ? { WATCH_ONLY_SOLANA_KEYS_FILE: path.resolve(file) } : {};
}

const pick = (environment, names) =>
  Object.fromEntries(names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])));
