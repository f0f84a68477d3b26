// Calls that a TRON node simulates and no block takes: what the transfer of a token and the flush of forwarders would take in energy.

import { ChainError, type ChainFault } from '@/lib/networks/chain';
import { addressBytes, requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';
import { triedCall } from '@/lib/networks/families/tron/sending/shapes';
import { flushParameters } from './forwarders';

/** A call of the contract of forwarders. `salts`: the EVM addresses of the indexes. */
export type Flush = {
  readonly from: string;
  readonly factory: string;
  readonly contract: string;
  readonly energyEach: bigint;
  readonly salts: readonly string[];
};

export type Transfer = {
  readonly from: string;
  readonly to: string;
  readonly contract: string;
  readonly amount: bigint;
};

/** Hex digits of a value. */
export const WORD = 64;

/** Null if the contract refuses it. */
export async function simulateTransfer(
  node: TronNode,
  { from, to, contract, amount }: Transfer,
): Promise<bigint | null> {
  const parameter = addressBytes(to).padStart(WORD, '0') + amount.toString(16).padStart(WORD, '0');
  const tried = await constantCall(node, { from, contract, selector: 'transfer(address,uint256)', parameter });
  if (tried.failed) return null;
  if (tried.energy > 0) return BigInt(tried.energy);
  throw new ChainError('unavailable', `${node.name} does not report the energy of a transfer`);
}

type Flushed = { readonly energy: bigint; readonly served: bigint };
type Draft = <T>(work: (node: TronNode) => Promise<T>) => Promise<T>;

/**
 * Null if the contract refuses it. Throws `too_large` when a node refuses to simulate it and no other one does, also while the others do not
 * answer: a call of fewer forwarders may go.
 */
export async function simulateFlush(draft: Draft, flush: Flush): Promise<Flushed | null> {
  const refusals: ChainError[] = [];
  try {
    return await draft((node) =>
      flushAt(node, flush).catch((error: unknown) => {
        if (error instanceof ChainError && error.fault === 'too_large') refusals.push(error);
        throw error;
      }),
    );
  } catch (error) {
    throw error instanceof ChainError ? (refusals[0] ?? error) : error;
  }
}

async function flushAt(node: TronNode, { from, factory, contract, energyEach, salts }: Flush): Promise<Flushed | null> {
  const parameter = flushParameters(contract, energyEach, salts);
  const call = { from, contract: factory, selector: 'flush(address,uint256,bytes32[])', parameter };
  const tried = await constantCall(node, call, 'too_large');
  if (tried.failed) return null;
  if (tried.energy > 0 && tried.word.length === WORD)
    return { energy: BigInt(tried.energy), served: BigInt(`0x${tried.word}`) };
  throw new ChainError('unavailable', `${node.name} does not report the energy of a flush`);
}

type Call = { readonly from: string; readonly contract: string; readonly selector: string; readonly parameter: string };

/** `refusal`: the fault of a node that does not simulate it. */
export async function constantCall(
  node: TronNode,
  { from, contract, selector, parameter }: Call,
  refusal: ChainFault = 'unavailable',
) {
  const body = {
    owner_address: requestAddress(from),
    contract_address: requestAddress(contract),
    function_selector: selector,
    parameter,
  };
  const request = { side: 'wallet', api: 'triggerconstantcontract', body, shape: triedCall } as const;
  const answer = await node.client.request(request);
  if (answer.refused) throw new ChainError(refusal, `${node.name} refuses to simulate a call`);
  return answer;
}
