// Signs and broadcasts a planned sweep on TRON. The signed bytes are stored before they are sent. After a crash in between, the next run
// signs the same request again, which gives the same transaction.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { Refusal, type TronSweepOrder } from '@/lib/signer/client';
import { cancelSweep } from '@/lib/sweeps/finish';
import { insertSweep, storeVariant, type NewSweep, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { isInBudget } from './budget';
import type { TronRun } from './run';
import { tronTermsOf } from './terms';

/** The time of a block, in milliseconds. */
const REFERENCE_LASTS = 3000;

const HOLDS: Partial<Record<string, SweepHold>> = { frozen: 'frozen', limit: 'budget' };

type Planned = Pick<NewSweep, 'currency' | 'items' | 'sender'> & {
  readonly request: TronSweepOrder;
  /** Sun; only of a call that moves tokens. */
  readonly feeLimit?: bigint;
};

/** Stores a sweep, signs it and sends it. Returns why it could not go, or null. */
export async function startSweep(run: TronRun, { feeLimit = 0n, ...planned }: Planned): Promise<SweepHold | null> {
  const { context, tron, chainId } = run;
  const { request } = planned;
  // The plan of a flush fits the budget.
  if (request.kind !== 'flush' && !isInBudget(run, request, feeLimit)) return 'budget';
  const now = context.clock.now();
  const terms = { ...(await referenceAt(run, now)), timestamp: now.getTime(), feeLimit: feeLimit.toString() };
  const inserted = await insertSweep(context.pool, { ...planned, terms, spec: tron.spec, chainId, now });
  // Another worker was first, or the sponsor has another transaction outside a block.
  if (!inserted) return null;
  crashpoint('after-sweep-planned', tron.spec.network);
  return signAndSend(run, inserted);
}

/** The transactions of a run refer to the same block. */
async function referenceAt({ tron }: TronRun, now: Date): ReturnType<TronRun['tron']['chain']['reference']> {
  const { reference } = tron.known;
  const isRecent = reference !== null && Math.abs(now.getTime() - reference.at) < REFERENCE_LASTS;
  // A chain that stood still has moved on when its newest block is recent again.
  if (isRecent && reference.block.expiration > now.getTime()) return reference.block;
  const block = await tron.chain.reference();
  tron.known.reference = { at: now.getTime(), block };
  return block;
}

/** Signs a planned sweep and sends it. */
export async function signAndSend(run: TronRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  const { environment, network } = sweeping.spec;
  const terms = tronTermsOf(sweep);
  try {
    // What TRON plans, it stores.
    const transaction = sweep.request as TronSweepOrder;
    const signed = await sweeping.signer.sweep({ environment, network, ...terms, transaction });
    if (signed.from !== sweep.sender)
      throw new Error(`the signer signed a sweep for ${signed.from}, not ${sweep.sender}`);
    const variant = { bytes: signed.bytes, hash: signed.hash, terms };
    const stored = await storeVariant(context.pool, sweep, variant, context.clock.now());
    crashpoint('after-sweep-signed', network);
    return stored ? await broadcastSweep(run, stored) : null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Nothing was signed, so a new sweep may be planned later.
    await cancelSweep(context, sweep, error.message);
    context.log.warn({ network, environment, code: error.code }, `the signer does not sign a sweep: ${error.message}`);
    return HOLDS[error.code] ?? 'signer_refuses';
  }
}

/** Sends it to every endpoint. Sending it again is safe. */
export async function broadcastSweep({ context, tron, wallets }: TronRun, sweep: Sweep): Promise<SweepHold | null> {
  const { network, environment } = tron.spec;
  if (sweep.bytes === null) return null;
  try {
    await tron.sender.broadcast(sweep.bytes);
    crashpoint('after-sweep-broadcast', network);
    return null;
  } catch (error) {
    if (error instanceof SendHold) {
      // The chain accepts it no more: coin or stake is missing. It lapses when it expires, and what is missing is read again.
      context.log.warn(
        { network, environment, kind: sweep.request.kind, sweep: sweep.id },
        'no endpoint takes a sweep: its sender has too little TRX or stake',
      );
      return sweep.sender === wallets.active ? 'sponsor_low' : null;
    }
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}
