// Sends a batch of deposit addresses, if its money is worth that, or what has to come before it.

import { CREATE2_FACTORY, deploymentData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import type { DepositState } from '@/lib/networks/families/evm/sweeping/chain';
import { MAX_AUTHORIZATION_NONCE } from '@/lib/signer/client';
import { centsOf, openCosts } from '@/lib/sweeps/costs';
import { postpone } from '@/lib/sweeps/postpone';
import { isAffordable, movable, type Candidate } from '@/lib/sweeps/rules';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { fitBudget, startInBudget, type EvmPlanned } from './budget';
import { excludeForeign } from './foreign';
import { sweepAlone } from './one-by-one';
import { planBatch } from './plan-batch';
import { readDeposits } from './read-deposits';
import type { EvmRun, Ready } from './run';
import { expectedPrice } from './terms';
import { fallBack, isTypeRefused } from './type-refused';

/** A deployment may need more gas when it lands. */
const [GAS_MORE, GAS_OF] = [130n, 100n];
/** Seconds until an address is read again that holds money which is not screened yet. */
const UNSCREENED_PAUSE = 60;

/** Sends a batch, or what has to come before it. Returns why it cannot go, or null. */
export async function sendBatch(run: EvmRun, batch: readonly Candidate[]): Promise<SweepHold | null> {
  const { context, evm, sweeping } = run;
  const now = context.clock.now();
  const contract = evm.spec.tokens[batch[0]?.currency ?? '']?.contract;
  if (contract === undefined) throw new Error(`there is no ${batch[0]?.currency} on ${evm.spec.network}`);
  const ready = await excludeForeign(run, await readDeposits(run, batch, contract));
  if (ready.length === 0) return null;
  const prices = await evm.chain.prices();
  if (evm.fallback.until > now.getTime()) return sweepAlone(run, { ready, contract, prices });
  // Nodes accept only one transaction at a time of an account with code, and its code could do anything with the coin.
  if (await evm.chain.hasCode(run.wallets.active)) return 'sponsor_has_code';
  if (!(await evm.chain.hasCode(run.wallets.delegate))) return deploy(run, prices);
  // Where keys are offline, no address can send its tokens itself. Such an address is postponed as one without an authorization.
  const alone = evm.presigned ? [] : ready.filter(([, state]) => isTooOld(run, state));
  if (alone.length > 0) return sweepAlone(run, { ready: alone, contract, prices });
  const screened = await excludeUnscreened(run, ready);
  if (screened.length === 0) return null;
  const planned = await planInBudget(run, { ready: screened, contract, prices });
  if (planned === null || typeof planned === 'string') return planned;
  const costs = await openCosts(context.pool, evm.spec, now);
  const total = centsOf(costs, planned.gas * expectedPrice(prices));
  if (!isAffordable(sweeping.rules, planned.items, total)) return 'fee_too_high';
  return send(run, planned);
}

/**
 * A batch moves all that an address holds when it lands, so one that holds more than what was screened waits until that is final and
 * screened too. What arrives until the batch lands is moved all the same.
 */
async function excludeUnscreened(run: EvmRun, ready: Ready): Promise<Ready> {
  const early = ready.filter(([one, { held }]) => movable(one, held, run.isScreened) < held);
  await postpone(
    run,
    early.map(([candidate]) => candidate),
    UNSCREENED_PAUSE,
    null,
  );
  return ready.filter((one) => !early.includes(one));
}

/** The key of the address sent so many transactions that the signer authorizes no further delegation. */
const isTooOld = ({ wallets }: EvmRun, { delegate, nonce }: DepositState): boolean =>
  delegate !== wallets.delegate && nonce > MAX_AUTHORIZATION_NONCE;

type Given = Parameters<typeof planBatch>[1];
type Plan = Awaited<ReturnType<typeof planBatch>>;

/** A batch of as many addresses as the rest of the signer's budget covers. The others wait for another run. */
async function planInBudget(run: EvmRun, given: Given): Promise<Plan> {
  const planned = await planOrFallBack(run, given);
  if (planned === null || typeof planned === 'string') return planned;
  const fit = fitBudget(run, planned);
  if (fit === 0) return 'budget';
  if (fit === planned.items.length) return planned;
  const items = new Set(planned.items.slice(0, fit));
  return planInBudget(run, { ...given, ready: given.ready.filter(([candidate]) => items.has(candidate)) });
}

/** Some endpoints refuse the type of the transaction already when they estimate its gas. */
async function planOrFallBack(run: EvmRun, given: Given): Promise<Plan> {
  try {
    return await planBatch(run, given);
  } catch (error) {
    if (!isTypeRefused(error)) throw error;
    fallBack(run);
    return null;
  }
}

/** The contract of this treasury is deployed once. */
async function deploy(run: EvmRun, prices: Prices): Promise<SweepHold | null> {
  const { evm, wallets } = run;
  const { treasury, sponsor, spareSponsor, active } = wallets;
  // A call to an address without code succeeds and deploys nothing.
  if (!(await evm.chain.hasCode(CREATE2_FACTORY))) return 'no_factory';
  const data = deploymentData({ treasury, sponsor, spareSponsor });
  const gas = await evm.chain.gas({ from: active, to: CREATE2_FACTORY, data });
  const gasLimit = (gas * GAS_MORE) / GAS_OF;
  return send(run, { ...prices, gasLimit, request: { kind: 'deploy' }, items: [] });
}

/** Sends it from the sponsor. */
async function send(run: EvmRun, sweep: Omit<EvmPlanned, 'sender' | 'nonce' | 'currency'>): Promise<SweepHold | null> {
  const { evm, wallets } = run;
  if ((await evm.chain.coin(wallets.active)) < sweep.gasLimit * sweep.maxFeePerGas) return 'sponsor_low';
  const nonce = await evm.sender.nextNonce(wallets.active);
  const currency = sweep.items[0]?.currency ?? null;
  return startInBudget(run, { ...sweep, sender: wallets.active, nonce, currency });
}
