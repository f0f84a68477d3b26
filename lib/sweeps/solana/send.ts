// Signs and broadcasts a planned sweep. The signed bytes are stored before they are sent. After a crash in between, the next run signs
// the same request again, which gives the same bytes.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { Refusal, type SolanaSweepOrder } from '@/lib/signer/client';
import { cancelSweep } from '@/lib/sweeps/finish';
import { insertSweep, storeVariant, type NewSweep, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { SolanaRun } from './run';
import { solanaTermsOf, storedTerms, type SolanaTerms } from './terms';

const HOLDS: Partial<Record<string, SweepHold>> = { frozen: 'frozen', limit: 'budget' };

export type Planned = Omit<NewSweep, 'spec' | 'chainId' | 'now' | 'terms' | 'request'> &
  SolanaTerms & { readonly request: SolanaSweepOrder };

/** Stores a sweep, signs it and sends it. Returns why it could not go, or null. */
export async function startSweep(run: SolanaRun, sweep: Planned): Promise<SweepHold | null> {
  const { context, sweeping, chainId } = run;
  const { sender, request, currency, items } = sweep;
  const given = { sender, request, currency, items, terms: storedTerms(sweep), chainId, now: context.clock.now() };
  const inserted = await insertSweep(context.pool, { ...given, spec: sweeping.spec });
  // Another worker was first. Its sweep goes on without us.
  if (!inserted) return null;
  crashpoint('after-sweep-planned', sweeping.spec.network);
  return signAndSend(run, inserted);
}

/** Signs a planned sweep and sends it. */
export async function signAndSend(run: SolanaRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  const { environment, network } = sweeping.spec;
  const { blockhash, unitLimit, unitPrice } = solanaTermsOf(sweep);
  const terms = { blockhash, unitLimit, unitPrice: unitPrice.toString() };
  // What Solana plans, it stores.
  const transaction = sweep.request as SolanaSweepOrder;
  try {
    const signed = await sweeping.signer.sweep({ environment, network, ...terms, transaction });
    if (signed.from !== sweep.sender)
      throw new Error(`the signer signed a sweep for ${signed.from}, not ${sweep.sender}`);
    const variant = { bytes: signed.bytes, hash: signed.hash, terms: sweep.terms };
    const stored = await storeVariant(context.pool, sweep, variant, context.clock.now());
    crashpoint('after-sweep-signed', network);
    return stored ? await broadcastSweep(run, stored) : null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await cancelSweep(context, sweep, error.message);
    context.log.warn({ network, environment, code: error.code }, `the signer does not sign a sweep: ${error.message}`);
    return HOLDS[error.code] ?? 'signer_refuses';
  }
}

/** Sends the transaction to every endpoint. Sending it again is safe. */
export async function broadcastSweep({ solana }: SolanaRun, sweep: Sweep): Promise<SweepHold | null> {
  if (sweep.bytes === null) return null;
  try {
    await solana.sender.broadcast(sweep.bytes);
    crashpoint('after-sweep-broadcast', solana.spec.network);
    return null;
  } catch (error) {
    if (error instanceof SendHold) return 'sponsor_low';
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}
