// Pays new payouts of one network and token in batches where the signer allows it and a batch is cheaper than its payouts alone. Whatever
// stands in the way of a batch, its payouts are sent alone, where each gets its own reason. A payout that was in a batch before, or has any
// other attempt, goes alone too.

import { MAX_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { SendRefused } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import type { SignerState } from '@/lib/signer/client';
import { readAttempts, type UnsignedAttempt } from '@/lib/refunds/attempts';
import { rereadPayment } from '@/lib/refunds/rows';
import { clearPayment } from '@/lib/refunds/sending/draft/clearance';
import { otherDraftSince } from '@/lib/refunds/sending/draft/signature-request';
import { isWalletKnown, walletOf } from '@/lib/refunds/sending/draft/wallet';
import { readUnmined } from '@/lib/refunds/sending/follow/unmined';
import { extendLease } from '@/lib/refunds/sending/lease';
import { chainHold, orderFor, putOnHold, type Work } from '@/lib/refunds/sending/sending-context';
import { isAllowanceSettled } from './allowance-rows';
import { requestBatch, type Ready } from './request';
import { settleItem } from './sign-batch';

/** Fewer payouts than this cost about the same alone. */
const LEAST_BATCH = 3;
/** A batch is drafted again without the payouts that stood in its way, this many times. */
const MAX_ROUNDS = 3;

/** Runs a part of one payout's work; its error concerns this payout only. */
type Guard = (work: Work, act: () => Promise<void>) => Promise<void>;

/** Pays what can be paid in batches now. Returns the payments that go alone. */
export async function payInBatches(works: readonly Work[], guard: Guard): Promise<readonly Work[]> {
  const [first] = works;
  const state = first && (await stateForBatches(first));
  if (!first || !state) return works;
  const currencies = batchedCurrencies(first, state);
  const alone = works.filter(({ payment }) => !currencies.includes(payment.currency));
  for (const currency of currencies) {
    const candidates = works.filter(({ payment }) => payment.currency === currency);
    alone.push(...(await batchOf(candidates, { state, guard })));
  }
  // Those before it are requested by the time that it is its turn.
  return alone.map((work) => ({ ...work, together: 0n }));
}

/** The signer's state, where batches are possible on this network now; otherwise null. */
async function stateForBatches({ context, sending, payment, chainId }: Work): Promise<SignerState | null> {
  const calls = sending.signer?.calls;
  if (payment.table !== 'payouts' || !sending.sender.draftBatch || !calls?.signBatch) return null;
  try {
    if (((await sending.check?.(context, { isSigning: true })) ?? 'ok') !== 'ok') return null;
    const state = await calls.state();
    const isPossible = !state.frozen && state.batches !== undefined;
    return isPossible && (await isAllowanceSettled({ context, sending, chainId }, state)) ? state : null;
  } catch (error) {
    // Each payment alone gets the hold for it.
    if (error instanceof AddressSourceError || chainHold(error)) return null;
    throw error;
  }
}

const batchedCurrencies = ({ sending: { network, spec } }: Work, { batches }: SignerState): readonly string[] =>
  Object.keys(batches?.[`${network}@${spec.chain}`] ?? {});

type Given = { readonly state: SignerState; readonly guard: Guard };

/** One batch of these candidates. Returns those that go alone. */
async function batchOf(candidates: readonly Work[], { state, guard }: Given): Promise<readonly Work[]> {
  const [first] = candidates;
  if (!first || candidates.length < LEAST_BATCH) return candidates;
  const { environment, spec } = first.sending;
  if ((await otherDraftSince(first, state.wallets[environment][spec.family])) !== null) return candidates;
  const alone: Work[] = [];
  const ready: Ready[] = [];
  for (const work of candidates)
    await guard(work, async () => {
      const found = ready.length < MAX_BATCH ? await prepare(work, { state, ready }) : 'alone';
      if (found === 'alone') alone.push(work);
      else if (found) ready.push(found);
    });
  try {
    return [...alone, ...(await sendBatch(ready, { state, guard }))];
  } catch (error) {
    // A fault of the batch must not stop payouts that can be sent alone. What was requested is settled in their next turns.
    const { context, sending } = first;
    context.log.warn(
      { err: error, network: sending.network },
      'payouts could not be sent as a batch: sending them alone',
    );
    return [...alone, ...ready.map(({ work }) => work)];
  }
}

/** Null: it is on hold or idle, or another worker has it. */
async function prepare(
  taken: Work,
  { state, ready }: { readonly state: SignerState; readonly ready: readonly Ready[] },
): Promise<Ready | 'alone' | null> {
  const { context, sending } = taken;
  if (!sending.signer || needsPasskeys(taken, state) || (await hadAttempt(taken))) return 'alone';
  if (!(await extendLease(context, taken.payment, sending.intervals.lease))) return null;
  const payment = await rereadPayment(context.pool, taken.payment);
  if (!payment) return null;
  const work = { ...taken, payment, together: centsOfStore(ready, taken) };
  const held = await work.rules.remainingHold(work);
  if (held) {
    await putOnHold(work, held);
    return null;
  }
  const cleared = await clearPayment(work, sending.signer, state);
  if (!cleared) return null;
  return cleared.ended === null ? { work, destination: cleared.destination } : 'alone';
}

/** Whether the signer needs the passkey signatures of two operators for it, which a batch has no place for. */
const needsPasskeys = ({ payment }: Work, { guarded, limits }: SignerState): boolean =>
  guarded[payment.environment] && payment.amount > BigInt(limits.payoutApprovalAbove ?? 0);

/** Cents of those of `ready` that are of the same store. */
const centsOfStore = (ready: readonly Ready[], { payment }: Work): bigint =>
  ready
    .map(({ work }) => work.payment)
    .filter((one) => one.table === 'payouts' && payment.table === 'payouts' && one.storeId === payment.storeId)
    .reduce((sum, { amount }) => sum + amount, 0n);

async function hadAttempt({ context, payment }: Work): Promise<boolean> {
  const { rowCount } = await context.pool.query({
    name: 'refund-had-attempt',
    text: 'SELECT 1 FROM refund_attempts WHERE intent_id = $1 LIMIT 1',
    values: [payment.id],
  });
  return rowCount !== 0;
}

/** Drafts the batch, has it signed and sends it. Returns the payouts that go alone. */
async function sendBatch(given: readonly Ready[], { state, guard }: Given): Promise<readonly Work[]> {
  const alone: Work[] = [];
  let members = given;
  for (let round = 0; round < MAX_ROUNDS && members.length >= LEAST_BATCH; round++) {
    const draft = await draftOf(members, state);
    if (draft === null) break;
    if ('places' in draft) {
      alone.push(...members.filter((_, at) => draft.places.includes(at)).map(({ work }) => work));
      members = members.filter((_, at) => !draft.places.includes(at));
      continue;
    }
    const requested = await requestBatch(members, draft);
    if ('held' in requested) {
      const { held, hold } = requested;
      await guard(held, () => putOnHold(held, hold));
      members = members.filter(({ work }) => work !== held);
      continue;
    }
    if ('why' in requested) break;
    const firsts = members.flatMap(({ work }, at) => (requested[at]?.first ? [work.payment.id] : []));
    await settle(members, firsts);
    return alone;
  }
  return [...alone, ...members.map(({ work }) => work)];
}

/** The bytes of a batch, or the places of the payouts that it cannot contain; null when they are better paid alone. */
async function draftOf(
  members: readonly Ready[],
  state: SignerState,
): Promise<{ readonly unsigned: string; readonly from: string } | { readonly places: readonly number[] } | null> {
  const [first] = members;
  const { signer, sender, environment, spec } = (first as Ready).work.sending;
  if (!first || !signer || !sender.draftBatch) return null;
  const { work } = first;
  const wallet = await walletOf(work, signer, state.wallets[environment][spec.family]);
  if (!wallet || wallet.nonce === null || !(await isWalletKnown(work, signer, wallet))) return null;
  // After the nonce: a change of the allowance with an earlier nonce is known by now, and one with this nonce refuses the batch.
  if (!(await isAllowanceSettled(work, state))) return null;
  const orders = members.map((one) => orderFor(one.work, one.destination.address));
  try {
    const options = { nonce: wallet.nonce, unmined: await readUnmined(work) };
    const drafted = await sender.draftBatch(orders, wallet.address, options);
    crashpoint('after-draft');
    if (drafted.kind === 'refused') return { places: drafted.places };
    return drafted.kind === 'drafted' ? { unsigned: drafted.unsigned, from: wallet.address } : null;
  } catch (error) {
    if (error instanceof SendRefused || chainHold(error)) return null;
    throw error;
  }
}

/** Has the batch signed. All of its payouts are due at once afterwards, whatever the signer answered. */
async function settle(members: readonly Ready[], firsts: readonly string[]): Promise<void> {
  const [first] = members;
  if (!first) return;
  const { work: taken } = first;
  const payment = await rereadPayment(taken.context.pool, taken.payment);
  if (!payment) return;
  const work = { ...taken, payment };
  const attempts = await readAttempts(taken.context.pool, payment.id);
  const drafted = attempts.find((one): one is UnsignedAttempt => one.status === 'drafted');
  if (drafted) await settleItem(work, drafted, { live: [], firsts });
}
