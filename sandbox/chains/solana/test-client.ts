// What the tests of the local Solana chain share: a chain whose blocks follow each transaction at once, raw calls, and wallets of
// web3.js with coin and tokens.

import { Connection, Keypair, PublicKey, type Commitment } from '@solana/web3.js';
import type { Address } from '@solana/kit';
import type { SolanaNode } from './node';

/** Makes a block after each transaction, so that clients that wait for confirmation wait for nothing else. */
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

/** A call without a client library; the answer as it is. */
export async function call(node: SolanaNode, method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
  return (await post(node, { jsonrpc: '2.0', id: 1, method, params })) as RpcAnswer;
}

/** Any body, as JSON. */
export async function post(node: SolanaNode, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(node.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  return answer.json();
}

/** A new connection of web3.js, which remembers no blockhash of an earlier one. */
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

export const addressOfKey = (key: PublicKey): Address => key.toBase58() as Address;
