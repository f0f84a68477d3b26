// What an owner does about payouts, each with its outcome in words: adds and stops an address, requests and cancels a payout. What must be
// accepted or refused is known here, so another answer is a violation.

import { addPayoutAddress } from '@/lib/payouts/addresses/add';
import { stopPayoutAddress } from '@/lib/payouts/addresses/stop';
import { cancelPayout } from '@/lib/payouts/cancel';
import { LEAST_PAYOUT_CENTS } from '@/lib/payouts/payout';
import { requestPayout } from '@/lib/payouts/request';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { addressesInUse, nextPayoutId, type PayoutRecords, type RequestedPayout } from '@/simulation/payouts/records';
import { cents } from '@/simulation/story';
import { costsNow } from '@/simulation/payouts/costs';
import { assetKey } from '@/simulation/payouts/schedules';
import { reserveOf } from '@/simulation/payouts/scheduled';
import { payableOf, readFunds, type Asset as StoreAsset } from '@/simulation/stops/funds';
import type { SimulatedStore } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Scene } from './action';
import { attempt, outcome } from './attempt';

const TEST = 'test' as const;

async function ownerOf({ harness }: World, { storeId }: Pick<SimulatedStore, 'storeId'>): Promise<string> {
  const { rows } = await harness.database.pool.query<{ id: string }>(
    `SELECT user_id AS id FROM members WHERE store_id = $1 AND role = 'owner'`,
    [storeId],
  );
  return rows[0]!.id;
}

const actorOf = (user: string) => ({ by: `user:${user}`, address: '192.0.2.2' });

type NewAddress = {
  readonly store: SimulatedStore;
  readonly chain: SimulatedChain;
  readonly typed: string;
  readonly isLookAlikeConfirmed?: boolean;
};

/** Returns what became of it: `added`, or the code of the refusal. */
export async function addAddress(world: World, { store, chain, typed, ...rest }: NewAddress): Promise<string> {
  const { storeId } = store;
  const { network } = chain;
  const userId = await ownerOf(world, store);
  const given = {
    ...{ storeId, environment: TEST, network, typed, userId, proof: null, isContractConfirmed: false },
    isLookAlikeConfirmed: rest.isLookAlikeConfirmed ?? false,
  };
  const added = await attempt(world, () => addPayoutAddress(world.context, given, actorOf(userId)));
  if (!('done' in added)) return added.refused;
  if ('refused' in added.done) return added.done.refused.code;
  const { id } = added.done;
  const from = world.harness.signer.payouts.length;
  const addedAt = world.clock.now().getTime();
  world.records.payouts.addresses.push({ id, storeId, network, address: typed, addedAt, from, until: null });
  return 'added';
}

/** Stops an address for good. A second time changes nothing. */
export async function stopAddress(world: World, { id, storeId }: PayoutRecords['addresses'][number]): Promise<string> {
  const userId = await ownerOf(world, { storeId });
  const given = { storeId, environment: TEST, id, userId };
  const stopped = await attempt(world, () => stopPayoutAddress(world.context, given, actorOf(userId)));
  const periods = world.records.payouts.addresses.filter((one) => one.id === id);
  if ('done' in stopped) for (const one of periods) one.until ??= world.harness.signer.payouts.length;
  return outcome(stopped, 'stopped');
}

/** A store's balance in one token on one network, as its dashboard shows it. */
export type Balance = { readonly chain: SimulatedChain; readonly currency: string; readonly units: bigint };

export async function balancesOf({ harness, chains }: World, { storeId }: SimulatedStore): Promise<readonly Balance[]> {
  const { rows } = await harness.database.pool.query<{ network: string; currency: string; units: string }>(
    `SELECT network, currency, (-amount)::text AS units FROM ledger_balances WHERE account = $1 AND amount < 0
     ORDER BY network, currency`,
    [`store:${storeId}`],
  );
  return rows.flatMap(({ network, currency, units }) => {
    const chain = chains.find((one) => one.network === network);
    return chain ? [{ chain, currency, units: BigInt(units) }] : [];
  });
}

type Wanted = Omit<RequestedPayout, 'id'>;

const requestOf = ({ payoutId, cents: amount, currency, network }: Wanted) => ({
  ...{ payoutId, amount, currency, network },
  description: null,
});

const makerOf = (storeId: string) => ({ storeId, environment: TEST, record: () => Promise.resolve() });

/** Base units that a store can take out of its balance: what no hit freezes, no screening delays, and no reserve keeps. */
export async function payableNow(
  world: World,
  of: StoreAsset,
): Promise<{ readonly least: bigint; readonly most: bigint }> {
  return payableOf((await readFunds(world)).get(assetKey(of)), reserveOf(world, of));
}

/** The codes that a first request of this name may be answered with; `null` for a payout. */
async function expectedOf(world: World, chain: SimulatedChain, wanted: Wanted): Promise<readonly (string | null)[]> {
  if (wanted.cents < LEAST_PAYOUT_CENTS) return ['too_small'];
  if (addressesInUse(world.records.payouts, wanted).length === 0) return ['no_address'];
  const costs = await costsNow(world, { ...wanted, amount: wanted.cents });
  const { least, most } = await payableNow(world, wanted);
  const units = (wanted.cents + costs) * centOf(chain, wanted.currency);
  return [...(units <= most ? [null] : []), ...(units > least ? ['balance'] : [])];
}

/** A new request of an owner. Returns what was answered, and the payout unless it was refused. */
export async function request(
  { world, story }: Pick<Scene, 'world' | 'story'>,
  { store, chain, currency, amount }: Asset & { readonly store: SimulatedStore; readonly amount: bigint },
): Promise<{ readonly says: string; readonly payout: RequestedPayout | null }> {
  const { storeId } = store;
  const payoutId = nextPayoutId(world.records.payouts, storeId);
  const wanted: Wanted = { storeId, payoutId, network: chain.network, currency, cents: amount };
  const expected = await expectedOf(world, chain, wanted);
  const made = await attempt(world, () => requestPayout(world.context, makerOf(storeId), requestOf(wanted)));
  const says = `${store.name} requests a payout of ${cents(amount)} ${currency} on ${chain.network}`;
  if (!('done' in made)) return { says: `${says}: ${made.refused}`, payout: null };
  const code = 'refused' in made.done ? made.done.refused.code : null;
  if (!expected.includes(code) && code !== 'too_many')
    throw new Error(`${says}: ${code ?? 'accepted'}, and should be ${expected[0] ?? 'accepted'}`);
  if ('refused' in made.done) return { says: `${says}: ${made.done.refused.code}`, payout: null };
  const payout = { ...wanted, id: made.done.id };
  world.records.payouts.requested.push(payout);
  return { says: `${says}: ${story.name('payout', payout.id)}`, payout };
}

type Asset = { readonly chain: SimulatedChain; readonly currency: string };

/** The owner's page sends a request again. The same one is the same payout; another one must be refused. */
export async function repeat(world: World, payout: RequestedPayout, changes: Partial<Wanted> = {}): Promise<string> {
  const wanted = { ...payout, ...changes };
  const made = await attempt(world, () => requestPayout(world.context, makerOf(payout.storeId), requestOf(wanted)));
  if (!('done' in made)) return made.refused;
  const isSame = wanted.cents === payout.cents;
  if ('refused' in made.done) {
    const { code } = made.done.refused;
    if (isSame && !world.isRestored) throw new Error(`a repeated request for a payout was answered ${code}`);
    return code;
  }
  if (!isSame || made.done.id !== payout.id) throw new Error('another request under the name of a payout was accepted');
  return 'the same payout';
}

/** Whether it was canceled. `by`: the store that tries, its own by default. */
export async function cancel(world: World, { id, storeId }: RequestedPayout, by = storeId): Promise<string> {
  const canceled = await attempt(world, () => cancelPayout(world.context, makerOf(by), id));
  if ('done' in canceled && canceled.done && by !== storeId)
    throw new Error('a store canceled the payout of another one');
  return 'done' in canceled && !canceled.done ? 'too late' : outcome(canceled, 'canceled');
}
