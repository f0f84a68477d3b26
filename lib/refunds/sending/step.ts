// The worker's steps that pay refunds and payouts, one per network of each environment: each begins those that are pending, advances those
// that are due, and notifies the signer of failed ones. It costs one database lookup while none is open.

import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import { openSender } from '@/lib/networks/families/clients';
import type { Context, Step } from '@/lib/platform/context';
import { armCrashPoint, crashpoint } from '@/lib/platform/crash-point';
import { eachAlone, endQuarantine } from '@/lib/platform/database/quarantine';
import { SignerClient } from '@/lib/signer/client';
import { addressSource, rememberOwned } from '@/lib/treasury/wallets/open-address-source';
import { keepAllowance } from './batch/allowance';
import { payInBatches } from './batch/pay-in-batches';
import { beginPayments } from './begin';
import { leaseDue, MAX_TAKEN, idleKeepingHold } from './lease';
import { findDestination } from '@/lib/refunds/destination/destination';
import { followedChain } from './follow/followed-chain';
import { nextAction, URGENCY } from './plan';
import { KIND_OF, paymentSubject, quarantinedAmong } from '@/lib/refunds/quarantined';
import { openTables } from './open-tables';
import { releaseFailed } from './release';
import { readAttempts } from '@/lib/refunds/attempts';
import {
  PAYMENT_TABLES,
  type LeasedColdTransfer,
  type LeasedPayment,
  type LeasedPayout,
  type LeasedRefund,
  type PaymentTable,
} from '@/lib/refunds/rows';
import { REFUND_RULES } from './refund-rules';
import { sendPayment } from './send';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import { openWalletCheck } from '@/lib/refunds/wallet-check/check';
import { checkWallet } from '@/lib/refunds/wallet-check/gate';
import { intervalsOf } from './intervals';
import { putOnHold, holdOf, type PaymentRules, type SendingContext, type Work } from './sending-context';

const [LOCAL_MILLISECONDS, PUBLIC_MILLISECONDS] = [500, 2000];
/** While nothing is to be paid: the check of the signer still finds a foreign transaction of the wallet within a minute (recovery/signer-check). */
const QUIET_MILLISECONDS = 45_000;
/** A run ends after this, so that sent payments are checked even when many are new; the remaining leases are given back. */
const PASS_MILLISECONDS = 10_000;
/** How many payments in progress are checked concurrently. */
const AT_ONCE = 4;

type Opening = ChainDeps & Pick<Context, 'config'>;

/** The rules of the tables; payouts (lib/payouts) and cold transfers (lib/cold-storage) bring their own. */
export type RulesOf = {
  readonly refunds: PaymentRules<LeasedRefund>;
  readonly payouts: PaymentRules<LeasedPayout>;
  readonly cold_transfers: PaymentRules<LeasedColdTransfer>;
};

/** One step per followed network. Throws when a setting of an endpoint cannot be used. */
export function paymentSteps(
  context: Opening,
  chains: readonly FollowedChain[],
  rules: RulesOf,
): {
  readonly name: string;
  readonly run: Step;
  readonly everyMilliseconds: number;
  readonly quietMilliseconds: number;
}[] {
  const { config } = context;
  if (config.TEST_CHAINS === 'local') armCrashPoint(config.CRASH_POINT);
  const contexts = chains.map((chain) => openSendingContext(context, chain));
  const check = config.SIGNER_SOCKET ? openSignerCheck(new SignerClient(config.SIGNER_SOCKET), contexts) : null;
  return contexts.map((sending) => ({
    name: `refunds ${sending.environment} ${sending.network}`,
    run: (given) => runSending(given, sending, check, rules),
    everyMilliseconds: sending.spec.chain === 'local' ? LOCAL_MILLISECONDS : PUBLIC_MILLISECONDS,
    quietMilliseconds: QUIET_MILLISECONDS,
  }));
}

/**
 * One run, after the signer check. The check also runs while no payment waits, so that a problem after a restore of the database is reported
 * at once. After an outage of the signer or the database the wallet is checked again, because either may have been restored.
 */
export async function runSending(
  context: Context,
  sending: SendingContext,
  check: ReturnType<typeof openSignerCheck> | null,
  rules: Partial<RulesOf> = { refunds: REFUND_RULES },
): Promise<{ more: boolean }> {
  sending.walletCheck?.detectPause(context.clock);
  try {
    const verdict = (await check?.(context)) ?? 'ok';
    if (verdict !== 'ok') sending.walletCheck?.restart();
    const checked = check ? { ...sending, check } : sending;
    const done = [];
    // What stops the payments of one table does not stop those of the other, nor the comparison of the wallet.
    // Where that cannot be looked up, each table says for itself what is wrong with it.
    for (const table of await openTables(context.pool, sending).catch(() => PAYMENT_TABLES)) {
      const of = rules[table];
      if (of) done.push(await settled(runTable(context, checked, { table, rules: of })));
    }
    if (verdict === 'ok') done.push(await settled(keepAllowance(context, sending).then(() => ({ more: false }))));
    if (verdict !== 'unavailable') await checkWallet(context, sending);
    const failed = done.find((one) => 'error' in one);
    if (failed && 'error' in failed) throw failed.error;
    return { more: done.some((one) => 'more' in one && one.more) };
  } catch (error) {
    sending.walletCheck?.restart();
    throw error;
  }
}

const settled = <T extends object>(work: Promise<T>): Promise<T | { readonly error: unknown }> =>
  work.catch((error: unknown) => ({ error }));

/** One run over the refunds of a network, without its payouts. */
export const runRefunds = (context: Context, sending: SendingContext): Promise<{ more: boolean }> =>
  runTable(context, sending, { table: 'refunds', rules: REFUND_RULES });

function openSendingContext(context: Opening, chain: FollowedChain): SendingContext {
  const { environment, network, spec, adapter } = chain;
  const { config } = context;
  const { SIGNER_SOCKET: socket, EVIDENCE_KEY: evidenceKey } = config;
  return {
    environment,
    network,
    spec,
    sender: openSender(sendingOptions(config, context, chain)),
    genesis: () => adapter.genesis(),
    signer: socket && evidenceKey ? { calls: new SignerClient(socket), evidenceKey } : null,
    deposits: socket ? rememberOwned(addressSource(config)) : null,
    findDestination,
    intervals: intervalsOf(spec),
    walletCheck: spec.family === 'evm' ? undefined : openWalletCheck(),
  };
}

/** One bounded run over the payments of one table on a network. Any number of workers may run it at once. */
async function runTable(
  context: Context,
  sending: SendingContext,
  { table, rules }: { readonly table: PaymentTable; readonly rules: PaymentRules },
): Promise<{ more: boolean }> {
  const of = { table, environment: sending.environment, network: sending.network };
  const isMore = await beginPayments(context, of);
  await releaseFailed(context, sending, table);
  const taken = await leaseDue(context, of, sending.intervals.lease);
  if (taken.length === 0) return { more: isMore };
  crashpoint('after-claim');
  const chainId = await followedChain(context, sending);
  const quarantined = await quarantinedAmong(
    context.pool,
    table,
    taken.map(({ id }) => id),
  );
  const works = taken.map((payment): Work => ({ context, sending, payment, rules, chainId: chainId ?? 0 }));
  const guard = openGuard(quarantined);
  if (chainId === null) {
    for (const work of works) await guard(work, () => putOnHold(work, holdOf('chain_unavailable')));
    return { more: false };
  }
  const until = context.clock.now().getTime() + PASS_MILLISECONDS;
  const drive = async (work: Work): Promise<void> => {
    const now = context.clock.now();
    if (now.getTime() > until) await guard(work, () => idleKeepingHold(context.pool, work.payment, now));
    else await guard(work, () => sendPayment(work), 'tried');
  };
  const ranked = await inOrder(works, guard);
  // New payments take one nonce after the other, concurrently with those that only need a check.
  const [begun, fresh] = [
    ranked.filter(({ rank }) => rank < URGENCY.draft),
    ranked.filter(({ rank }) => rank >= URGENCY.draft),
  ];
  await Promise.all([...Array.from({ length: AT_ONCE }, () => drain(begun, drive)), payFresh(fresh, { guard, drive })]);
  return { more: isMore || taken.length === MAX_TAKEN };
}

type Drive = (work: Work) => Promise<void>;

/** What goes into no batch is paid alone, one after the other. */
async function payFresh(fresh: readonly Ranked[], { guard, drive }: { guard: Guard; drive: Drive }): Promise<void> {
  const works = fresh.map(({ work }) => work);
  for (const work of await payInBatches(works, guard)) await drive(work);
}

type Ranked = { readonly work: Work; readonly rank: number };
type Guard = (work: Work, act: () => Promise<void>, how?: 'tried') => Promise<void>;

/**
 * The error boundary of one payment: a payment that throws is quarantined, and comes due again when both its lease and its pause are over.
 * `tried`: without an error its quarantine ends.
 */
const openGuard =
  (quarantined: ReadonlySet<string>): Guard =>
  async ({ context, sending, payment }, act, how) => {
    const [done] = await eachAlone(
      context,
      `refunds ${sending.environment} ${sending.network}`,
      [subjectOf(sending, payment)],
      act,
    );
    if (done && how === 'tried' && quarantined.has(payment.id)) {
      await endQuarantine(context.pool, { kind: KIND_OF[payment.table], ids: [payment.id], now: context.clock.now() });
    }
  };

const subjectOf = ({ environment, network }: SendingContext, payment: LeasedPayment) =>
  paymentSubject(
    { table: payment.table, environment, network },
    payment.id,
    payment.table === 'cold_transfers' ? undefined : payment.storeId,
  );

/** Handles one after the other until the list is empty; several calls may share one list. */
async function drain(ranked: Ranked[], drive: (work: Work) => Promise<void>): Promise<void> {
  for (let next = ranked.shift(); next; next = ranked.shift()) await drive(next.work);
}

/** Payments in progress before new ones. A payment that cannot be ranked is quarantined and left out. */
async function inOrder(works: readonly Work[], guard: Guard): Promise<readonly Ranked[]> {
  const ranked: Ranked[] = [];
  for (const work of works) {
    await guard(work, async () => void ranked.push({ work, rank: await urgency(work) }));
  }
  return ranked.toSorted((one, other) => one.rank - other.rank);
}

async function urgency({ context, payment, chainId }: Work): Promise<number> {
  const attempts = await readAttempts(context.pool, payment.id);
  // An inconsistent payment throws when its turn comes, and does not block the others here.
  const isOver = attempts.some(({ status }) => status === 'landed' || status === 'reverted');
  return isOver ? URGENCY.none : URGENCY[nextAction(payment, attempts, { now: context.clock.now(), chainId }).kind];
}
