// Shared by the tests of the local Solana chain: a chain that makes a block after each transaction, raw calls, and wallets of
// web3.js with coin and tokens.

import { Connection, Keypair, PublicKey, type Commitment } from '@solana/web3.js';
import type { Address } from '@solana/kit';
import type { SolanaNode } from './node';

/** Makes a block after each transaction, so that clients get their confirmation at once. */
export function blockAfterEachTransaction({ ledger, tick }: SolanaNode): () => void {
  let seen = ledger.transactionCount;
  return ledger.onChange(() => {
    const isNew = ledger.transactionCount > seen;
    seen = ledger.transactionCount;
    if (isNew) setImmediate(() => tick());
  });
}

export type RpcAnswer = {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
};

/** A call without a client library; returns the response unchanged. */
export async function call(node: SolanaNode, method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
  return (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as RpcAnswer;
}

/** Any body, as JSON. */
export async function post(node: SolanaNode, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(node.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

/** A new connection of web3.js, which has no cached blockhash of an earlier one. */
export const connect = (node: SolanaNode, commitment: Commitment = 'confirmed'): Connection =>
  new Connection(node.rpcUrl, commitment);

/** A wallet of web3.js with coin, and with base units of each token. */
export async function wallet(
  { bank, mints }: SolanaNode,
  tokens: Readonly<Record<string, bigint>> = {},
): Promise<Keypair> {
  const keypair = Keypair.generate();
  const address = keypair.publicKey.toBase58() as Address;
  await bank.airdrop(address, 10_000_000_000n);
  for (const [currency, amount] of Object.entries(tokens)) {
    await bank.mint({ to: address, mint: mints.genuine[currency] as Address, amount });
  }
  return keypair;
}

/** The mint of a currency as web3.js names it. */
export const mintOf = ({ mints }: SolanaNode, currency: string): PublicKey =>
  new PublicKey(mints.genuine[currency] as string);
