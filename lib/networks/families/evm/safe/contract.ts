// What the contract of a Safe says about itself, through one endpoint, and the SafeTx of a token transfer as ethers writes it. The offline
// program reads the bytes with code that shares nothing with this.

import { z } from 'zod';
import { SAFE_VERSIONS, type SafeState } from '@/lib/networks/sending/safe';
import { evmKindOf } from '@/lib/networks/families/evm/reading/kind-of';
import type { EvmNode } from '@/lib/networks/families/evm/node';
import { isRevert } from '@/lib/networks/families/evm/sending/obstacles';
import { transferCall } from '@/lib/networks/families/evm/sending/write-draft';

const MAX_OWNERS = 50n;

const SAFE_TX =
  'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce';
const ABI = [
  'function VERSION() view returns (string)',
  'function getThreshold() view returns (uint256)',
  'function getOwners() view returns (address[])',
  'function nonce() view returns (uint256)',
  `function getTransactionHash(${SAFE_TX}) view returns (bytes32)`,
] as const;

const bytes = z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/);

/** One endpoint's report about an address. Throws a ChainError. */
export async function readSafe(node: EvmNode, address: string): Promise<SafeState> {
  if ((await evmKindOf(node, address)) === 'wallet') return { kind: 'wallet' };
  const named = await read<string>(node, { safe: address, name: 'VERSION' });
  const version = SAFE_VERSIONS.find((one) => one === named);
  if (version === undefined) return { kind: 'contract', version: named };
  const threshold = await read<bigint>(node, { safe: address, name: 'getThreshold' });
  const owners = await read<readonly string[]>(node, { safe: address, name: 'getOwners' });
  const nonce = await readSafeNonce(node, address, 'latest');
  const isUsable = threshold !== null && threshold > 0n && threshold <= MAX_OWNERS && owners !== null && nonce !== null;
  if (!isUsable || owners.length > MAX_OWNERS) return { kind: 'contract', version };
  return {
    ...{ kind: 'safe', version, nonce },
    ...{ threshold: Number(threshold), owners: owners.map((owner) => owner.toLowerCase()) },
  };
}

/** The first nonce that no SafeTx has used by this block; null if the contract names none. */
export async function readSafeNonce(node: EvmNode, safe: string, block: string): Promise<number | null> {
  const nonce = await read<bigint>(node, { safe, name: 'nonce', block });
  return nonce !== null && nonce <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nonce) : null;
}

export type SafeTransferFields = {
  readonly contract: string;
  readonly to: string;
  readonly amount: bigint;
  readonly nonce: number;
};

/** The ABI encoding of the SafeTx: a call with no value, that repays no gas. */
export async function writeSafeTransfer(transfer: SafeTransferFields): Promise<string> {
  const { AbiCoder } = await import('ethers/abi');
  const types = SAFE_TX.split(', ').map((field) => field.split(' ')[0] as string);
  return AbiCoder.defaultAbiCoder().encode(types, await fieldsOf(transfer));
}

/** The safeTxHash by the Safe's own contract; null if it has none. */
export const readSafeTxHash = async (
  node: EvmNode,
  safe: string,
  transfer: SafeTransferFields,
): Promise<string | null> => read<string>(node, { safe, name: 'getTransactionHash', values: await fieldsOf(transfer) });

const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const fieldsOf = async ({ contract, to, amount, nonce }: SafeTransferFields): Promise<readonly unknown[]> => [
  ...[contract, 0n, await transferCall(to, amount), 0],
  ...[0n, 0n, 0n, NO_ADDRESS, NO_ADDRESS, BigInt(nonce)],
];

type Getter = {
  readonly safe: string;
  readonly name: string;
  readonly values?: readonly unknown[];
  readonly block?: string;
};

/** The only value that a getter returns; null if the contract has no such getter. */
async function read<T>(node: EvmNode, { safe, name, values = [], block = 'latest' }: Getter): Promise<T | null> {
  const { Interface } = await import('ethers/abi');
  const contract = new Interface(ABI);
  const params = [{ to: safe, data: contract.encodeFunctionData(name, values) }, block];
  try {
    const answer = await node.rpc.call({ method: 'eth_call', params, shape: bytes });
    return contract.decodeFunctionResult(name, answer)[0] as T;
  } catch (error) {
    // Another contract reverts, or answers with something else.
    if (isRevert(error) || (error instanceof Error && 'code' in error && error.code === 'BAD_DATA')) return null;
    throw error;
  }
}
