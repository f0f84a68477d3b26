// Reads a durable nonce account: a transaction that begins with its value stays valid until the account's authority advances it.

import { ChainError } from '@/lib/networks/chain';
import { SYSTEM_PROGRAM, keyText } from '@/lib/networks/families/solana/address';
import type { SolanaNode } from '@/lib/networks/families/solana/node';
import { sendAccounts } from './shapes';

/** Version and state (u32 each), authority, value, and the fee of then (u64). */
const LENGTH = 80;
const [STATE_AT, AUTHORITY_AT, VALUE_AT, VALUE_END] = [4, 8, 40, 72];
const [CURRENT_VERSION, INITIALISED] = [1, 1];

/** A nonce account as of a slot; `nonce` is null if the account does not exist or has another type. */
type NonceReading = {
  readonly slot: number;
  readonly nonce: { readonly authority: string; readonly value: string } | null;
};

/** Reads a nonce account of any authority. Throws a ChainError if the endpoint does not answer. */
export async function readNonceAccount(
  node: SolanaNode,
  account: string,
  commitment: 'confirmed' | 'finalized',
): Promise<NonceReading> {
  const params = [[account], { encoding: 'base64', commitment }];
  const { context, value } = await node.rpc.call({ method: 'getMultipleAccounts', params, shape: sendAccounts });
  if (value.length !== 1) throw new ChainError('contradiction', `${node.name} answered for another number of accounts`);
  const data = value[0]?.owner === SYSTEM_PROGRAM ? value[0].data : null;
  const isNonce =
    data?.length === LENGTH && data.readUInt32LE(0) === CURRENT_VERSION && data.readUInt32LE(STATE_AT) === INITIALISED;
  if (!data || !isNonce) return { slot: context.slot, nonce: null };
  const authority = keyText(data.subarray(AUTHORITY_AT, VALUE_AT));
  return { slot: context.slot, nonce: { authority, value: keyText(data.subarray(VALUE_AT, VALUE_END)) } };
}

/** The value of a nonce account of this authority; null for any other account. Throws a ChainError if the endpoint does not answer. */
export async function readNonce(
  node: SolanaNode,
  { account, authority }: { readonly account: string; readonly authority: string },
  commitment: 'confirmed' | 'finalized',
): Promise<string | null> {
  const { nonce } = await readNonceAccount(node, account, commitment);
  return nonce?.authority === authority ? nonce.value : null;
}
