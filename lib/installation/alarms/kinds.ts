// The kinds of alarms: severity, the delay before operators are notified, texts, and the console page that handles them. Pure.

export const SEVERITIES = ['critical', 'warning', 'notice'] as const;
export type Severity = (typeof SEVERITIES)[number];

type Kind = {
  /** `critical`: money, payments or a whole network are at stake. `notice`: work that waits for an operator. */
  readonly severity: Severity;
  /** An alarm that ends sooner is not mailed. */
  readonly afterSeconds: number;
  /** The catalogue's key of its title. The same key with `Text` explains it and says what to do. */
  readonly words: string;
  readonly path: string;
};

export const ALARM_KINDS = {
  signer_frozen: {
    severity: 'critical',
    afterSeconds: 0,
    words: 'operatorItemFrozen',
    path: '/operator#freeze',
  },
  signer_unreachable: {
    severity: 'critical',
    afterSeconds: 60,
    words: 'alarmSigner',
    path: '/operator#freeze',
  },
  journal_trouble: { severity: 'critical', afterSeconds: 0, words: 'alarmJournal', path: '/operator/health' },
  journal_low: { severity: 'warning', afterSeconds: 0, words: 'alarmJournalLow', path: '/operator/health' },
  // The worker fills a pool within seconds, also after a failover that dropped it.
  addresses_low: { severity: 'critical', afterSeconds: 120, words: 'alarmAddresses', path: '/operator/health' },
  differences: {
    severity: 'critical',
    afterSeconds: 0,
    words: 'operatorItemDiscrepancies',
    path: '/operator/wallets#differences',
  },
  network_down: { severity: 'critical', afterSeconds: 0, words: 'alarmNetworkDown', path: '/operator/health' },
  network_trouble: {
    severity: 'warning',
    afterSeconds: 120,
    words: 'operatorItemNetworks',
    path: '/operator/health',
  },
  fee_empty: { severity: 'critical', afterSeconds: 0, words: 'alarmFeeEmpty', path: '/operator/wallets' },
  fee_low: { severity: 'warning', afterSeconds: 0, words: 'alarmFeeLow', path: '/operator/wallets' },
  // `count` is how many whole tokens to send.
  wallet_low: { severity: 'warning', afterSeconds: 0, words: 'alarmWalletLow', path: '/operator/treasury' },
  // Of a treasury wallet or a sponsor. Its owner moves the money. An amount that moves around its mark is mailed once it stays.
  marks_low: { severity: 'warning', afterSeconds: 600, words: 'alarmMarksLow', path: '/operator/treasury' },
  marks_high: { severity: 'notice', afterSeconds: 600, words: 'alarmMarksHigh', path: '/operator/treasury' },
  foreign_code: { severity: 'critical', afterSeconds: 0, words: 'alarmForeignCode', path: '/operator/treasury' },
  sweep_coin_low: { severity: 'warning', afterSeconds: 0, words: 'alarmSweepCoin', path: '/operator/treasury' },
  // A fall of fees makes old addresses worth their sweep all at once. The worker needs some time for them.
  sweeps_late: { severity: 'warning', afterSeconds: 3600, words: 'alarmSweepsLate', path: '/operator/treasury' },
  sweeps_skipped: { severity: 'warning', afterSeconds: 0, words: 'alarmSweepsSkipped', path: '/operator/treasury' },
  wallet_blocked: { severity: 'critical', afterSeconds: 0, words: 'alarmWalletBlocked', path: '/operator/treasury' },
  wallet_permissions: {
    severity: 'critical',
    afterSeconds: 0,
    words: 'alarmWalletPermissions',
    path: '/operator/treasury',
  },
  screening_hit: { severity: 'critical', afterSeconds: 0, words: 'alarmScreeningHit', path: '/operator/screening' },
  // The worker takes the money out of the balance within seconds, if it is there.
  screening_short: {
    severity: 'critical',
    afterSeconds: 60,
    words: 'alarmScreeningShort',
    path: '/operator/screening#short',
  },
  screening_waiting: {
    severity: 'warning',
    afterSeconds: 0,
    words: 'alarmScreeningWaiting',
    path: '/operator/screening',
  },
  screening_list: { severity: 'warning', afterSeconds: 0, words: 'alarmScreeningList', path: '/operator/screening' },
  operator_reset: { severity: 'critical', afterSeconds: 0, words: 'alarmOperatorReset', path: '/operator' },
  security: { severity: 'warning', afterSeconds: 0, words: 'operatorItemSecurity', path: '/operator/security' },
  // `count` is how many seconds. Critical above half a minute.
  clock: { severity: 'warning', afterSeconds: 60, words: 'alarmClock', path: '/operator/health' },
  steps: { severity: 'warning', afterSeconds: 120, words: 'operatorItemSteps', path: '/operator/jobs' },
  quarantine: {
    severity: 'warning',
    afterSeconds: 0,
    words: 'operatorItemQuarantine',
    path: '/operator/jobs?show=quarantine',
  },
  mails: { severity: 'warning', afterSeconds: 0, words: 'operatorItemMails', path: '/operator/jobs?show=mails' },
  exchange_list: {
    severity: 'warning',
    afterSeconds: 0,
    words: 'operatorItemList',
    path: '/operator/refunds?hold=destination_needed',
  },
  refunds_held: { severity: 'warning', afterSeconds: 300, words: 'operatorItemHeld', path: '/operator/refunds' },
  approvals: {
    severity: 'notice',
    afterSeconds: 0,
    words: 'operatorItemApprovals',
    path: '/operator/refunds?hold=approval_needed',
  },
  stores_waiting: {
    severity: 'notice',
    afterSeconds: 0,
    words: 'operatorItemStores',
    path: '/operator/stores?status=pending',
  },
  stores_changed: {
    severity: 'notice',
    afterSeconds: 0,
    words: 'operatorItemChanged',
    path: '/operator/stores?status=changed',
  },
  exceptions: { severity: 'notice', afterSeconds: 0, words: 'operatorItemExceptions', path: '/operator/payments' },
  deliveries: {
    severity: 'notice',
    afterSeconds: 0,
    words: 'operatorItemDeliveries',
    path: '/operator/jobs?show=deliveries',
  },
} as const satisfies Record<string, Kind>;

export type AlarmKind = keyof typeof ALARM_KINDS;

/** A condition that holds now. */
export type Fact = {
  readonly kind: AlarmKind;
  readonly subject: string;
  readonly severity: Severity;
  readonly count: number;
  readonly newestAt: Date | null;
};

/** A later version, which ran on this database before, may have left alarms of other kinds. */
export const KNOWN_KINDS: readonly string[] = Object.keys(ALARM_KINDS);

/** Test money never causes the highest severity, so that it wakes no operator at night. */
export const severityOf = (kind: AlarmKind, environment: 'live' | 'test'): Severity => {
  const { severity } = ALARM_KINDS[kind];
  if (environment === 'live') return severity;
  return severity === 'critical' ? 'warning' : 'notice';
};
