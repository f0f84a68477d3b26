// Money that leaves a watched address on the sandbox's Solana chain with its real token program: the adapter's scan reports the
// payment to the address and the transfer out of it, which the owner of its key signed, also when the account was closed after it.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Connection, Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnCheckedInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountCursor, ChainAdapter, FoundTransfer } from '@/lib/networks/chain';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { watching } from '@/testing/watching/watching';
import type { LocalNetwork } from './local-network';
import { startSolana } from './solana/start';

const FINAL = 40;
const CENT = 10_000n;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-solana-outgoing-'));
const fail = (error: Error): never => {
  throw error;
};
let chain: LocalNetwork;
let adapter: ChainAdapter;
let connection: Connection;
let payer: Keypair;
let mint: PublicKey;

beforeAll(async () => {
  chain = await startSolana({ directory, onFault: fail });
  adapter = openSolanaAdapter({ spec: chain.spec, urls: [chain.rpcUrl], clock: systemClock, log: silentLog() });
  connection = new Connection(chain.rpcUrl, 'confirmed');
  payer = Keypair.fromSecretKey(base58.decode(chain.payer.privateKey));
  mint = new PublicKey(chain.spec.tokens.USDT!.contract);
}, 60_000);
afterAll(async () => {
  await chain?.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const ataOf = (owner: PublicKey) => getAssociatedTokenAddressSync(mint, owner);
const transfer = (from: PublicKey, to: PublicKey, amount: bigint) =>
  createTransferCheckedInstruction(ataOf(from), mint, ataOf(to), from, amount, 6);
const openAta = (owner: PublicKey) =>
  createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, ataOf(owner), owner, mint);

/** Sends a transaction of the owner, whose fee the payer pays, and mines it. */
async function send(owner: Keypair, instructions: TransactionInstruction[]): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash } as never);
  transaction.add(...instructions).sign(payer, owner);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  await chain.mine(2);
  return signature;
}

/** Scans everything up to the final block, from the cursors of earlier scans. */
async function scan(owner: PublicKey, accountCursors: readonly AccountCursor[] = []) {
  await chain.mine(FINAL);
  const { final } = await adapter.head();
  const address = owner.toBase58();
  const window = { from: 1, to: final.number, parentHash: null, final: true };
  const result = await adapter.scan(window, watching([address], [{ owner: address, accountCursors }]));
  expect(result.unfinished).toBeUndefined();
  return result;
}
const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ currency, payer: from, recipient, amount, isPlain }) => ({
    currency,
    payer: from,
    recipient,
    amount,
    isPlain,
  }));
const paid = async (cents: bigint): Promise<Keypair> => {
  const owner = Keypair.generate();
  await chain.pay({ recipient: owner.publicKey.toBase58(), cents, currency: 'USDT', scenario: 'exact' });
  return owner;
};

it('reports what a watched address received and what left it, once each', async () => {
  const owner = await paid(1200n);
  const [us, treasury] = [owner.publicKey, Keypair.generate().publicKey];
  const hash = await send(owner, [openAta(treasury), transfer(us, treasury, 700n * CENT)]);
  const { transfers, outgoing, accountCursors } = await scan(us);
  expect(brief(transfers)).toMatchObject([
    { currency: 'USDT', payer: chain.payer.address, recipient: us.toBase58(), amount: 1200n * CENT },
  ]);
  const out = { currency: 'USDT', payer: us.toBase58(), recipient: treasury.toBase58(), isPlain: true };
  expect(brief(outgoing)).toEqual([{ ...out, amount: 700n * CENT }]);
  expect(outgoing).toMatchObject([{ transactionHash: hash, contract: mint.toBase58() }]);
  expect(accountCursors).toMatchObject([{ amount: 500n * CENT }]);
  expect(await chain.balance(us.toBase58(), 'USDT')).toBe(500n * CENT);

  const close = createCloseAccountInstruction(ataOf(us), payer.publicKey, us);
  await send(owner, [transfer(us, treasury, 500n * CENT), close]);
  const rest = await scan(us, accountCursors);
  expect(rest.transfers).toEqual([]);
  expect(brief(rest.outgoing)).toEqual([{ ...out, amount: 500n * CENT }]);
  expect(rest.accountCursors).toMatchObject([{ amount: 0n }]);
  expect((await scan(us, rest.accountCursors)).outgoing ?? []).toEqual([]);
});

it('reports burned tokens as outgoing to the mint', async () => {
  const owner = await paid(300n);
  const us = owner.publicKey;
  const { accountCursors } = await scan(us);
  await send(owner, [createBurnCheckedInstruction(ataOf(us), mint, us, 100n * CENT, 6)]);
  const { transfers, outgoing } = await scan(us, accountCursors);
  expect(transfers).toEqual([]);
  const [burned, to] = [100n * CENT, mint.toBase58()];
  expect(brief(outgoing)).toEqual([
    { currency: 'USDT', payer: us.toBase58(), recipient: to, amount: burned, isPlain: false },
  ]);
});
