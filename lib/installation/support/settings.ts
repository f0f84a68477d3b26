// The settings that a support bundle shows. Every other one is shown as set or not set, so that a new setting is secret until it is listed
// here. Pure.

/** Names whose values are numbers, switches or names of ours. */
const SHOWN = new Set([
  ...[
    'NODE_ENV',
    'LOG_LEVEL',
    'HOST',
    'PORT',
    'SANDBOX',
    'DATABASE_POOL',
    'API_IN_FLIGHT',
    'DRAIN_SECONDS',
    'DIRECT_DOOR',
    'DIRECT_CLIENTS',
  ],
  ...['KEY_RATE', 'KEY_BURST', 'PAGE_RATE', 'PAGE_BURST', 'FAILURE_RATE', 'FAILURE_BURST', 'FINDER_LOOKUPS_PER_DAY'],
  ...['ADDRESS_POOL_SIZE', 'EXPIRY_HOLD_SECONDS', 'CLAIM_DAYS', 'EXCHANGE_LIST_DAYS', 'SWEEP_DELAY_SECONDS'],
  ...['REFUND_APPROVAL_ABOVE', 'PAYOUT_APPROVAL_ABOVE', 'REFUND_HOLD_SECONDS_LIVE', 'REFUND_HOLD_SECONDS_TEST'],
  ...['REFUND_CLAIM_DELAY_SECONDS_LIVE', 'REFUND_CLAIM_DELAY_SECONDS_TEST', 'PAYOUT_ADDRESS_DELAY_SECONDS_LIVE'],
  ...['PAYOUT_ADDRESS_DELAY_SECONDS_TEST', 'PAYOUT_RATE_NOTICE_HOURS', 'TEST_CHAINS', 'SIGNER_NETWORKS'],
  ...['AGREEMENT_ABOVE', 'AGREEMENT_ABOVE_PER_HOUR', 'AGREEMENT_ENDPOINTS', 'OFFER_TRON_USDC', 'WORKER_STEPS'],
  ...['RATE_MAX_AGE', 'RATE_DAILY_MAX_AGE', 'RATE_LEAST_SOURCES', 'RATE_AGREEMENT_PERCENT', 'RATE_PEG_PERCENT'],
]);
/** A value of another shape was put under a wrong name: it is not shown. */
const HARMLESS = /^[a-z0-9@.,:_% -]{0,120}$/i;
/** Two keys would fit into this many characters. */
const LONGEST_WORD = 24;
const ENDPOINTS = /^(?:LIVE|TEST)_[A-Z0-9]+_URLS$/;

/** By name. `own`: the names that belong to us; others of the environment are left out. */
export function shownSettings(
  environment: Readonly<Record<string, string | undefined>>,
  own: (name: string) => boolean,
): Readonly<Record<string, string>> {
  const names = Object.keys(environment).filter((name) => SHOWN.has(name) || ENDPOINTS.test(name) || own(name));
  return Object.fromEntries(names.toSorted().map((name) => [name, shownOf(name, environment[name] ?? '')]));
}

function shownOf(name: string, value: string): string {
  if (value === '') return 'not set';
  if (ENDPOINTS.test(name)) return `set: ${value.split(',').filter((one) => one.trim() !== '').length} endpoints`;
  const isShown =
    SHOWN.has(name) && HARMLESS.test(value) && value.split(/[,\s]+/).every(({ length }) => length <= LONGEST_WORD);
  return isShown ? value : 'set';
}
