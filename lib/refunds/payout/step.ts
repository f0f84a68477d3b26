// The worker's steps that pay refunds, one per network of each environment: what was asked for begins, what is due is driven
// on, and the signer is told what failed. Costs three look-ups in the database while nothing is open.

import { sendingOptions, type ChainDeps, type FollowedChain } from '@/lib/networks/registry';
import { openSender } from '@/lib/networks/sending/senders';
import type { Context, Step } from '@/lib/platform/context';
import { armCrashPoint, crashpoint } from '@/lib/platform/crash-point';
import { eachAlone, endQuarantine } from '@/lib/platform/database/quarantine';
import { SignerClient } from '@/lib/signer/client';
import { addressSource } from '@/lib/treasury/wallets/open-address-source';
import { beginRefunds } from './begin';
import { claimDue, MOST_TAKEN, restAsBefore } from './lease';
import { findDestination } from '@/lib/refunds/destination/destination';
import { followedChain } from './follow/followed-chain';
import { nextAction, URGENCY } from './plan';
import { quarantinedAmong, refundSubject } from '@/lib/refunds/quarantined';
import { releaseFailed } from './release';
import { readAttempts, type TakenRefund } from '@/lib/refunds/rows';
import { sendRefund } from './send';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import { openWalletCheck } from '@/lib/refunds/wallet-check/check';
import { lookAtWallet } from '@/lib/refunds/wallet-check/gate';
import { holdBack, holdOf, paceOf, type PayoutContext, type Work } from './payout-context';

const [LOCAL_MILLISECONDS, PUBLIC_MILLISECONDS] = [500, 2000];
/** A pass ends after this, so that what was sent is looked at although much is new; the rest is given back. */
const PASS_MILLISECONDS = 10_000;
/** How many that were begun are looked at side by side. */
const AT_ONCE = 4;

type Opening = ChainDeps & Pick<Context, 'config'>;

/** One step per followed network. Throws when a setting of an endpoint cannot be used. */
export function refundSteps(
  context: Opening,
  chains: readonly FollowedChain[],
): { readonly name: string; readonly run: Step; readonly everyMilliseconds: number }[] {
  const { config } = context;
  if (config.TEST_CHAINS === 'local') armCrashPoint(config.CRASH_POINT);
  const lines = chains.map((chain) => openLine(context, chain));
  const check = config.SIGNER_SOCKET ? openSignerCheck(new SignerClient(config.SIGNER_SOCKET), lines) : null;
  return lines.map((line) => ({
    name: `refunds ${line.environment} ${line.network}`,
    run: (given) => runLine(given, line, check),
    everyMilliseconds: line.spec.chain === 'local' ? LOCAL_MILLISECONDS : PUBLIC_MILLISECONDS,
  }));
}

/**
 * One pass, once the signer was checked: also when no refund waits, because who restored a database is to know at once. Signer or
 * database that were away may have been restored meanwhile, so the wallet is then looked at again.
 */
export async function runLine(
  context: Context,
  line: PayoutContext,
  check: ReturnType<typeof openSignerCheck> | null,
): Promise<{ more: boolean }> {
  line.walletCheck?.awake(context.clock);
  try {
    const verdict = (await check?.(context)) ?? 'ok';
    if (verdict !== 'ok') line.walletCheck?.restart();
    const done = await runRefunds(context, check ? { ...line, check } : line);
    if (verdict !== 'unavailable') await lookAtWallet(context, line);
    return done;
  } catch (error) {
    line.walletCheck?.restart();
    throw error;
  }
}

function openLine(context: Opening, chain: FollowedChain): PayoutContext {
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
    deposits: socket ? addressSource(config) : null,
    findDestination,
    pace: paceOf(spec),
    walletCheck: spec.family === 'evm' ? undefined : openWalletCheck(),
  };
}

/** One bounded pass over a network's refunds. Any number of workers may run it at once. */
export async function runRefunds(context: Context, line: PayoutContext): Promise<{ more: boolean }> {
  const isMore = await beginRefunds(context, line);
  await releaseFailed(context, line);
  const taken = await claimDue(context, line, line.pace.lease);
  if (taken.length === 0) return { more: isMore };
  crashpoint('after-claim');
  const chainId = await followedChain(context, line);
  const quarantined = await quarantinedAmong(
    context.pool,
    taken.map(({ id }) => id),
  );
  const works = taken.map((refund): Work => ({ context, line, refund, chainId: chainId ?? 0 }));
  const guard = openGuard(quarantined);
  if (chainId === null) {
    for (const work of works) await guard(work, () => holdBack(work, holdOf('chain_unavailable')));
    return { more: false };
  }
  const until = context.clock.now().getTime() + PASS_MILLISECONDS;
  const drive = async (work: Work): Promise<void> => {
    const now = context.clock.now();
    if (now.getTime() > until) await guard(work, () => restAsBefore(context.pool, work.refund, now));
    else await guard(work, () => sendRefund(work), 'tried');
  };
  const ranked = await inOrder(works, guard);
  // What is new takes one nonce after the other, beside what only has to be looked at.
  const [begun, fresh] = [
    ranked.filter(({ rank }) => rank < URGENCY.draft),
    ranked.filter(({ rank }) => rank >= URGENCY.draft),
  ];
  await Promise.all([...Array.from({ length: AT_ONCE }, () => drain(begun, drive)), drain(fresh, drive)]);
  return { more: isMore || taken.length === MOST_TAKEN };
}

type Ranked = { readonly work: Work; readonly rank: number };
type Guard = (work: Work, act: () => Promise<void>, how?: 'tried') => Promise<void>;

/**
 * The boundary of one refund: one that throws is quarantined, and comes due again when both its lease and its pause are over.
 * `tried`: without an error its quarantine ends.
 */
const openGuard =
  (quarantined: ReadonlySet<string>): Guard =>
  async ({ context, line, refund }, act, how) => {
    const [done] = await eachAlone(
      context,
      `refunds ${line.environment} ${line.network}`,
      [subjectOf(line, refund)],
      act,
    );
    if (done && how === 'tried' && quarantined.has(refund.id)) {
      await endQuarantine(context.pool, { kind: 'refund', ids: [refund.id], now: context.clock.now() });
    }
  };

const subjectOf = (line: PayoutContext, { id, storeId }: TakenRefund) => refundSubject(line, id, storeId);

/** Does one after the other until none is left; several may do so with one list. */
async function drain(ranked: Ranked[], drive: (work: Work) => Promise<void>): Promise<void> {
  for (let next = ranked.shift(); next; next = ranked.shift()) await drive(next.work);
}

/** What is begun before what is new. One that cannot be ranked is quarantined and left out. */
async function inOrder(works: readonly Work[], guard: Guard): Promise<readonly Ranked[]> {
  const ranked: Ranked[] = [];
  for (const work of works) {
    await guard(work, async () => void ranked.push({ work, rank: await urgency(work) }));
  }
  return ranked.toSorted((one, other) => one.rank - other.rank);
}

async function urgency({ context, refund, chainId }: Work): Promise<number> {
  const attempts = await readAttempts(context.pool, refund.id);
  // One that is out of order is found so when its turn comes, and does not keep the others.
  const isOver = attempts.some(({ status }) => status === 'landed' || status === 'reverted');
  return isOver ? URGENCY.none : URGENCY[nextAction(refund, attempts, { now: context.clock.now(), chainId }).kind];
}
