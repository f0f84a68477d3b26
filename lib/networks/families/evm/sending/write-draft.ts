// Writes EVM drafts with ethers. The worker loads ethers' transactions and ABI with its first draft; web and signer never do. The signer
// checks the bytes with a reader that shares nothing with this (read-draft.ts).

import type { EvmDraft } from '@/lib/networks/sending/send';
import type { EvmBatch, EvmTransfer } from './read-draft';

/** The token's methods that sending calls. Issuers name their getters differently. */
const TOKEN = [
  'function transfer(address to, uint256 value)',
  'function balanceOf(address owner)',
  'function isBlackListed(address account)',
  'function isBlacklisted(address account)',
  'function paused()',
  'function basisPointsRate()',
  'function allowance(address owner, address spender)',
  'function approve(address spender, uint256 value)',
] as const;
/** payout-batch.sol. An item is a payee in its lower 160 bits and an amount above them. */
const BATCH = ['function pay(address token, uint256 gasEach, uint256[] items)'];
const PAYEE_BITS = 160n;
export type Getter = 'balanceOf' | 'isBlackListed' | 'isBlacklisted' | 'paused' | 'basisPointsRate';

/** The draft of a transfer. */
export async function writeEvmDraft(
  { contract, to, amount, ...fields }: EvmTransfer,
  { intentId, from }: { readonly intentId: string; readonly from: string },
): Promise<EvmDraft> {
  const { Transaction } = await import('ethers/transaction');
  const call = { to: contract, value: 0n, data: await transferCall(to, amount), accessList: [] };
  return {
    family: 'evm',
    intentId,
    from,
    unsigned: Transaction.from({ type: 2, ...fields, ...call }).unsignedSerialized,
  };
}

/** The unsigned bytes of a batch, 0x-prefixed hex. `payer`: the contract that pays it. */
export async function writeEvmBatch({ token, gasEach, items, ...fields }: EvmBatch, payer: string): Promise<string> {
  const { Transaction } = await import('ethers/transaction');
  const call = { to: payer, value: 0n, data: await batchCall({ token, gasEach, items }), accessList: [] };
  return Transaction.from({ type: 2, ...fields, ...call }).unsignedSerialized;
}

/** The data of the call that pays a batch, hex with 0x. */
export async function batchCall({
  token,
  gasEach,
  items,
}: Pick<EvmBatch, 'token' | 'gasEach' | 'items'>): Promise<string> {
  const { Interface } = await import('ethers/abi');
  const packed = items.map(({ to, amount }) => (amount << PAYEE_BITS) | BigInt(to));
  return new Interface(BATCH).encodeFunctionData('pay', [token, gasEach, packed]);
}

/** The data of a call to allowance(address,address), hex with 0x. */
export const allowanceCall = (owner: string, spender: string): Promise<string> => encode('allowance', [owner, spender]);

/** The data of a call to approve(address,uint256), hex with 0x. */
export const approveCall = (spender: string, amount: bigint): Promise<string> => encode('approve', [spender, amount]);

/** The data of a call to transfer(address,uint256), hex with 0x. */
export const transferCall = (to: string, amount: bigint): Promise<string> => encode('transfer', [to, amount]);

/** The data of a call to a getter, hex with 0x. */
export const getterCall = (name: Getter, address?: string): Promise<string> =>
  encode(name, address === undefined ? [] : [address]);

async function encode(
  name: 'transfer' | 'allowance' | 'approve' | Getter,
  values: readonly unknown[],
): Promise<string> {
  const { Interface } = await import('ethers/abi');
  return new Interface(TOKEN.filter((one) => one.includes(` ${name}(`))).encodeFunctionData(name, values);
}
