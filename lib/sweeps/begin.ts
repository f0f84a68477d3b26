// Plans the next sweep of a network: which addresses, what it costs, and whether that is worth it.

import { ChainError } from '@/lib/networks/chain';
import { CREATE2_FACTORY, deploymentData, sweepManyData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { SendHold } from '@/lib/networks/sending/send';
import { readCandidates, type CandidateQuery } from './candidates';
import type { Ready, SweepRun } from './context';
import { centsOf, expectedPrice, openCosts } from './costs';
import { excludeForeign } from './foreign';
import { isAffordable, nextBatch } from './rules';
import { startSweep } from './send';
import { sweepAlone } from './one-by-one';
import type { SweepHold } from './state';

/** A token transfer may need more gas when it lands: storage is shared with others, and rules of the network change. */
const [GAS_MORE, GAS_OF] = [130n, 100n];
/** What one address may use at least. A deposit address that runs foreign code burns no more than its share. */
const LEAST_GAS_EACH = 100_000n;
/** Gas that a transaction and its loop use beside the transfers, and that a new delegation takes (EIP-7702). */
const [BASE_GAS, DELEGATION_GAS] = [60_000n, 25_000n];

/** Begins at most one batch, or several single sweeps where batches are refused. Returns why nothing goes, or null. */
export async function beginSweeps(run: SweepRun): Promise<SweepHold | null> {
  const { context, sweeping, chainId } = run;
  try {
    const prices = await sweeping.chain.prices();
    const costs = await openCosts(context.pool, sweeping.spec, context.clock.now());
    const { rules } = sweeping;
    const now = context.clock.now();
    const cost = centsOf(costs, sweeping.spec.transferGas * expectedPrice(prices)) ?? 0n;
    const closedBefore = new Date(now.getTime() - sweeping.delaySeconds * 1000);
    const currencies = Object.keys(sweeping.spec.tokens);
    const query = { chainId, currencies, closedBefore, rules, cost, now };
    const batch = nextBatch(rules, await readCandidates(context.pool, query), { cost, now });
    const [first] = batch;
    if (!first) return (await isKeptBack(run, query)) ? 'fee_too_high' : null;
    const contract = sweeping.spec.tokens[first.currency]?.contract;
    if (contract === undefined) throw new Error(`there is no ${first.currency} on ${sweeping.spec.network}`);
    const states = await sweeping.chain.deposits(
      batch.map(({ address }) => address),
      contract,
    );
    const ready = await excludeForeign(run, batch, states);
    if (ready.length === 0) return null;
    if (sweeping.fallback.until > now.getTime()) return await sweepAlone(run, { ready, contract, prices });
    if (!(await sweeping.chain.hasCode(run.wallets.delegate))) return await deploy(run, prices);
    const planned = await planBatch(run, { ready, contract });
    const total = centsOf(costs, planned.gas * expectedPrice(prices));
    if (
      !isAffordable(
        rules,
        ready.map(([one]) => one),
        total,
      )
    )
      return 'fee_too_high';
    return await send(run, { ...planned, prices, ready });
  } catch (error) {
    if (error instanceof SendHold) return 'fee_too_high';
    if (error instanceof ChainError) return 'chain_unavailable';
    throw error;
  }
}

/** Whether money that should have gone by now waits for a lower fee. */
async function isKeptBack({ context, sweeping: { rules } }: SweepRun, query: CandidateQuery): Promise<boolean> {
  const latest = query.now.getTime() - rules.deadline;
  const [oldest] = await readCandidates(context.pool, { ...query, cost: 0n });
  return oldest !== undefined && oldest.since.getTime() <= latest;
}

/** The contract of this treasury is deployed once. */
async function deploy(run: SweepRun, prices: Prices): Promise<SweepHold | null> {
  const { sweeping, wallets } = run;
  const { treasury, sponsor, spareSponsor, active } = wallets;
  const data = deploymentData({ treasury, sponsor, spareSponsor });
  const gas = await sweeping.chain.gas({ from: active, to: CREATE2_FACTORY, data });
  const gasLimit = (gas * GAS_MORE) / GAS_OF;
  if (!(await canPay(run, gasLimit, prices))) return 'sponsor_low';
  const nonce = await sweeping.sender.nextNonce(active);
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

async function planBatch(run: SweepRun, { ready, contract }: { ready: Ready; contract: string }) {
  const { sweeping, wallets } = run;
  const { environment, network } = sweeping.spec;
  const authorizations = [];
  for (const [{ addressIndex: index }, { delegate, nonce, address }] of ready) {
    if (delegate !== null) continue;
    const signed = await sweeping.signer.authorize({ environment, network, index, nonce });
    if (signed.deposit !== address) throw new Error(`the signer derives another deposit address for index ${index}`);
    authorizations.push(signed.authorization);
  }
  const [[, largest]] = ready.toSorted(([, one], [, other]) => (one.held > other.held ? -1 : 1)) as [Ready[number]];
  const transfer = { from: largest.address, to: wallets.treasury, contract, amount: largest.held };
  const each = await sweeping.chain.transferGas(transfer);
  const gasEach = each * 2n > LEAST_GAS_EACH ? each * 2n : LEAST_GAS_EACH;
  const deposits = ready.map(([{ address }]) => address);
  const data = sweepManyData(contract, gasEach, deposits);
  const gas = await sweeping.chain.gas({ from: wallets.active, to: wallets.delegate, data, authorizations });
  // A node may report less than the whole batch needs, because the loop goes on when one address runs out of gas.
  const least = BASE_GAS + BigInt(deposits.length) * each + BigInt(authorizations.length) * DELEGATION_GAS;
  const estimated = (gas * GAS_MORE) / GAS_OF;
  const request = { kind: 'batch' as const, contract, gasEach: Number(gasEach), deposits, authorizations };
  return { request, gas, gasLimit: estimated > least ? estimated : least };
}

type Planned = Awaited<ReturnType<typeof planBatch>> & { readonly prices: Prices; readonly ready: Ready };

async function send(run: SweepRun, { request, gasLimit, prices, ready }: Planned): Promise<SweepHold | null> {
  const { sweeping, wallets } = run;
  if (!(await canPay(run, gasLimit, prices))) return 'sponsor_low';
  const items = ready.map(([candidate]) => candidate);
  const nonce = await sweeping.sender.nextNonce(wallets.active);
  const currency = items[0]?.currency ?? null;
  return startSweep(run, { ...prices, sender: wallets.active, nonce, gasLimit, request, currency, items });
}

const canPay = async ({ sweeping, wallets }: SweepRun, gas: bigint, { maxFeePerGas }: Prices): Promise<boolean> =>
  (await sweeping.chain.coin(wallets.active)) >= gas * maxFeePerGas;
