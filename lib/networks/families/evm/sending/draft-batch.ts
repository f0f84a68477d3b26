// Drafts one transaction that pays several payouts of a token by the contract of payout-batch.sol, if that is cheaper than one transaction
// each. It is simulated first: the items that the token would refuse now are named, so that they go alone and get their own reason. So are
// those that would make the transaction dearer than nodes take.

import { z } from 'zod';
import { batchGasLimit, GAS_KEPT, MAX_BATCH, PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { keptForDataFee, type EvmSpec } from '@/lib/networks/networks';
import { noFeeCoin, tooFewTokens, type Payment } from '@/lib/networks/sending/obstacles';
import type { DraftedBatch } from '@/lib/networks/sending/batch';
import type { Unmined } from '@/lib/networks/sending/send';
import { checkCost, checkDataFee, NODE_CAP, offeredPrices, replacingPrices } from './fees';
import { blockedAmong, isRevert, walletFunds, walletObstacle } from './obstacles';
import type { EvmBatch } from './read-draft';
import { batchCall, transferCall, writeEvmBatch } from './write-draft';

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const bytes = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);
const WORD = 66;
/** Each item may use this many times the gas of a usual transfer to a new address. */
const GAS_MARGIN = 2n;
/** More than the estimate, because the state may change until the transaction is mined. */
const [GAS_MORE, GAS_OF] = [125n, 100n];
/** The most gas of one transaction (EIP-7825). */
const MOST_GAS = 16_777_216n;
/** Transfers that are estimated to compare their price with that of a batch. */
const COMPARED = 3;
/** The bytes of a batch without its items, and of one item. */
const [BATCH_BYTES, ITEM_BYTES] = [300, 32];

type Drafting = {
  readonly spec: EvmSpec;
  readonly chainId: number;
  readonly nonce: number;
  /** Of one token, from one wallet. */
  readonly payments: readonly Payment[];
  readonly before: EvmBatch | null;
  readonly unmined: Unmined;
};

/** Throws SendHold for what concerns all payments, and a ChainError. */
export async function draftBatchOn(node: EvmNode, drafting: Drafting): Promise<DraftedBatch> {
  try {
    return await tryDraft(node, drafting);
  } catch (error) {
    if (!isRevert(error)) throw error;
    return { kind: 'single', why: 'reverts' };
  }
}

async function tryDraft(node: EvmNode, drafting: Drafting): Promise<DraftedBatch> {
  const { spec, chainId, nonce, payments, before } = drafting;
  const [first] = payments;
  if (!first || payments.length > MAX_BATCH) throw new Error('a batch has one payment at least, and not too many');
  const { contract: token, from } = first;
  const now = await offeredPrices(node, spec);
  const prices = before ? replacingPrices(spec, before, now) : now;
  const call = before ?? { token, gasEach: spec.transferGas * GAS_MARGIN, items: payments };
  const data = await batchCall(call);
  let gasLimit = batchGasLimit(payments.length, call.gasEach);
  if (before) gasLimit = before.gasLimit;
  else {
    const obstacle = await obstacleOfBatch(node, drafting, { first, data, gasLimit });
    if (obstacle) return obstacle;
    const estimated = await estimate(node, { from, to: PAYOUT_BATCH, data });
    if (!isCheaper({ estimated, gasEach: call.gasEach, items: payments.length, each: await leastGas(node, payments) }))
      return { kind: 'single', why: 'dearer' };
    const enough = (estimated * GAS_MORE) / GAS_OF;
    if (enough > gasLimit) gasLimit = enough;
  }
  if (gasLimit > MOST_GAS) return { kind: 'single', why: 'dearer' };
  const count = BigInt(payments.length);
  const most = gasLimit * prices.maxFeePerGas;
  if (!before && most > NODE_CAP) return { kind: 'refused', places: placesFrom(payments, (count * NODE_CAP) / most) };
  checkCost(spec, prices, { gasLimit, payments: count });
  await checkDataFee(node, spec, { bytes: BATCH_BYTES + ITEM_BYTES * payments.length, payments: count });
  const coin = await node.rpc.call({ method: 'eth_getBalance', params: [from, 'latest'], shape: wei });
  if (coin < gasLimit * prices.maxFeePerGas + count * keptForDataFee(spec)) throw noFeeCoin(spec.network);
  const items = call.items.map(({ to, amount }) => ({ to, amount }));
  const batch = { chainId, nonce, ...prices, gasLimit, token: call.token, gasEach: call.gasEach, items };
  return { kind: 'drafted', unsigned: await writeEvmBatch(batch, PAYOUT_BATCH) };
}

/** The places of the payments that are too many for one transaction. */
const placesFrom = (payments: readonly Payment[], first: bigint): readonly number[] =>
  [...payments.keys()].filter((at) => BigInt(at) >= first);

/** Why these payments are not paid together now, or null. */
async function obstacleOfBatch(
  node: EvmNode,
  { payments, unmined }: Drafting,
  { first, data, gasLimit }: { readonly first: Payment; readonly data: string; readonly gasLimit: bigint },
): Promise<DraftedBatch | null> {
  const { currency, from } = first;
  const hold = await walletObstacle(node, first);
  if (hold) throw hold;
  const needed = payments.reduce((sum, { amount }) => sum + amount, unmined.tokens);
  const { held, allowed } = await walletFunds(node, first, PAYOUT_BATCH);
  if (held < needed) throw tooFewTokens(currency);
  if (allowed < needed) return { kind: 'single', why: 'no_allowance' };
  const blocked = await blockedAmong(node, payments);
  if (blocked.length > 0) return { kind: 'refused', places: blocked };
  const params = [{ from, to: PAYOUT_BATCH, data, gas: `0x${gasLimit.toString(16)}` }, 'latest'];
  const skipped = await node.rpc.call({ method: 'eth_call', params, shape: bytes });
  if (skipped.length !== WORD) return { kind: 'single', why: 'no_contract' };
  const places = payments.flatMap((_, at) => ((BigInt(skipped) >> BigInt(at)) & 1n ? [at] : []));
  return places.length > 0 ? { kind: 'refused', places } : null;
}

/**
 * The rule of when a batch is cheaper. The contract keeps `gasEach` before each item, which the estimate contains and which comes back
 * unused. The last item costs no more than a transfer alone.
 */
const isCheaper = (given: {
  readonly estimated: bigint;
  readonly gasEach: bigint;
  readonly items: number;
  /** Gas of one transfer. */
  readonly each: bigint;
}): boolean => {
  const { estimated, gasEach, items, each } = given;
  return estimated - gasEach - gasEach / 63n - GAS_KEPT + each < BigInt(items) * each;
};

/** Gas of the cheapest of the first few transfers: payees that hold the token already cost less. */
async function leastGas(node: EvmNode, payments: readonly Payment[]): Promise<bigint> {
  const found = [];
  for (const { contract, from, to, amount } of payments.slice(0, COMPARED))
    found.push(await estimate(node, { from, to: contract, data: await transferCall(to, amount) }));
  return found.reduce((least, gas) => (gas < least ? gas : least));
}

/** Without a price, so that an empty wallet also gets an estimate. */
const estimate = (node: EvmNode, call: object): Promise<bigint> =>
  node.rpc.call({ method: 'eth_estimateGas', params: [call], shape: wei });
