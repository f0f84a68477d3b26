// When the faults have stopped, everything comes to its end within a bounded simulated time: sessions, refunds, events.

import { runAll, runSeldom, runSome } from '@/simulation/actions/product';
import { call } from '@/simulation/actions/merchants';
import { follow } from '@/simulation/actions/clients';
import { scanHeld } from '@/simulation/actions/held-sessions';
import { resumeAll } from '@/simulation/actions/merchant-settings';
import { endScreening, SCREENING_STEPS } from '@/simulation/actions/screening';
import { resumeAllPayments } from '@/simulation/actions/pauses';
import { removeSchedules } from '@/simulation/actions/schedules';
import { explainThefts } from '@/simulation/actions/outflows';
import { approveAll, fundAll, reinstateAll, unfreeze } from '@/simulation/actions/operators';
import { mineAll } from '@/simulation/actions/time';
import { resumeAllSweeps } from '@/simulation/actions/sweeps';
import { reattestAll } from '@/simulation/faults/upgrade';
import { tendSigner } from '@/simulation/faults/restore-faults';
import type { PayoutRow } from '@/simulation/payouts/rows';
import { endReturns } from '@/simulation/returns/end';
import { endCold } from '@/simulation/cold/end';
import { endPayouts } from '@/simulation/actions/end-payouts';
import { readSnapshot, type RefundRow, type Snapshot } from '@/simulation/snapshot';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';
import type { Check } from './check';
import { isUnderWay } from '@/simulation/snapshot-sweeps';
import { everyTransferIsStored, finalTo, isEarly } from './credits';
import { everyOutflowIsBooked } from './outflows';
import { nothingStaysLent, sweepsEmptyTheirAddresses } from './sweeps';

const times = (count: number, seconds: number): number[] => Array<number>(count).fill(seconds);
/**
 * Pauses between rounds grow from seconds to hours: together about three days, because a payment that an endpoint left
 * out is found by the daily comparison of balances once its session is completed.
 */
const PAUSES = [...times(5, 15), ...times(4, 60), ...times(4, 300), ...times(8, 900), ...times(64, 3600)];
/** A refund that waits for its customer's address, or for the balance of a store that was paid out, ends when its merchant cancels it. */
const ENDED_BY_MERCHANT = ['destination_needed', 'insufficient_balance'];

/** Blocks of a round: more than any chain needs until a block is final. */
const BLOCKS = 5;
/** What was sent before is final after one round, and read in the next one. */
const LEAST_ROUNDS = 2;

/** More than a history has. */
const MAX_PAGES = 100;
const MAX_ROUNDS_OF_SWEEPS = 10;
const MAX_COMPARISONS = 24;

const isOpen = ({ status }: { readonly status: string }): boolean => status === 'pending' || status === 'processing';
/** In cents: what the wallet has at first. A larger refund waits for funds that no history has. */
const FUNDS = 100_000_000n;
/** A refund above what the signer pays in an hour waits for an operator who raises the limit, which no history has. */
const isPayable = ({ harness }: World, { amount }: RefundRow): boolean =>
  BigInt(amount) <= FUNDS && BigInt(amount) <= harness.signer.settings.perHour;
/**
 * The same of the signer's limit for payouts. The signer also counts the payouts that a restored database has forgotten with their sessions;
 * then it refuses more than the rest of what the store received, until an operator decides.
 */
const isPayableOut = ({ harness, records }: World, all: readonly PayoutRow[], payout: PayoutRow): boolean => {
  const { signer } = harness;
  const hasForgotten = records.payouts.requested.some(
    ({ id, storeId, network, currency }) =>
      storeId === payout.store_id &&
      network === payout.network &&
      currency === payout.currency &&
      !all.some((one) => one.id === id) &&
      signer.payouts.some((asked) => asked.id === id && asked.state !== 'refused'),
  );
  const isRefused = payout.hold === 'limit' && hasForgotten;
  const cents = BigInt(payout.amount);
  return cents <= FUNDS && cents <= signer.settings.payouts.perHour && !isRefused;
};
const isBusy = (world: World, { sessions, refunds, payouts, deliveries, sweeps, quarantine }: Snapshot): boolean =>
  [...sessions, ...refunds.filter((one) => isPayable(world, one)), ...deliveries].some(isOpen) ||
  payouts.some((one) => isOpen(one) && isPayableOut(world, payouts, one)) ||
  quarantine.length > 0 ||
  sweeps.some(isUnderWay);

/** Longer than the pause between two comparisons of ledger and chain. */
const RECONCILE_SECONDS = 3600;
/** Simulated seconds after the faults within which a step may still fail, because it remembers them. */
const GRACE_SECONDS = 900;

/** Lets the world run until nothing is open or missing, or the time is over. Returns what steps failed without a fault. */
export async function runUntilIdle(world: World, story: Story): Promise<string[]> {
  const { pool } = world.harness.database;
  const violations: string[] = [];
  const from = world.elapsed();
  const note = (failed: readonly string[]): void => {
    if (world.elapsed() - from <= GRACE_SECONDS * 1000) return;
    violations.push(...failed.map((name) => `the step "${name}" fails although no fault is left`));
  };
  fundAll(world);
  await removeSchedules(world);
  for (const [round, seconds] of PAUSES.entries()) {
    world.advance(seconds);
    mineAll(world, () => BLOCKS);
    note(await runAll(world));
    // What was sent lands before the pause, in which a payment on TRON or Solana would expire.
    mineAll(world, () => BLOCKS);
    await peopleAct(world);
    // A restored machine freezes until its operator has looked.
    if (world.lost.sentRefunds.size > 0) await tendSigner(world);
    const snapshot = await readSnapshot(pool);
    const checked = { world, before: snapshot, after: snapshot, story };
    const isMissing = [everyTransferIsStored, sweepsEmptyTheirAddresses, nothingStaysLent].some(
      (check) => check(checked).length > 0,
    );
    if (round >= LEAST_ROUNDS && !isMissing && !isBusy(world, snapshot)) break;
    if (round > 7) await scanHeld(world);
    if (round > 7) await endPayouts(world, snapshot);
    if (round > 7) for (const refund of snapshot.refunds) await cancelWaiting(world, refund);
  }
  for (const store of world.stores) await follow(world, store, 100, MAX_PAGES);
  // What looks wrong once is reported when it looks wrong again.
  const failed: string[] = [];
  for (let round = 0; round < MAX_COMPARISONS; round++) {
    world.advance(RECONCILE_SECONDS);
    mineAll(world, () => BLOCKS);
    failed.push(...(await runSeldom(world)));
    if (world.lost.sentRefunds.size > 0) await tendSigner(world);
    // Only this comparison covers tokens that a session did not offer. What it reports is read when the operator orders it.
    if (round < 2) continue;
    if ((await scanHeld(world)) === 0 && !(await isOutflowMissing(world, story))) break;
    // A theft that a re-scan found may freeze the signer now, and is booked when the operator explains what the comparison reports.
    await peopleAct(world);
    await runAll(world);
    await runAll(world);
  }
  // What was released last goes back to its stores.
  await endScreening(world);
  await runSome(world, SCREENING_STEPS);
  await endSweeps(world, story);
  await endReturns(world);
  await endCold(world);
  return [...new Set(violations), ...failed.map((name) => `the step "${name}" fails at the end`)];
}

/** An endpoint may have left out what left an address. A comparison reads a few addresses at a time, and reports what is wrong twice. */
async function isOutflowMissing(world: World, story: Story): Promise<boolean> {
  const snapshot = await readSnapshot(world.harness.database.pool);
  return everyOutflowIsBooked({ world, before: snapshot, after: snapshot, story }).length > 0;
}

/**
 * What was found last is swept, too, and what only these comparisons released: an address in dispute holds both of its tokens. Energy that
 * was lent for it comes back.
 */
async function endSweeps(world: World, story: Story): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS_OF_SWEEPS; round++) {
    const snapshot = await readSnapshot(world.harness.database.pool);
    const checked = { world, before: snapshot, after: snapshot, story };
    const isMissing = [sweepsEmptyTheirAddresses, nothingStaysLent].some((check) => check(checked).length > 0);
    if (!isMissing && !snapshot.sweeps.some(isUnderWay)) return;
    world.advance(60);
    mineAll(world, () => BLOCKS);
    await runAll(world);
  }
}

/** Operators and merchants end what they have stopped, and decide what waits for them. */
async function peopleAct(world: World): Promise<void> {
  await explainThefts(world);
  unfreeze(world);
  await reinstateAll(world);
  await resumeAll(world);
  await resumeAllSweeps(world);
  await resumeAllPayments(world);
  await endScreening(world);
  await approveAll(world);
  if (world.records.hasUnproven) world.records.hasUnproven = (await reattestAll(world)) > 0;
}

async function cancelWaiting(world: World, { status, hold, refund_id, store_id }: RefundRow): Promise<void> {
  const store = world.stores.find(({ storeId }) => storeId === store_id);
  if (!store || !isOpen({ status }) || !ENDED_BY_MERCHANT.includes(hold ?? '')) return;
  await call(world, store, { path: `/api/v1/refunds/${encodeURIComponent(refund_id)}/cancel` });
}

/** What came to an address before its session stays reported until an operator explains it. */
const isOfEarlyPayment = (world: World, address: string): boolean =>
  world.sessions.some((terms) => finalTo(world, terms).some((one) => one.recipient === address && isEarly(one, terms)));

export const everythingEnds: Check = ({ world, after, story }) => [
  ...after.sessions.filter(isOpen).map(({ id }) => `${story.name('session', id)} never ends`),
  ...after.refunds
    .filter((refund) => isOpen(refund) && isPayable(world, refund))
    .map(({ id, hold, status }) => `${story.name('refund', id)} stays ${status} (${hold ?? 'without a reason'})`),
  ...after.payouts
    .filter((payout) => isOpen(payout) && isPayableOut(world, after.payouts, payout))
    .map(({ id, hold, status }) => `${story.name('payout', id)} stays ${status} (${hold ?? 'without a reason'})`),
  ...after.deliveries.filter(isOpen).map(({ event_id }) => `${story.name('event', event_id)} stays undelivered`),
  ...after.quarantine.map(({ kind, step, error }) => `a ${kind} stays quarantined after "${step}": ${error}`),
  ...after.discrepancies
    .filter(({ address }) => !isOfEarlyPayment(world, address))
    .map(
      ({ network, currency, expected, found }) =>
        `ledger and chain disagree on ${network}: ${expected} base units of ${currency} expected, ${found} found`,
    ),
  ...(world.harness.signer.frozen() !== null
    ? [`the signer is frozen although its key was not misused: ${world.harness.signer.frozen()}`]
    : []),
];
