// The fee limits and offered prices of an EVM payment: EIP-1559 where there is a base fee, one explicit price where the base fee
// is always zero, as on BSC.

import { z } from 'zod';
import type { EvmSpec } from '@/lib/networks/networks';
import { ChainError } from '@/lib/networks/chain';
import { SendHold } from '@/lib/networks/sending/send';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { EvmTerms } from './evm-call';

/** Wei per gas. */
export type Prices = Pick<EvmTerms, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

const GWEI = 10n ** 9n;
const [BUMP, OF] = [1125n, 1000n];
const HISTORY = ['0x5', 'latest', [50]] as const;

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const history = z.object({ baseFeePerGas: z.array(wei).min(1), reward: z.array(z.array(wei)).nullish() });

/** The prices of a new transaction. Throws SendHold if the network's price exceeds the limit. */
export async function offeredPrices(node: EvmNode, spec: EvmSpec): Promise<Prices> {
  const { network, gasPrices: limits } = spec;
  const { baseFeePerGas, reward } = await node.rpc.call({ method: 'eth_feeHistory', params: HISTORY, shape: history });
  const base = baseFeePerGas.at(-1) ?? 0n;
  if (base === 0n) {
    const price = await requestedGasPrice(node, spec);
    if (price > limits.mostPrice) throw tooHigh(network, price, limits);
    // The whole price is tip. If the endpoint misreports the base fee, the cap on the tip bounds the loss.
    return { maxFeePerGas: price, maxPriorityFeePerGas: atMost(price, limits.mostTip) };
  }
  const tips = (reward ?? []).flatMap(([tip]) => (tip === undefined ? [] : [tip]));
  const usual = tips.length > 0 ? median(tips) : await suggestedTip(node);
  const tip = atMost(atLeast(usual, limits.leastTip), limits.mostTip);
  if (base + tip > limits.mostPrice) throw tooHigh(network, base + tip, limits);
  return { maxFeePerGas: atMost(2n * base + tip, limits.mostPrice), maxPriorityFeePerGas: tip };
}

/** How far the base fee may rise until a lasting draft is broadcast. The network takes no more than its price of then. */
const LASTING_RISE = 3n;

/** Prices of a draft that is broadcast hours later: a cap above the present price, within the limits of the row. */
export function lastingPrices({ gasPrices, feeCap, dataFee }: EvmSpec, now: Prices, gasLimit: bigint): Prices {
  const most = atMost(gasPrices.mostPrice, (feeCap - (dataFee?.most ?? 0n)) / gasLimit);
  return { ...now, maxFeePerGas: atLeast(now.maxFeePerGas, atMost(now.maxFeePerGas * LASTING_RISE, most)) };
}

/**
 * Prices of a replacement transaction with the same account nonce: the current network price, and at least an eighth more on both
 * (geth requires a tenth). Throws SendHold if that exceeds the limit.
 */
export function replacingPrices({ network, gasPrices: limits }: EvmSpec, before: Prices, now: Prices): Prices {
  const maxPriorityFeePerGas = atLeast(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas));
  const maxFeePerGas = atLeast(atLeast(now.maxFeePerGas, raised(before.maxFeePerGas)), maxPriorityFeePerGas);
  if (maxFeePerGas > limits.mostPrice) throw tooHigh(network, maxFeePerGas, limits);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** Nodes refuse a transaction that may cost more than one coin (rpc.txfeecap of geth). */
export const NODE_CAP = 10n ** 18n;

/**
 * Throws SendHold for a transaction that may cost more than the fee caps of its payments, which the signer would refuse, or more than nodes
 * take. A high price may be fine for little gas, so this check needs the gas limit.
 */
export function checkCost(
  { network, feeCap, dataFee }: EvmSpec,
  { maxFeePerGas }: Prices,
  { gasLimit, payments = 1n }: { readonly gasLimit: bigint; readonly payments?: bigint },
): void {
  const mostPrice = atMost(payments * (feeCap - (dataFee?.most ?? 0n)), NODE_CAP) / gasLimit;
  if (maxFeePerGas > mostPrice) throw tooHigh(network, maxFeePerGas, { mostPrice });
}

/** getL1FeeUpperBound(uint256) of the OP Stack's GasPriceOracle: wei for a transaction of this many bytes without its signature. */
const UPPER_BOUND = '0xf1c7a58b';
/** More than an EIP-1559 token transfer has. */
const TRANSFER_BYTES = 200;

/** Wei that the network charges for the data of `bytes` apart from gas; 0 where gas pays for everything. Throws a ChainError. */
export async function readDataFee(node: EvmNode, { dataFee }: EvmSpec, bytes = TRANSFER_BYTES): Promise<bigint> {
  if (dataFee === null) return 0n;
  const data = `${UPPER_BOUND}${bytes.toString(16).padStart(64, '0')}`;
  const call = { method: 'eth_call', params: [{ to: dataFee.oracle, data }, 'latest'], shape: z.string() };
  const answer = await node.rpc.call(call);
  if (/^0x[0-9a-fA-F]{64}$/.test(answer)) return BigInt(answer);
  throw new ChainError('unavailable', `${node.name} has no contract that quotes the fee for data`);
}

/** Throws SendHold while the quote exceeds what the row keeps for each payment: the transaction itself cannot cap this fee. */
export async function checkDataFee(
  node: EvmNode,
  spec: EvmSpec,
  { bytes = TRANSFER_BYTES, payments = 1n }: { readonly bytes?: number; readonly payments?: bigint } = {},
): Promise<void> {
  if (spec.dataFee === null) return;
  const fee = await readDataFee(node, spec, bytes);
  if (fee <= spec.dataFee.most * payments) return;
  throw new SendHold(
    'fee_too_high',
    `${spec.network} asks ${gwei(fee)} gwei for the data of a transfer, and at most ${gwei(spec.dataFee.most)} are paid; the payment waits until it is cheaper`,
  );
}

/** Not every node offers it; then the least tip is offered. */
async function suggestedTip(node: EvmNode): Promise<bigint> {
  try {
    return await node.rpc.call({ method: 'eth_maxPriorityFeePerGas', params: [], shape: wei });
  } catch (error) {
    if (error instanceof RpcError && error.methodMissing) return 0n;
    throw error;
  }
}

/** Wei per gas: the node's price, but never less than validators accept. */
export async function requestedGasPrice(node: EvmNode, { gasPrices }: EvmSpec): Promise<bigint> {
  const price = await node.rpc.call({ method: 'eth_gasPrice', params: [], shape: wei });
  return atLeast(price, gasPrices.leastTip);
}

const tooHigh = (network: string, price: bigint, { mostPrice }: { readonly mostPrice: bigint }): SendHold =>
  new SendHold(
    'fee_too_high',
    `${network} asks ${gwei(price)} gwei per gas, and at most ${gwei(mostPrice)} are paid; the payment waits until it is cheaper`,
  );
const gwei = (price: bigint): string => (Number((price * 1000n) / GWEI) / 1000).toString();
const raised = (price: bigint): bigint => (price * BUMP + OF - 1n) / OF;
const atLeast = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const atMost = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const median = (values: readonly bigint[]): bigint =>
  values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))[values.length >> 1] ?? 0n;
