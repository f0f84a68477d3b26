// Signs and broadcasts a planned sweep. The signed bytes are stored before they are sent. After a crash in between, the next run signs
// the same request again.

import { ChainError } from '@/lib/networks/chain';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { SendHold } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { Refusal, type EvmSweepOrder } from '@/lib/signer/client';
import { cancelSweep } from '@/lib/sweeps/finish';
import { insertSweep, storeVariant, type NewSweep, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { EvmRun } from './run';
import { evmTermsOf, storedTerms, type EvmTerms } from './terms';
import { fallBack, isTypeRefused } from './type-refused';

const HOLDS: Partial<Record<string, SweepHold>> = { frozen: 'frozen', limit: 'budget' };

export type Planned = Omit<NewSweep, 'spec' | 'chainId' | 'now' | 'terms'> & EvmTerms;

/** Stores a sweep, signs it and sends it. Returns why it could not go, or null. */
export async function startSweep(run: EvmRun, sweep: Planned): Promise<SweepHold | null> {
  const { context, sweeping, chainId } = run;
  const given = { ...sweep, terms: storedTerms(sweep), spec: sweeping.spec, chainId, now: context.clock.now() };
  const inserted = await insertSweep(context.pool, given);
  // Another worker was first. Its sweep goes on without us.
  if (!inserted) return null;
  crashpoint('after-sweep-planned', sweeping.spec.network);
  return signAndSend(run, inserted, sweep);
}

/** Signs a planned sweep, or its replacement at higher prices, and sends it. */
export async function signAndSend(run: EvmRun, sweep: Sweep, prices: Prices): Promise<SweepHold | null> {
  const { context, sweeping } = run;
  const { environment, network } = sweeping.spec;
  const { maxFeePerGas, maxPriorityFeePerGas } = prices;
  const terms = storedTerms({ ...evmTermsOf(sweep), maxFeePerGas, maxPriorityFeePerGas });
  try {
    // What EVM networks plan, they store.
    const transaction = sweep.request as EvmSweepOrder;
    const signed = await sweeping.signer.sweep({ environment, network, ...terms, transaction });
    if (signed.from !== sweep.sender)
      throw new Error(`the signer signed a sweep for ${signed.from}, not ${sweep.sender}`);
    const variant = { bytes: signed.bytes, hash: signed.hash, terms };
    const stored = await storeVariant(context.pool, sweep, variant, context.clock.now());
    crashpoint('after-sweep-signed', network);
    const hold = stored ? await broadcastSweep(run, stored) : null;
    return hold === 'refused' ? 'chain_unavailable' : hold;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Nothing was signed, so a new sweep may be planned later. A variant that is out goes on, unless the settings changed so that the
    // signer never signs it again.
    if (sweep.status === 'planned' || error.code === 'not_allowed') await cancelSweep(context, sweep, error.message);
    context.log.warn({ network, environment, code: error.code }, `the signer does not sign a sweep: ${error.message}`);
    return HOLDS[error.code] ?? 'signer_refuses';
  }
}

/**
 * Sends the newest variant to every endpoint. Sending it again is safe. `refused`: an endpoint answered and does not take it, for a reason
 * that may be in its bytes.
 */
export async function broadcastSweep(run: EvmRun, sweep: Sweep): Promise<SweepHold | 'refused' | null> {
  const { context, evm } = run;
  const { network } = evm.spec;
  if (sweep.bytes === null) return null;
  try {
    await evm.sender.broadcast(sweep.bytes);
    crashpoint('after-sweep-broadcast', network);
    return null;
  } catch (error) {
    if (isTypeRefused(error)) {
      fallBack(run);
      await cancelSweep(context, sweep, 'no endpoint takes EIP-7702 transactions');
      return null;
    }
    if (error instanceof SendHold && error.reason === 'no_fee_coin') return 'sponsor_low';
    if (error instanceof SendHold) return error.reason === 'fee_too_low' ? 'fee_too_high' : 'refused';
    if (error instanceof RpcError && !error.throttled) return 'refused';
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}
