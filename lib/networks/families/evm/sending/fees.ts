// What a payment on an EVM network may cost, and what it is offered for: EIP-1559 where there is a base fee, one explicit
// price where it is constantly zero, as on BSC (chains.md 3.1 and section 0, rows 5 and 9).

import { z } from 'zod';
import type { EvmSpec } from '@/lib/networks/networks';
import { SendHold } from '@/lib/networks/sending/send';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import type { EvmTransfer } from './draft';

/** Wei per gas. */
export type Prices = Pick<EvmTransfer, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

const GWEI = 10n ** 9n;
const [BUMP, OF] = [1125n, 1000n];
const HISTORY = ['0x5', 'latest', [50]] as const;

const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
const history = z.object({ baseFeePerGas: z.array(wei).min(1), reward: z.array(z.array(wei)).nullish() });

/** The prices of a new transaction. Throws SendHold when the network asks for more than is ever paid. */
export async function offeredPrices(node: EvmNode, spec: EvmSpec): Promise<Prices> {
  const { network, gasPrices: limits } = spec;
  const { baseFeePerGas, reward } = await node.rpc.call({ method: 'eth_feeHistory', params: HISTORY, shape: history });
  const base = baseFeePerGas.at(-1) ?? 0n;
  if (base === 0n) {
    const price = await requestedGasPrice(node, spec);
    if (price > limits.mostPrice) throw tooHigh(network, price, limits);
    // All of the price is tip, unless the endpoint is wrong about the base fee; then no more of it is.
    return { maxFeePerGas: price, maxPriorityFeePerGas: atMost(price, limits.mostTip) };
  }
  const tips = (reward ?? []).flatMap(([tip]) => (tip === undefined ? [] : [tip]));
  const usual = tips.length > 0 ? median(tips) : await suggestedTip(node);
  const tip = atMost(atLeast(usual, limits.leastTip), limits.mostTip);
  if (base + tip > limits.mostPrice) throw tooHigh(network, base + tip, limits);
  return { maxFeePerGas: atMost(2n * base + tip, limits.mostPrice), maxPriorityFeePerGas: tip };
}

/**
 * Prices that replace those of a transaction with the same nonce: what the network asks now, at least an eighth more on
 * both (geth wants a tenth). Throws SendHold when that is more than is ever paid.
 */
export function replacingPrices({ network, gasPrices: limits }: EvmSpec, before: Prices, now: Prices): Prices {
  const maxPriorityFeePerGas = atLeast(now.maxPriorityFeePerGas, raised(before.maxPriorityFeePerGas));
  const maxFeePerGas = atLeast(atLeast(now.maxFeePerGas, raised(before.maxFeePerGas)), maxPriorityFeePerGas);
  if (maxFeePerGas > limits.mostPrice) throw tooHigh(network, maxFeePerGas, limits);
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Throws SendHold for a payment that may cost more than is ever paid, and signed. A dear price is paid for little gas, so this
 * is seen only when the gas is known.
 */
export function checkCost({ network, feeCap }: EvmSpec, { maxFeePerGas }: Prices, gasLimit: bigint): void {
  const mostPrice = feeCap / gasLimit;
  if (maxFeePerGas > mostPrice) throw tooHigh(network, maxFeePerGas, { mostPrice });
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

/** Wei per gas: what it asks, and never less than those who mine take. */
export async function requestedGasPrice(node: EvmNode, { gasPrices }: EvmSpec): Promise<bigint> {
  const asked = await node.rpc.call({ method: 'eth_gasPrice', params: [], shape: wei });
  return atLeast(asked, gasPrices.leastTip);
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
