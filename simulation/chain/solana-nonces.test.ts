// Durable nonce accounts of the simulated Solana chain. @solana/web3.js builds and signs the transactions, not the product.

import { createAssociatedTokenAccountIdempotentInstruction, createTransferCheckedInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, NonceAccount, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { beforeEach, expect, it } from 'vitest';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { networkSpec } from '@/lib/networks/networks';
import { openSolanaChain } from './solana-chain';
import { BLOCKHASH_LIFETIME } from './solana-state';

const [refunds, cold, thief, nonce] = [1, 2, 3, 4].map((byte) => Keypair.fromSeed(new Uint8Array(32).fill(byte))) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
];
const addressOf = ({ publicKey }: Keypair): string => publicKey.toBase58();
const spec = networkSpec('test', 'solana', 'local')!;
const { contract: token, decimals } = spec.tokens.USDC!;
const accountOf = (owner: Keypair): PublicKey => new PublicKey(associatedAccount(addressOf(owner), token));
const START = 1_798_797_600;
const MANY = 10 ** 9;

let chain: ReturnType<typeof openSolanaChain>;
let time: number;
const mine = (): void => chain.mine((time += 10));
const ask = (method: string, ...params: readonly unknown[]): unknown =>
  chain.answer({ height: chain.height() }, method, params);

beforeEach(() => {
  chain = openSolanaChain({ spec, wallet: addressOf(refunds), unixSeconds: START });
  time = START;
  chain.giveCoin?.(addressOf(cold), 10n ** 9n);
  chain.openNonce?.(addressOf(nonce), addressOf(cold));
  chain.pay({ token, payer: addressOf(thief), recipient: addressOf(cold), amount: 100n });
  mine();
});

function read(commitment = 'confirmed'): NonceAccount {
  const { value } = ask('getMultipleAccounts', [addressOf(nonce)], { commitment }) as {
    readonly value: readonly [{ readonly data: readonly [string, string] }];
  };
  return NonceAccount.fromAccountData(Buffer.from(value[0].data[0], 'base64'));
}

/** A transfer to the refund wallet that begins with an advance of the nonce. */
function send(amount: number, { by = cold, value = read().nonce } = {}): unknown {
  const transaction = new Transaction({ feePayer: by.publicKey, blockhash: value, lastValidBlockHeight: MANY }).add(
    SystemProgram.nonceAdvance({ noncePubkey: nonce.publicKey, authorizedPubkey: by.publicKey }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1000 }),
    createAssociatedTokenAccountIdempotentInstruction(
      by.publicKey,
      accountOf(refunds),
      refunds.publicKey,
      new PublicKey(token),
    ),
    createTransferCheckedInstruction(
      accountOf(by),
      new PublicKey(token),
      accountOf(refunds),
      by.publicKey,
      amount,
      decimals,
    ),
  );
  transaction.sign(by);
  return ask('sendTransaction', transaction.serialize().toString('base64'), { encoding: 'base64' });
}
const paid = (): readonly bigint[] =>
  chain
    .transfers(chain.height())
    .filter(({ payer, recipient }) => payer === addressOf(cold) && recipient === addressOf(refunds))
    .map(({ amount }) => amount);

it('lands a transaction long after every blockhash of its time, and gives the nonce another value', () => {
  const { nonce: first, authorizedPubkey: authority } = read();
  expect(authority.equals(cold.publicKey)).toBe(true);
  for (let blocks = 0; blocks <= BLOCKHASH_LIFETIME; blocks += 7) mine();
  expect(send(60, { value: first })).toEqual(expect.any(String));
  mine();
  expect(paid()).toEqual([60n]);
  expect(read().nonce).not.toBe(first);
  // The finalized value is older.
  expect(read('finalized').nonce).toBe(first);
});

it('drops a second transaction of the same value', () => {
  send(60);
  send(30);
  mine();
  mine();
  expect(paid()).toEqual([60n]);
});

it('advances the nonce also for a transfer that fails', () => {
  const { nonce: first } = read();
  send(101);
  mine();
  expect(paid()).toEqual([]);
  expect(read().nonce).not.toBe(first);
});

it('gives the nonce its former value when a reorganisation loses the transaction', () => {
  const { nonce: first } = read();
  const signature = send(60);
  mine();
  chain.reorg(1, (hash) => hash === signature);
  expect([paid(), read().nonce]).toEqual([[], first]);
  send(30);
  mine();
  expect(paid()).toEqual([30n]);
});

it('refuses a transaction of anybody but the authority', () => {
  expect(send(1, { by: thief })).toMatchObject({ error: expect.anything() });
});
