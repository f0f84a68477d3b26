// Plans the transaction of a batch: which addresses can move, which must delegate first, and how much gas it takes. An address that
// cannot move is postponed and stops no other one.

import { sweepManyData } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { isRevert } from '@/lib/networks/families/evm/sending/obstacles';
import { MAX_GAS_EACH } from '@/lib/signer/client';
import { skipAddresses } from '@/lib/sweeps/postpone';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { authorizationOf } from './authorizations';
import { mostInBudget } from './budget';
import type { EvmRun, Ready } from './run';

/** A token transfer may need more gas when it lands: storage is shared with others, and rules of the network change. */
const [GAS_MORE, GAS_OF] = [130n, 100n];
/** What one address may use at least. A deposit address that runs foreign code burns no more than its share. */
const LEAST_GAS_EACH = 100_000n;
/** Gas that a transaction and its loop use beside the transfers, and that a new delegation takes (EIP-7702). */
const [BASE_GAS, DELEGATION_GAS] = [60_000n, 25_000n];
/** The most gas of one transaction (EIP-7825). */
const MOST_GAS = 16_777_216n;

type Given = { readonly ready: Ready; readonly contract: string; readonly prices: Prices };

/** The plan, or why there is none. Null: every address was postponed. */
export async function planBatch(run: EvmRun, { ready, contract, prices }: Given) {
  const { evm, wallets } = run;
  const probed = await probe(run, { ready, contract });
  if (!probed) return null;
  const { each, movable } = probed;
  if (each > BigInt(MAX_GAS_EACH) || each > evm.spec.mostGas) return 'fee_too_high' satisfies SweepHold;
  const gasEach = bounded(each * 2n, LEAST_GAS_EACH, BigInt(MAX_GAS_EACH));
  const perAddress = (each * GAS_MORE) / GAS_OF + DELEGATION_GAS;
  // No authorization is requested that the budget of the hour has no use for.
  const affordable = mostInBudget(run, prices, { base: BASE_GAS + gasEach, each });
  if (affordable === 0) return 'budget' satisfies SweepHold;
  const most = Math.min(affordable, Number((MOST_GAS - BASE_GAS - gasEach) / perAddress));
  const included: Ready[number][] = [];
  const authorizations = [];
  for (const pair of movable.slice(0, most)) {
    const [, { delegate }] = pair;
    const authorization = delegate === wallets.delegate ? null : await authorizationOf(run, pair);
    if (authorization === 'not_authorized') continue;
    included.push(pair);
    if (authorization) authorizations.push(authorization);
  }
  if (included.length === 0) return null;
  const deposits = included.map(([{ address }]) => address);
  const data = sweepManyData(contract, gasEach, deposits);
  const gas = await evm.chain.gas({ from: wallets.active, to: wallets.delegate, data, authorizations });
  // A node may report less than the whole batch needs, because the loop goes on when one address runs out of gas.
  const least = BASE_GAS + BigInt(deposits.length) * each + BigInt(authorizations.length) * DELEGATION_GAS;
  // One address may get foreign code until the transaction lands. It burns its share, and the others still move.
  const gasLimit = bounded((gas * GAS_MORE) / GAS_OF, least, MOST_GAS - gasEach) + gasEach;
  const request = { kind: 'batch' as const, contract, gasEach: Number(gasEach), deposits, authorizations };
  return { ...prices, request, gas, gasLimit, items: included.map(([candidate]) => candidate) };
}

/** The gas of the largest transfer that the token allows. Addresses that it refuses are skipped. Null when it refuses all of them. */
async function probe(
  run: EvmRun,
  { ready, contract }: Pick<Given, 'ready' | 'contract'>,
): Promise<{ each: bigint; movable: Ready } | null> {
  const refused = new Set<Ready[number]>();
  for (const pair of ready.toSorted(([, one], [, other]) => (one.held > other.held ? -1 : 1))) {
    const [, { address, held: amount }] = pair;
    try {
      const each = await run.evm.chain.transferGas({ from: address, to: run.wallets.treasury, contract, amount });
      await skipRefused(run, refused);
      return { each, movable: ready.filter((one) => !refused.has(one)) };
    } catch (error) {
      if (!isRevert(error)) throw error;
      refused.add(pair);
    }
  }
  await skipRefused(run, refused);
  return null;
}

async function skipRefused(run: EvmRun, refused: ReadonlySet<Ready[number]>): Promise<void> {
  if (refused.size === 0) return;
  const candidates = [...refused].map(([candidate]) => candidate);
  await skipAddresses(run, candidates, 'refused');
  const { environment, network } = run.evm.spec;
  const addresses = candidates.map(({ address }) => address);
  run.context.log.warn({ environment, network, addresses }, 'a token refuses to move the money of deposit addresses');
}

const bounded = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value;
