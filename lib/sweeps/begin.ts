// Plans the next sweep of a network: which addresses are worth it now, and whether a batch of them should go.

import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import { Refusal } from '@/lib/signer/client';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { isKeptBack, readCandidates } from './candidates';
import type { SweepRun } from './context';
import { centsOf, openCosts } from './costs';
import { lackedTokens } from './need';
import { nextBatch } from './rules';
import type { SweepHold } from './reasons';

/** Begins at most one batch. Returns why nothing goes, or null. */
export async function beginSweeps(run: SweepRun): Promise<SweepHold | null> {
  const { context, sweeping, chainId, currencies, isScreened } = run;
  const { rules, family, spec, delaySeconds } = sweeping;
  try {
    const kept = (await family.takeBack?.(run)) ?? null;
    if (kept) return kept;
    const now = context.clock.now();
    const costs = await openCosts(context.pool, spec, now);
    const knownCost = centsOf(costs, await family.costEach(run));
    const cost = knownCost ?? 0n;
    const closedBefore = new Date(now.getTime() - delaySeconds * 1000);
    const query = { chainId, currencies, closedBefore, rules, cost, now, isScreened };
    const candidates = await readCandidates(context.pool, query);
    // No batch goes early while its cost is unknown.
    const isPulled = run.fillsRefundWallet && knownCost !== null && candidates.length > 0;
    const lacked = isPulled ? await lackedTokens(context, spec) : new Set<string>();
    const limits = { cost, now, most: family.mostAddresses, lacked };
    let left = candidates;
    let isTooHigh = false;
    for (;;) {
      const batch = nextBatch(rules, left, limits);
      const [first] = batch;
      if (!first) break;
      const hold = await family.send(run, batch);
      if (hold !== 'fee_too_high') return hold;
      // Too dear for this token's money. That of another one may be worth it.
      isTooHigh = true;
      left = left.filter(({ currency }) => currency !== first.currency);
    }
    if (isTooHigh || (await isKeptBack(context.pool, query))) return 'fee_too_high';
    return (await family.waitsFor?.(run)) ?? null;
  } catch (error) {
    if (error instanceof SendHold) return 'fee_too_high';
    if (error instanceof ChainError) return 'chain_unavailable';
    if (error instanceof AddressSourceError) return signerUnavailable(run, error);
    if (error instanceof Refusal && error.code === 'frozen') return 'frozen';
    throw error;
  }
}

/** The signer answered before in this run, and now it does not, or not as it should. */
export function signerUnavailable({ context, sweeping }: SweepRun, error: AddressSourceError): SweepHold {
  const { environment, network } = sweeping.spec;
  context.log.warn({ environment, network, err: error }, 'sweeps wait for the signer');
  return 'signer_unavailable';
}
