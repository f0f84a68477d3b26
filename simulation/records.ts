// What the people of a history did and know, beside the database: the checks compare the product with it. Times are
// milliseconds since 1970 by the history's clock.

import type { TestStore } from '@/testing/fixtures';
import type { Addresses } from './parties';
import type { SimulatedReceiver } from './receivers';
import type { SimulatedStore, Terms } from './world';

/**
 * A webhook secret of a store. `until`: when deliveries need not verify with it any more; null while it is the present one.
 * `removedAt`: when it ended at once, with its endpoint.
 */
export type Secret = { readonly text: string; readonly from: number; until: number | null; removedAt?: number };

/** The secrets that a call must verify with, and those of which one must verify at least. */
export type ExpectedSecrets = { readonly must: readonly string[]; readonly may: readonly string[] };

/** What a call that arrives now must verify with. A change of this very moment may have come while the call was on its way. */
export function expectedSecrets(secrets: readonly Secret[], now: number): ExpectedSecrets {
  const usable = secrets.filter(({ until }) => until === null || until > now);
  const ending = secrets.filter(({ removedAt }) => removedAt === now);
  return {
    must: usable.filter(({ from }) => from !== now).map(({ text }) => text),
    may: [...usable, ...ending].map(({ text }) => text),
  };
}

/** From now on nothing is signed with these secrets. */
export function removeSecrets(secrets: readonly Secret[], now: number): void {
  for (const secret of secrets) {
    if (secret.until === null || secret.until > now) secret.removedAt = now;
    // Also when the clock goes back.
    secret.until = Number.NEGATIVE_INFINITY;
  }
}

type Credentials = Pick<TestStore, 'apiKey' | 'apiSecret'>;
/** A key that a store used before. `validUntil`: when it stops working; a revoked one does at once. */
export type FormerKey = Credentials & { readonly validUntil: number };
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

/** A program that reads a store's events page by page, and the ids that it has read. */
export type EventReader = { cursor: string | null; readonly read: string[] };

/** A payment that a customer sent and may still replace. */
export type SentPayment = {
  readonly network: string;
  readonly hash: string;
  readonly payer: Addresses;
  readonly terms: Terms;
};

export type Records = {
  readonly keyUses: KeyUse[];
  readonly creates: KeyedCreate[];
  readonly links: SimulatedLink[];
  readonly sent: SentPayment[];
  /** Addresses that customers named: by the id of a refund for its claim link, by session and network for a page. */
  readonly named: Map<string, Set<string>>;
  /** Refunds that two operators have approved. */
  readonly approved: Set<string>;
  /** Payments that somebody else than their payer ordered. */
  readonly relayed: Set<string>;
  /** Recipients that a token's issuer has blocked at any time: network, token and address. */
  readonly blocked: Set<string>;
  /** Requests for a freeze that the product took. */
  freezes: number;
};

export const emptyRecords = (): Records => ({
  ...{ keyUses: [], creates: [], links: [], sent: [], freezes: 0 },
  ...{ named: new Map(), approved: new Set(), relayed: new Set(), blocked: new Set() },
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
};

export const settingsOf = (stores: readonly SimulatedStore[]): readonly StoreSettings[] =>
  stores.map(({ storeId, keyId, apiKey, apiSecret, secrets, formerKeys, ...rest }) => ({
    ...{ storeId, key: { storeId, keyId, apiKey, apiSecret }, formerKeys: [...formerKeys] },
    ...{ usdCurrencies: rest.usdCurrencies, acceptsOtherToken: rest.acceptsOtherToken },
    ...{ receiver: rest.receiver, dayLimit: rest.dayLimit, secrets: secrets.map((one) => ({ ...one })) },
  }));

/** Puts the settings of a backup back. Secrets that the restored database lacks sign no more from now on. */
export function restoreSettings(stores: readonly SimulatedStore[], kept: readonly StoreSettings[], now: number): void {
  for (const { storeId, key, formerKeys, secrets, ...settings } of kept) {
    const store = stores.find((one) => one.storeId === storeId);
    if (!store) continue;
    Object.assign(store, { ...settings, ...key });
    store.formerKeys.splice(0, store.formerKeys.length, ...formerKeys);
    removeSecrets(store.secrets, now);
    store.secrets.push(...secrets.map((one) => ({ ...one, from: now })));
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
