// The settings of a process, read from its environment once and validated as a whole. No other file reads the environment. An
// unusable environment is refused here, with one sentence per fault and without repeating any value.

import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { ENERGY_MARKET_SETTINGS } from './energy-market';
import { evidenceKeys, masterKeys } from './key-rings';
import { PROCESS_SETTINGS, readConnecting, type Connecting } from './processes';
import { RATE_SETTINGS } from './rates';
import { RETENTION_SETTINGS } from './retention';
import { readSecretFiles } from './secret-files.mjs';
import { count, countryRules, flag, isSafe, list, origin } from './setting-kinds';

/** Names the environment and network of a list of endpoints. The networks table says which networks exist. */
const ENDPOINTS_OF = /^(LIVE|TEST)_([A-Z0-9]+)_URLS$/;
/** Likewise the request budgets of those endpoints. lib/networks/endpoints/request-limits parses them. */
const BUDGETS_OF = /^(LIVE|TEST)_([A-Z0-9]+)_BUDGETS$/;

/** Checks the grammar only. Depth, checksum and point are checked when the key is opened. */
const accountXpub = z.string().regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/, 'must be a public extended key (xpub…)');
const WATCH_ONLY = ['WATCH_ONLY_EVM_XPUB', 'WATCH_ONLY_TRON_XPUB', 'WATCH_ONLY_SOLANA_KEYS_FILE'] as const;

/** Settings of which none works without the others. */
const TOGETHER: readonly (readonly string[])[] = [
  ['ALARM_WEBHOOK_URL', 'ALARM_WEBHOOK_SECRET'],
  ['SCREENING_HOOK_URL', 'SCREENING_HOOK_SECRET'],
  ['ENERGY_MARKET', 'ENERGY_MARKET_KEY', 'ENERGY_MARKET_SECRET'],
];

const databaseUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address');

const settings = z.object({
  DATABASE_URL: databaseUrl,
  /** The worker's database, for a web process whose /api/cron runs the worker's steps. */
  WORKER_DATABASE_URL: databaseUrl.optional(),
  DATABASE_POOL: count(10, 3, 200),
  ...PROCESS_SETTINGS,
  /** API requests that a web process serves at once. It answers further requests with 503. */
  API_IN_FLIGHT: count(500, 10, 100_000),
  HOST: z.string().default('127.0.0.1'),
  PORT: count(3000, 0, 65535),
  PUBLIC_URL: origin.default('http://127.0.0.1:3000'),
  MASTER_KEYS: masterKeys,
  CRON_SECRET: z.string().min(16, 'needs at least 16 characters').optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  DIRECT_DOOR: flag('on'),
  TRUSTED_PROXIES: list.refine(
    (ranges) => ranges.every((range) => ipaddr.isValidCIDR(range) && !range.endsWith('/0')),
    'must be CIDR ranges like 10.0.0.0/8, and not the whole internet',
  ),
  DIRECT_CLIENTS: flag('off'), // Clients connect without a proxy in front of this process.
  STOP_WITH_PARENT: flag('off'),

  KEY_RATE: count(100, 1, 1_000_000),
  KEY_BURST: count(200, 1, 1_000_000),
  PAGE_RATE: count(30, 1, 1_000_000),
  PAGE_BURST: count(120, 1, 1_000_000),
  /** Failed sign-ins of one address: a second, and at once. */
  FAILURE_RATE: count(5, 1, 1_000_000),
  FAILURE_BURST: count(100, 1, 1_000_000),
  LIMIT_LOOPBACK: flag('on'),
  /** Look-ups of the payment finder per network and UTC day: for customers, and as many again for merchants. */
  FINDER_LOOKUPS_PER_DAY: count(2000, 0, 10_000_000),
  SIGNER_SOCKET: z.string().optional(),
  /** Used instead of a signer: account public keys and a list of Solana public keys. All three or none. */
  WATCH_ONLY_EVM_XPUB: accountXpub.optional(),
  WATCH_ONLY_TRON_XPUB: accountXpub.optional(),
  WATCH_ONLY_SOLANA_KEYS_FILE: z.string().optional(),
  /** Keys with which the worker attests what it observed on a chain (lib/signer/attestations). The web process has none. */
  EVIDENCE_KEY: evidenceKeys.optional(),
  TREASURY_WALLETS: list, // lib/networks/treasury-wallets
  TRON_FORWARDERS: list, // lib/networks/families/tron/sweeping/factories
  DIRECT_SETTLEMENT: flag('off'), // lib/networks/direct-settlement
  COLD_WALLETS: list, // lib/networks/wallet-levels
  REFUND_WALLET_LEVELS: list, // lib/networks/wallet-levels
  TREASURY_LEVELS: list, // lib/networks/wallet-marks
  SPONSOR_LEVELS: list, // lib/networks/wallet-marks
  ADDRESS_POOL_SIZE: count(1000, 10, 1_000_000),
  EXPIRY_HOLD_SECONDS: count(3600, 0, 86_400),
  SWEEP_DELAY_SECONDS: count(3600, 0, 2_592_000),
  SWEEP_AUTHORIZATIONS_DIR: z.string().optional(), // lib/sweeps/evm/presigned
  ...ENERGY_MARKET_SETTINGS,
  /** How long a refund waits before it is signed. It can be canceled meanwhile. */
  REFUND_HOLD_SECONDS_LIVE: count(60, 0, 86_400),
  REFUND_HOLD_SECONDS_TEST: count(5, 0, 86_400),
  /** How long a refund to an address from a customer waits after the merchant was notified of the address. */
  REFUND_CLAIM_DELAY_SECONDS_LIVE: count(600, 0, 604_800),
  REFUND_CLAIM_DELAY_SECONDS_TEST: count(0, 0, 604_800),
  /** How long a new payout address waits after the worker mailed the store's owners. Any owner can stop it meanwhile. */
  PAYOUT_ADDRESS_DELAY_SECONDS_LIVE: count(86_400, 3600, 2_592_000),
  PAYOUT_ADDRESS_DELAY_SECONDS_TEST: count(86_400, 0, 2_592_000),
  /** How long before higher payout fees start an operator has to set them, so that stores read the mail first (lib/payouts/rates/set). */
  PAYOUT_RATE_NOTICE_HOURS: count(24, 0, 720),
  /** Who pays the network cost of live refunds, and of refunds in the test environment. */
  REFUND_COSTS: z.enum(['store', 'operator']).default('store'),
  REFUND_COSTS_TEST: z.enum(['store', 'operator']).default('operator'),
  /** Where this process ends itself in crash tests (lib/platform/crash-point). Only with local chains. */
  CRASH_POINT: z.string().optional(),
  WEBHOOKS_TO_LOOPBACK: flag('off'),
  /** Days for which a claim link is valid. */
  CLAIM_DAYS: count(30, 1, 365),
  /** Days for which the list of exchange wallets counts as current, from its own date. Exchanges replace wallets over years. */
  EXCHANGE_LIST_DAYS: count(180, 1, 3650),
  /** Days after which the last proven restore of a backup counts as too old. */
  RESTORE_PROOF_DAYS: count(35, 1, 3650),
  ...RETENTION_SETTINGS,
  /** Tokens that customers of a country may be offered, in every store. Stores can only be stricter. */
  COUNTRY_RULES: countryRules,
  /** Screening of addresses before money moves (lib/screening). Without a source nothing is screened. */
  SCREENED_ROLES: list
    .refine((roles) => roles.every((role) => role === 'sender' || role === 'payee'), 'must be of sender and payee')
    .prefault('sender payee'),
  /** The Ed25519 public key of the operator's sanctions list: base64 of 32 bytes. */
  SCREENING_LIST_KEY: z
    .base64()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'needs base64 of a 32-byte Ed25519 public key')
    .optional(),
  /** What a list older than seven days answers: `use` as before, `wait` unknown. */
  SCREENING_STALE_LIST: z.enum(['use', 'wait']).default('use'),
  SCREENING_ORACLE: flag('off'), // The Chainalysis oracle on EVM networks.
  /** A contract with the same interface on the local chains. */
  SCREENING_ORACLE_LOCAL: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be the address of a contract')
    .optional(),
  /** The operator's endpoint for screening, and the secret that signs its requests. Both or none. */
  SCREENING_HOOK_URL: z.string().refine(isSafe, 'must be an https:// address').optional(),
  SCREENING_HOOK_SECRET: z.string().min(16, 'needs at least 16 characters').optional(),
  /** Cents above which a refund needs the approval of two operators. */
  REFUND_APPROVAL_ABOVE: count(500_000, 0, Number.MAX_SAFE_INTEGER),
  /** The same for a payout. */
  PAYOUT_APPROVAL_ABOVE: count(500_000, 0, Number.MAX_SAFE_INTEGER),

  /** Which chains the test environment follows: the public test networks, or the sandbox's own local chains. */
  TEST_CHAINS: z.enum(['public', 'local']).default('public'),
  /** TronGrid keys, sent as a header. Keys of other providers are part of their addresses. */
  LIVE_TRON_API_KEY: z.string().optional(),
  TEST_TRON_API_KEY: z.string().optional(),
  /** Whether to offer USDC on TRON although its issuer ended it. Deposits are watched either way. */
  OFFER_TRON_USDC: flag('off'),
  /**
   * Amounts from which a payment is credited only when several endpoints report the same: cents to one session, and cents on
   * one network within an hour. The third is the number of endpoints. A lying endpoint can forge no more than these amounts.
   */
  AGREEMENT_ABOVE: count(100_000, 0, Number.MAX_SAFE_INTEGER),
  AGREEMENT_ABOVE_PER_HOUR: count(1_000_000, 0, Number.MAX_SAFE_INTEGER),
  AGREEMENT_ENDPOINTS: count(2, 1, 5),

  ...RATE_SETTINGS,
  /** Bearer secret of /metrics. Without it the path answers 404 and says why. */
  METRICS_TOKEN: z.string().min(16, 'needs at least 16 characters').optional(),
  /** Where the worker serves its own metrics, with the same secret. Without a port it serves none. */
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** The collector that gets traces by OTLP over HTTP. Without it no traces are made (lib/platform/tracing). */
  TRACES_URL: origin.optional(),
  /** Where researchers report vulnerabilities, for /.well-known/security.txt. Without it the path answers 404. */
  SECURITY_CONTACT: z
    .string()
    .regex(/^(?:https:\/\/|mailto:|tel:)[\x21-\x7e]{1,200}$/, 'must be a mailto:, tel: or https:// address')
    .optional(),
  SANDBOX_ORIGIN: origin.optional(),
  SANDBOX_FILE: z.string().optional(),
  /** Where the set-up in the browser writes settings. Only `npm start` sets it, while the set-up is open. */
  SETUP_FILE: z.string().optional(),
  /** The SMTP server that sends mails, with name and password. Without it mails stay in the database. */
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'must be an smtp:// or smtps:// address')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{1,200}$/, 'must be one line')
    .optional(),
  /** Where the worker posts alarms in addition to mails, and the secret that signs them. Both or none. */
  ALARM_WEBHOOK_URL: z.string().refine(isSafe, 'must be an https:// address').optional(),
  ALARM_WEBHOOK_SECRET: z.string().min(16, 'needs at least 16 characters').optional(),
});

export type Config = z.output<typeof settings> & {
  /** Endpoints by the name of their setting, such as `LIVE_ETHEREUM_URLS`. Only settings with at least one. */
  readonly endpoints: ReadonlyMap<EndpointSetting, readonly string[]>;
  /** Entries of settings such as `LIVE_ETHEREUM_BUDGETS`, in the order of the endpoints. */
  readonly budgets: ReadonlyMap<BudgetSetting, readonly string[]>;
};

export type EndpointSetting = `${'LIVE' | 'TEST'}_${Uppercase<string>}_URLS`;
export type BudgetSetting = `${'LIVE' | 'TEST'}_${Uppercase<string>}_BUDGETS`;

/** Validates an environment. Throws an Error that lists every faulty setting and repeats no value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const read = settings.safeParse(given);
  const faults = read.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  const missing = WATCH_ONLY.filter((name) => given[name] === undefined);
  if (missing.length > 0 && missing.length < WATCH_ONLY.length) {
    faults.push(`${missing.join(', ')}: a watch-only wallet needs all of ${WATCH_ONLY.join(', ')}`);
  }
  for (const names of TOGETHER) {
    const set = names.filter((name) => given[name] !== undefined).length;
    if (set > 0 && set < names.length)
      faults.push(`${names.join(', ')}: set ${names.length === 2 ? 'both' : 'all'} or none`);
  }
  if (read.success && faults.length === 0) {
    const endpoints = listsOf<EndpointSetting>(given, ENDPOINTS_OF);
    return { ...read.data, endpoints, budgets: listsOf<BudgetSetting>(given, BUDGETS_OF) };
  }
  throw new Error(`These settings cannot be used (see .env.example):\n  ${faults.join('\n  ')}`);
}

/** The settings whose names match, each as the list of its entries. Omits empty ones. */
function listsOf<S extends string>(
  given: Record<string, string | undefined>,
  names: RegExp,
): ReadonlyMap<S, readonly string[]> {
  const named = Object.entries(given).flatMap(([name, text]): [S, string[]][] =>
    names.test(name) ? [[name as S, list.parse(text)]] : [],
  );
  return new Map(named.filter(([, entries]) => entries.length > 0));
}

let loaded: Config | undefined;
/** The settings of this process. */
export function config(): Config {
  return (loaded ??= readConfig(readSecretFiles(process.env)));
}

/** How this process connects to the database, for commands that read no other settings. */
export const connectingOfProcess = (): Connecting => readConnecting(process.env);
