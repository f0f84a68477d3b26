// Requests a payout of a store's balance. The amount and its costs are reserved in the transaction that requests it, so that no refund and no
// other payout can take them too.

import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import { reservePayout } from '@/lib/ledger/post-payout';
import { centsToBaseUnits, divideUp } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import { sameBytes, sha256 } from '@/lib/platform/crypto';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { noteChange } from '@/lib/platform/database/changes';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { canonicalJson } from '@/lib/platform/json/json-text';
import type { StoreStatus } from '@/prisma/generated/enums';
import { keptOf, type Kept } from './hold';
import { payoutIntentOf } from './intent';
import { LEAST_PAYOUT_CENTS } from './payout';
import { costsOf, type Costs, type PayoutRate } from './rates/rate';
import { priced, rateOfStore, versionOf, type RateColumn } from './rates/read';

/** Each costs the operator a fee. */
const MAX_PER_DAY = 50;
const DAY_MILLISECONDS = 86_400_000;
/** The names of payouts that were recovered from the signer's journal, and of those that a schedule requests. */
export const RESERVED_NAME = /^(?:recovered|scheduled)_/;

/** The store whose payout it is, and how to record who acted. `begin` runs first, and throws when the requester may not act. */
export type PayoutMaker = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly begin?: (tx: Tx) => Promise<void>;
  readonly record: (tx: Tx, payoutId: string) => Promise<void>;
};

/** `payoutId`: the requester's name for it, at most 128 characters. `amount` in cents. */
export type PayoutRequest = {
  readonly payoutId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly description: string | null;
};

/**
 * `unknown_asset`: the network does not exist here, or has no such token. `too_small`: below LEAST_PAYOUT_CENTS. `no_address`: the store
 * has no payout address on the network. `direct`: money goes straight to the merchant's own wallet (DIRECT_SETTLEMENT). `too_many`: fifty
 * were requested within a day; `retryAfter` seconds later that is no longer so. `conflict`: another request had this name. `costs`: it
 * costs more than the requester agreed to. `balance`: the store lacks `missing` cents of the amount and its `costs`,
 * because `reserve` and `pending` cents of its balance are not paid out (hold.ts).
 */
export type PayoutRefusal =
  | { readonly code: 'unknown_asset' | 'too_small' | 'no_address' | 'direct' | 'conflict' }
  | { readonly code: 'too_many'; readonly retryAfter: number }
  | { readonly code: 'costs'; readonly costs: Costs }
  | {
      readonly code: 'balance';
      readonly missing: bigint;
      readonly costs: Costs;
      readonly reserve: bigint;
      readonly pending: bigint;
    };

export type RequestedPayout = { readonly id: string } | { readonly refused: PayoutRefusal };

/**
 * Requests the payout, or returns the one that the same request made before. Nothing is stored when it is refused. Throws STORE_NOT_FOUND and
 * store_not_active. `mostCosts`: cents that the requester agrees to pay beside the amount; null for any.
 */
export async function requestPayout(
  context: Context,
  maker: PayoutMaker,
  request: PayoutRequest,
  mostCosts: bigint | null = null,
): Promise<RequestedPayout> {
  if (RESERVED_NAME.test(request.payoutId)) return { refused: { code: 'conflict' } };
  try {
    return { id: await transaction(context.pool, (tx) => requestPayoutIn(tx, context, maker, request, { mostCosts })) };
  } catch (error) {
    if (error instanceof RefusedPayout) return { refused: error.refusal };
    throw error;
  }
}

type Agreed = {
  readonly mostCosts?: bigint | null;
  /** The rate that the caller computed the amount by, under the lock of the store; without it the rate now. */
  readonly rate?: PayoutRate | null;
};

/** The same in the caller's transaction, for any name. Throws RefusedPayout too, and has then written nothing unless it is for the balance. */
export async function requestPayoutIn(
  tx: Tx,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  maker: PayoutMaker,
  request: PayoutRequest,
  { mostCosts = null, rate }: Agreed = {},
): Promise<string> {
  const token = networkSpec(maker.environment, request.network, config.TEST_CHAINS)?.tokens[request.currency];
  if (!token) throw new RefusedPayout({ code: 'unknown_asset' });
  if (config.DIRECT_SETTLEMENT) throw new RefusedPayout({ code: 'direct' });
  if (request.amount < LEAST_PAYOUT_CENTS) throw new RefusedPayout({ code: 'too_small' });
  return requestIn(tx, { config, maker, request, mostCosts, rate, decimals: token.decimals, now: clock.now() });
}

/** Why a payout was not requested. `requestPayout` rolls its transaction back. */
export class RefusedPayout extends Error {
  constructor(readonly refusal: PayoutRefusal) {
    super(refusal.code);
  }
}

type Given = {
  readonly config: Config;
  readonly maker: PayoutMaker;
  readonly request: PayoutRequest;
  readonly mostCosts: bigint | null;
  readonly rate: PayoutRate | null | undefined;
  readonly decimals: number;
  readonly now: Date;
};

async function requestIn(tx: Tx, given: Given): Promise<string> {
  const { maker, request, mostCosts, decimals, now } = given;
  const { storeId, environment } = maker;
  const { payoutId, amount, currency, network } = request;
  const id = payoutIntentOf({ storeId, environment, payoutId });
  const hash = sha256(canonicalJson({ ...request, amount: String(amount) }));
  await maker.begin?.(tx);
  const store = await lockStore(tx, given, id);
  if (store.request_hash) {
    if (sameBytes(store.request_hash, hash) || (await adoptRecovered(tx, request, { id, hash }))) return id;
    throw new RefusedPayout({ code: 'conflict' });
  }
  if (!isStoreOpen(store.status, environment)) throw new ServiceError('store_not_active');
  if (!store.has_address) throw new RefusedPayout({ code: 'no_address' });
  if (store.fiftieth) {
    const retryAfter = Math.ceil((store.fiftieth.getTime() + DAY_MILLISECONDS - now.getTime()) / 1000);
    throw new RefusedPayout({ code: 'too_many', retryAfter });
  }
  const rate =
    given.rate === undefined ? await priced(tx, versionOf(store.rate), { environment, at: now }) : given.rate;
  const costs = costsOf(rate, request);
  if (mostCosts !== null && costs.fee + costs.networkCost > mostCosts)
    throw new RefusedPayout({ code: 'costs', costs });
  await insert(tx, given, { id, hash, rate, costs });
  const units = (cents: bigint): bigint => centsToBaseUnits(cents, decimals);
  const asset = { network, currency };
  const hold = { storeId, environment, hours: store.hold_hours, now };
  let kept: Kept = { pending: 0n, reserve: 0n };
  const lacking = await reservePayout(
    tx,
    {
      ...{ intentId: id, storeId, environment, paid: { ...asset, amount: units(amount) } },
      costs: { fee: units(costs.fee), networkCost: units(costs.networkCost) },
    },
    async () => {
      kept = await keptOf(tx, given.config, hold, { ...asset, decimals });
      return kept.pending + kept.reserve;
    },
  );
  if (lacking > 0n) {
    const cents = (baseUnits: bigint): bigint => divideUp(baseUnits, 10n ** BigInt(decimals - 2));
    const { reserve, pending } = kept;
    throw new RefusedPayout({
      ...{ code: 'balance', missing: cents(lacking), costs, reserve: cents(reserve), pending: cents(pending) },
    });
  }
  await maker.record(tx, payoutId);
  return id;
}

type Locked = {
  status: StoreStatus;
  has_address: boolean;
  /** When the fiftieth newest payout of a day was requested. */
  fiftieth: Date | null;
  request_hash: Buffer | null;
  rate: RateColumn;
  hold_hours: number;
};

/** The lock serializes the requests of a store: the second statement sees what the others have stored. */
async function lockStore(tx: Tx, { maker, request, now }: Given, id: string): Promise<Locked> {
  await tx.query({
    name: 'payout-lock-store',
    text: 'SELECT 1 FROM stores WHERE id = $1 FOR NO KEY UPDATE',
    values: [maker.storeId],
  });
  const { rows } = await tx.query<Locked>({
    name: 'payout-store',
    text: `SELECT status, payout_hold_hours AS hold_hours, (SELECT request_hash FROM payouts WHERE id = $4) AS request_hash,
             EXISTS (SELECT FROM payout_addresses WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3
               AND stopped_at IS NULL) AS has_address,
             (SELECT created_at FROM payouts WHERE store_id = $1 AND environment = $2::"Environment"
               AND created_at > $5::timestamptz - interval '1 day' ORDER BY created_at DESC OFFSET ${MAX_PER_DAY - 1} LIMIT 1) AS fiftieth,
             ${rateOfStore('$1', '$5::timestamptz')} AS rate
           FROM stores
           WHERE id = $1`,
    values: [maker.storeId, maker.environment, request.network, id, now],
  });
  const [store] = rows;
  if (!store) throw new ServiceError('STORE_NOT_FOUND');
  return store;
}

async function insert(
  tx: Tx,
  { maker: { storeId, environment }, request, now }: Given,
  { id, hash, rate, costs }: { id: string; hash: Buffer; rate: PayoutRate | null; costs: Costs },
): Promise<void> {
  const { payoutId, amount, currency, network, description } = request;
  await tx.query({
    name: 'payout-insert',
    text: `WITH made AS (
             INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, description, request_hash, created_at,
               fee, network_cost, rate_id)
             VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id, status)
           INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'create', status, $10 FROM made`,
    values: [
      ...[id, storeId, environment, payoutId, amount, currency, network, description, hash, now],
      ...[costs.fee, costs.networkCost, rate?.id ?? null],
    ],
  });
  noteChange(tx, { of: 'payout', to: 'pending', store: storeId, payout: id, payout_id: payoutId });
}

/** Gives a payout that was recovered from the signer's journal the name and text of the request. False when it is another payout. */
async function adoptRecovered(
  tx: Tx,
  { payoutId, amount, currency, network, description }: PayoutRequest,
  { id, hash }: { readonly id: string; readonly hash: Buffer },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'payout-adopt-recovered',
    text: `UPDATE payouts SET payout_id = $2, description = $3, request_hash = $4
           WHERE id = $1 AND payout_id = 'recovered_' || id AND amount = $5 AND currency = $6 AND network = $7`,
    values: [id, payoutId, description, hash, amount, currency, network],
  });
  return rowCount === 1;
}
