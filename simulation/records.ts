// What the people of a history did and know, beside the database: the checks compare the product with it. Times are
// milliseconds since 1970 by the history's clock.

import type { TestStore } from '@/testing/fixtures';
import type { Addresses } from './parties';
import type { SimulatedReceiver } from './receivers';
import { emptyReturns, type ReturnRecords } from './returns/records';
import { emptyPayoutRecords, type PayoutRecords } from './payouts/records';
import { emptyStops, type StopRecords } from './stops/records';
import { restoreSecrets, type Secret } from './secrets';
import type { FormerKey, SimulatedStore, Terms } from './stores';

/** A request with a former key, and its answer's status. */
type KeyUse = {
  readonly store: string;
  readonly at: number;
  readonly validUntil: number;
  readonly status: number;
};

/** A create request with an Idempotency-Key, and its first answer. */
type KeyedCreate = {
  readonly store: SimulatedStore;
  readonly key: string;
  readonly body: object;
  readonly answer: string;
  readonly session: Terms;
};

export type SimulatedLink = {
  readonly id: string;
  readonly store: SimulatedStore;
  readonly cents: bigint;
  readonly mostPaid: number | null;
};

/** A payment that a customer sent and may still replace. */
export type SentPayment = {
  readonly network: string;
  readonly hash: string;
  readonly payer: Addresses;
  readonly terms: Terms;
};

/** What the operator or a thief sent from deposit addresses, by one transaction. */
type SentOutflow = {
  readonly network: string;
  readonly hash: string;
  readonly moved: readonly { readonly address: string; readonly token: string; readonly amount: bigint }[];
};

export type Records = {
  readonly outflows: SentOutflow[];
  readonly keyUses: KeyUse[];
  readonly creates: KeyedCreate[];
  /** The last Idempotency-Key of each store, by its number. */
  readonly keys: Map<string, number>;
  readonly links: SimulatedLink[];
  readonly sent: SentPayment[];
  /** Base units of extreme payments, by network and token. */
  readonly minted: Map<string, bigint>;
  /** Addresses that customers named: by the id of a refund for its claim link, by session and network for a page. */
  readonly named: Map<string, Set<string>>;
  readonly payouts: PayoutRecords;
  readonly stops: StopRecords;
  readonly returns: ReturnRecords;
  /** Refunds and payouts that two operators have ended as failed. */
  readonly ended: Set<string>;
  /** Transactions that a thief sent from deposit addresses. */
  readonly thefts: Set<string>;
  /** Refunds that two operators have approved. */
  readonly approved: Set<string>;
  /** Payments that somebody else than their payer ordered. */
  readonly relayed: Set<string>;
  /** Recipients that a token's issuer has blocked at any time: network, token and address. */
  readonly blocked: Set<string>;
  /** How many refunds each store's program has asked for. It never uses a number again, also when the database has forgotten it. */
  readonly refundNumbers: Map<string, number>;
  /** Refunds for which somebody wanted another address than that of the payer. */
  readonly addressWanted: Set<string>;
  /** The refunds and payouts that were drafted before the last freeze; null before the first one. */
  freezing: ReadonlySet<string> | null;
  /** When a worker looked for sessions that are over. */
  readonly watches: number[];
  /** Sessions that closed because a network was unread for as long as the settings let them wait. */
  readonly unread: Set<string>;
  /** How many of the signer's sweeps the checks have judged. */
  judgedSweeps: number;
  /** How many of the signer's calls for cold transfers the checks have judged. */
  judgedColdCalls: number;
  /** Requests for a freeze that the product took. */
  freezes: number;
  /** Payments of a former version whose proof could not be made again yet. */
  hasUnproven: boolean;
  /** When refunds last asked for an address while payments had no proof. The worker judges them again within six hours. */
  readonly judgedUnproven: Map<string, number>;
  /** The clock was set back, so times in the database do not tell what was first. */
  hasClockGoneBack: boolean;
};

export const emptyRecords = (): Records => ({
  ...{ outflows: [], keyUses: [], creates: [], links: [], sent: [], watches: [] },
  ...{ judgedSweeps: 0, judgedColdCalls: 0, freezes: 0, freezing: null, hasUnproven: false, hasClockGoneBack: false },
  ...{
    payouts: emptyPayoutRecords(),
    stops: emptyStops(),
    returns: emptyReturns(),
    ended: new Set(),
    thefts: new Set(),
  },
  ...{ keys: new Map(), named: new Map(), minted: new Map(), refundNumbers: new Map() },
  ...{ unread: new Set(), approved: new Set(), relayed: new Set(), blocked: new Set(), addressWanted: new Set() },
  judgedUnproven: new Map(),
});

/** The settings of a store that a backup of the database contains. */
export type StoreSettings = {
  readonly storeId: string;
  readonly key: TestStore;
  readonly formerKeys: readonly FormerKey[];
  readonly usdCurrencies: readonly string[];
  readonly acceptsOtherToken: boolean;
  readonly receiver: SimulatedReceiver;
  readonly secrets: readonly Secret[];
  readonly dayLimit: bigint | null;
  readonly refundDayLimit: bigint;
};

export const settingsOf = (stores: readonly SimulatedStore[]): readonly StoreSettings[] =>
  stores.map(({ storeId, keyId, apiKey, apiSecret, secrets, formerKeys, ...rest }) => ({
    ...{ storeId, key: { storeId, keyId, apiKey, apiSecret }, formerKeys: [...formerKeys] },
    ...{ usdCurrencies: rest.usdCurrencies, acceptsOtherToken: rest.acceptsOtherToken },
    ...{
      receiver: rest.receiver,
      dayLimit: rest.dayLimit,
      refundDayLimit: rest.refundDayLimit,
      secrets: secrets.map((one) => ({ ...one })),
    },
  }));

/** Puts the settings of a backup back. */
export function restoreSettings(stores: readonly SimulatedStore[], kept: readonly StoreSettings[], now: number): void {
  for (const { storeId, key, formerKeys, secrets, ...settings } of kept) {
    const store = stores.find((one) => one.storeId === storeId);
    if (!store) continue;
    Object.assign(store, { ...settings, ...key });
    store.formerKeys.splice(0, store.formerKeys.length, ...formerKeys);
    restoreSecrets(store.secrets, secrets, now);
  }
}

/** The addresses that customers named for a refund: by its own link, and on the page of its session. */
export const namedFor = (
  { named }: Records,
  refund: {
    readonly id: string;
    readonly session_id: string;
    readonly network: string;
    readonly case_id: string | null;
  },
): { readonly byLink: ReadonlySet<string>; readonly onPage: ReadonlySet<string> } => ({
  byLink: named.get(refund.id) ?? new Set(),
  // A page is about the whole session, never about another sender's payment.
  onPage: (refund.case_id === null ? named.get(pageOf(refund.session_id, refund.network)) : undefined) ?? new Set(),
});

export const pageOf = (sessionId: string, network: string): string => `${sessionId} ${network}`;

export function name(records: Records, key: string, address: string): void {
  records.named.set(key, (records.named.get(key) ?? new Set()).add(address));
}

/** Stores count their own refunds, so that two of them use the same ids. */
export function nextRefundId({ refundNumbers }: Records, { storeId }: Pick<SimulatedStore, 'storeId'>): string {
  const number = (refundNumbers.get(storeId) ?? 0) + 1;
  refundNumbers.set(storeId, number);
  return `refund-${number}`;
}
