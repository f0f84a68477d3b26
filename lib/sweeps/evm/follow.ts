// Follows a sweep that was sent: until a block has it, then until that block is final. A sweep that stays outside a block gets a higher
// price with the same account nonce.

import type { TransactionReport } from '@/lib/networks/chain';
import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { cancelSweep, finishSweep, lapseSweep, refuseSweep } from '@/lib/sweeps/finish';
import { markMined, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { EvmRun } from './run';
import { broadcastSweep, signAndSend } from './send';
import { evmTermsOf } from './terms';

/** Nodes that refuse a sweep for a while, for example because their pool is full, take it within this time. In milliseconds. */
const REFUSED_LASTS = 3_600_000;
const REFUSED = 'the nodes still refused it an hour after it was signed';

/** Advances one open sweep. Returns why it waits, or null. */
export async function followSweep(run: EvmRun, sweep: Sweep): Promise<SweepHold | null> {
  // A crash came between the plan and its signature.
  if (sweep.status === 'planned') {
    if (!isOwnSender(run, sweep)) return release(run, sweep, 'another sponsor signs now');
    return signAndSend(run, sweep, evmTermsOf(sweep));
  }
  const report = await reportOf(run, sweep);
  if (report?.block && report.missing === 0) {
    await finishSweep(run, sweep, report);
    return null;
  }
  if (report?.block) {
    await markMined(run.context.pool, sweep);
    return null;
  }
  const { sender } = run.evm;
  const used = (await sender.finalNonce?.(sweep.sender)) ?? 0;
  if (used > evmTermsOf(sweep).nonce) return lapsed(run, sweep);
  const hold = await broadcastSweep(run, sweep);
  // Another sponsor signs now, so no price of this one can be raised.
  if (!isOwnSender(run, sweep)) return isOverdue(run, sweep) ? release(run, sweep, 'another sponsor signs now') : null;
  // Its address gets more coin before its next transfer.
  if (hold === 'sponsor_low' && sweep.request.kind === 'transfer')
    return release(run, sweep, 'the address has too little coin for the fee');
  if (hold === 'refused') {
    if (!(await isRefusedForGood(run, sweep))) return 'chain_unavailable';
    await refuseSweep(run.context, sweep, REFUSED);
    return null;
  }
  // A higher price helps neither a sponsor without coin nor a node that does not answer.
  if (hold !== null && hold !== 'fee_too_high') return hold;
  if (hold === null && !isOverdue(run, sweep)) return null;
  // The next sweep takes the missing nonce.
  if (await isBehindGap(run, sweep)) return release(run, sweep, 'a transaction of the account before it is missing');
  return replaceSweep(run, sweep);
}

/**
 * Something in its bytes may be the reason, such as a fee above the cap of the nodes, which a higher price makes worse. The next sweep is
 * built anew. While a node has an earlier variant in its pool, this sweep waits: the next one could only land after that variant.
 */
async function isRefusedForGood({ context, evm }: EvmRun, sweep: Sweep): Promise<boolean> {
  const { signedAt, sender } = sweep;
  if (signedAt === null || context.clock.now().getTime() - signedAt.getTime() < REFUSED_LASTS) return false;
  return (await evm.sender.nextNonce(sender)) <= evmTermsOf(sweep).nonce;
}

/** A transaction before it is missing: another program sent it, and the nodes dropped it. No price makes this one land. */
const isBehindGap = async ({ evm }: EvmRun, sweep: Sweep): Promise<boolean> =>
  (await evm.sender.nextNonce(sweep.sender)) < evmTermsOf(sweep).nonce;

/** The sponsor that signs now, or a deposit address. */
const isOwnSender = ({ wallets }: EvmRun, { sender, request }: Sweep): boolean =>
  request.kind === 'transfer' || sender === wallets.active;

/** Gives the sweep up, so that its addresses are free. If it lands all the same, it moves what is there, and later ones nothing. */
async function release(run: EvmRun, sweep: Sweep, message: string): Promise<null> {
  await cancelSweep(run.context, sweep, message);
  return null;
}

async function lapsed(run: EvmRun, sweep: Sweep): Promise<null> {
  // The block may have become final between the two requests.
  const report = await reportOf(run, sweep);
  if (report?.block) return null;
  await lapseSweep(run.context, sweep);
  return null;
}

/** The report of the variant that is in a block; otherwise null. */
async function reportOf({ evm }: EvmRun, { hashes }: Sweep): Promise<TransactionReport | null> {
  for (const hash of hashes.toReversed()) {
    const report = await evm.adapter.lookup(hash);
    if (report?.block) return report;
  }
  return null;
}

/** Each variant waits twice as long as the one before, so that a network that stands still does not drive the price up. */
const isOverdue = ({ context, evm }: EvmRun, { status, signedAt, hashes }: Sweep): boolean =>
  status === 'signed' &&
  signedAt !== null &&
  context.clock.now().getTime() - signedAt.getTime() >= evm.replaceAfter * 2 ** (hashes.length - 1);

/** The same sweep at prices of today, at least an eighth higher. */
async function replaceSweep(run: EvmRun, sweep: Sweep): Promise<SweepHold | null> {
  try {
    return await signAndSend(run, sweep, await run.evm.chain.prices(evmTermsOf(sweep)));
  } catch (error) {
    if (error instanceof SendHold) return 'fee_too_high';
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}
