// Plans a batch of deposit addresses: which delegate already, how much gas it takes, and whether its money is worth that.

import { CREATE2_FACTORY, deploymentData, sweepManyData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { centsOf, openCosts } from '@/lib/sweeps/costs';
import { isAffordable, type Candidate } from '@/lib/sweeps/rules';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { authorize, type Authorized } from './authorize';
import { excludeForeign } from './foreign';
import { sweepAlone } from './one-by-one';
import type { EvmRun } from './run';
import { startSweep } from './send';
import { expectedPrice } from './terms';

/** A token transfer may need more gas when it lands: storage is shared with others, and rules of the network change. */
const [GAS_MORE, GAS_OF] = [130n, 100n];
/** What one address may use at least. A deposit address that runs foreign code burns no more than its share. */
const LEAST_GAS_EACH = 100_000n;
/** Gas that a transaction and its loop use beside the transfers, and that a new delegation takes (EIP-7702). */
const [BASE_GAS, DELEGATION_GAS] = [60_000n, 25_000n];

/** Sends a batch, or what has to come before it. Returns why it cannot go, or null. */
export async function sendBatch(run: EvmRun, batch: readonly Candidate[]): Promise<SweepHold | null> {
  const { context, evm, sweeping } = run;
  const now = context.clock.now();
  const contract = evm.spec.tokens[batch[0]?.currency ?? '']?.contract;
  if (contract === undefined) throw new Error(`there is no ${batch[0]?.currency} on ${evm.spec.network}`);
  const addresses = batch.map(({ address }) => address);
  const ready = await excludeForeign(run, batch, await evm.chain.deposits(addresses, contract));
  if (ready.length === 0) return null;
  const prices = await evm.chain.prices();
  if (evm.fallback.until > now.getTime()) return sweepAlone(run, { ready, contract, prices });
  if (!(await evm.chain.hasCode(run.wallets.delegate))) return deploy(run, prices);
  const authorized = await authorize(run, ready);
  if (authorized.ready.length === 0) return null;
  const planned = await planBatch(run, authorized, contract);
  const costs = await openCosts(context.pool, evm.spec, now);
  const total = centsOf(costs, planned.gas * expectedPrice(prices));
  const items = authorized.ready.map(([candidate]) => candidate);
  return isAffordable(sweeping.rules, items, total) ? send(run, { ...planned, prices, items }) : 'fee_too_high';
}

/** The contract of this treasury is deployed once. */
async function deploy(run: EvmRun, prices: Prices): Promise<SweepHold | null> {
  const { evm, wallets } = run;
  const { treasury, sponsor, spareSponsor, active } = wallets;
  const data = deploymentData({ treasury, sponsor, spareSponsor });
  const gas = await evm.chain.gas({ from: active, to: CREATE2_FACTORY, data });
  const gasLimit = (gas * GAS_MORE) / GAS_OF;
  if (!(await canPay(run, gasLimit, prices))) return 'sponsor_low';
  const nonce = await evm.sender.nextNonce(active);
  return startSweep(run, {
    ...prices,
    sender: active,
    nonce,
    gasLimit,
    request: { kind: 'deploy' },
    currency: null,
    items: [],
  });
}

async function planBatch(run: EvmRun, { ready, authorizations }: Authorized, contract: string) {
  const { evm, wallets } = run;
  const [, largest] = ready.reduce((one, other) => (other[1].held > one[1].held ? other : one));
  const transfer = { from: largest.address, to: wallets.treasury, contract, amount: largest.held };
  const each = await evm.chain.transferGas(transfer);
  const gasEach = each * 2n > LEAST_GAS_EACH ? each * 2n : LEAST_GAS_EACH;
  const deposits = ready.map(([{ address }]) => address);
  const data = sweepManyData(contract, gasEach, deposits);
  const gas = await evm.chain.gas({ from: wallets.active, to: wallets.delegate, data, authorizations });
  // A node may report less than the whole batch needs, because the loop goes on when one address runs out of gas.
  const least = BASE_GAS + BigInt(deposits.length) * each + BigInt(authorizations.length) * DELEGATION_GAS;
  const estimated = (gas * GAS_MORE) / GAS_OF;
  const request = {
    ...{ kind: 'batch' as const, contract, gasEach: Number(gasEach), deposits },
    authorizations: [...authorizations],
  };
  return { request, gas, gasLimit: estimated > least ? estimated : least };
}

type Planned = Awaited<ReturnType<typeof planBatch>> & {
  readonly prices: Prices;
  readonly items: readonly Candidate[];
};

async function send(run: EvmRun, { request, gasLimit, prices, items }: Planned): Promise<SweepHold | null> {
  const { evm, wallets } = run;
  if (!(await canPay(run, gasLimit, prices))) return 'sponsor_low';
  const nonce = await evm.sender.nextNonce(wallets.active);
  const currency = items[0]?.currency ?? null;
  return startSweep(run, { ...prices, sender: wallets.active, nonce, gasLimit, request, currency, items });
}

const canPay = async ({ evm, wallets }: EvmRun, gas: bigint, { maxFeePerGas }: Prices): Promise<boolean> =>
  (await evm.chain.coin(wallets.active)) >= gas * maxFeePerGas;
