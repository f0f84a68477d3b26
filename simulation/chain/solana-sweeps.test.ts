// What the simulated Solana chain does with the transactions of a sweep. @solana/web3.js builds and signs them, not the product.

import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
} from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { associatedAccount } from '@/lib/networks/families/solana/address';
import { networkSpec } from '@/lib/networks/networks';
import { openSolanaChain } from './solana-chain';
import { RENT } from './solana-state';

const keyOf = (byte: number): Keypair => Keypair.fromSeed(Uint8Array.from(Array<number>(32).fill(byte)));
const [refunds, sponsor, one, other, owner, customer] = [1, 2, 3, 4, 5, 6].map(keyOf) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
  Keypair,
];
const addressOf = ({ publicKey }: Keypair): string => publicKey.toBase58();
const treasury = addressOf(owner);
const spec = networkSpec('test', 'solana', 'local')!;
const { contract: token, decimals } = spec.tokens.USDC!;
const mint = new PublicKey(token);
const START = 1_798_797_600;
const COIN = 1_000_000_000n;
/** For a signature, and for the compute units of a transaction. */
const [FEE, UNITS] = [5000, 5];
const UNITS_AND_PRICE = [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 5000 }),
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1000 }),
];
const key = (address: string): PublicKey => new PublicKey(address);
const accountOf = (address: string): PublicKey => key(associatedAccount(address, token));

const open = () => openSolanaChain({ spec, wallet: addressOf(refunds), unixSeconds: START });
let chain: ReturnType<typeof open>;
let time: number;
const mine = (): void => chain.mine((time += 10));
const ask = (method: string, ...params: readonly unknown[]) =>
  chain.answer({ height: chain.height() }, method, params) as { readonly value?: unknown; readonly error?: unknown };
beforeEach(() => {
  chain = open();
  time = START;
  chain.giveCoin?.(addressOf(sponsor), COIN);
  mine();
});

function built(instructions: readonly TransactionInstruction[]): Transaction {
  const { blockhash } = ask('getLatestBlockhash', { commitment: 'confirmed' }).value as { readonly blockhash: string };
  return new Transaction({ feePayer: sponsor.publicKey, blockhash, lastValidBlockHeight: 0 }).add(
    ...UNITS_AND_PRICE,
    ...instructions,
  );
}
const bytesOf = (transaction: Transaction): string =>
  transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64');
function send(instructions: readonly TransactionInstruction[], owners: readonly Keypair[] = []): unknown {
  const transaction = built(instructions);
  transaction.sign(sponsor, ...owners);
  return ask('sendTransaction', bytesOf(transaction), { encoding: 'base64' });
}
const opening = () =>
  createAssociatedTokenAccountIdempotentInstruction(sponsor.publicKey, accountOf(treasury), owner.publicKey, mint);
const move = (from: Keypair, amount: bigint) =>
  createTransferCheckedInstruction(
    accountOf(addressOf(from)),
    mint,
    accountOf(treasury),
    from.publicKey,
    amount,
    decimals,
  );
const close = (from: Keypair) =>
  createCloseAccountInstruction(accountOf(addressOf(from)), sponsor.publicKey, from.publicKey);
const pay = (to: Keypair, amount: bigint) =>
  chain.pay({ token, payer: addressOf(customer), recipient: addressOf(to), amount });
const coin = (): unknown => ask('getBalance', addressOf(sponsor), { commitment: 'confirmed' }).value;
const exists = (from: Keypair): boolean => {
  const accounts = [accountOf(addressOf(from)).toBase58()];
  return (ask('getMultipleAccounts', accounts, { commitment: 'confirmed' }).value as readonly unknown[])[0] !== null;
};
const moved = () =>
  chain
    .transfers(chain.height())
    .filter(({ payer }) => payer !== addressOf(customer))
    .map(({ payer, recipient, amount }) => ({ payer, recipient, amount }));
const to = (payer: Keypair, amount: bigint) => ({ payer: addressOf(payer), recipient: treasury, amount });

describe('a batch', () => {
  beforeEach(() => {
    pay(one, 5n);
    pay(other, 7n);
    send([opening()]);
    mine();
  });

  it('moves the tokens of every address, closes their accounts, and gives their rent to the fee payer', () => {
    expect(coin()).toBe(Number(COIN) - FEE - UNITS - RENT);
    send([move(one, 5n), close(one), move(other, 7n), close(other)], [one, other]);
    mine();
    expect(moved()).toEqual([to(one, 5n), to(other, 7n)]);
    expect([one, other].map(exists)).toEqual([false, false]);
    expect(coin()).toBe(Number(COIN) - 4 * FEE - 2 * UNITS + RENT);
    expect(chain.sent?.().map(({ cost }) => cost)).toEqual([BigInt(FEE + UNITS + RENT), BigInt(3 * FEE + UNITS)]);
  });

  it('moves nothing and costs its fee when one account holds more than it moves, or is blocked', () => {
    send([move(one, 4n), close(one), move(other, 7n), close(other)], [one, other]);
    mine();
    chain.refuse(token, addressOf(other));
    send([move(one, 5n), move(other, 7n)], [one, other]);
    mine();
    expect(moved()).toEqual([]);
    expect([one, other].map(exists)).toEqual([true, true]);
    expect(coin()).toBe(Number(COIN) - 7 * FEE - 3 * UNITS - RENT);
    chain.allowAll();
    send([move(one, 4n)], [one]);
    mine();
    expect(moved()).toEqual([to(one, 4n)]);
  });

  it('is taken only with every signature, and while its fee payer has coin', () => {
    const unsigned = built([move(one, 5n)]);
    unsigned.partialSign(sponsor);
    expect(ask('sendTransaction', bytesOf(unsigned))).toMatchObject({ error: { code: -32003 } });
    chain.penniless?.add(addressOf(sponsor));
    expect(send([move(one, 5n)], [one])).toMatchObject({ error: { code: -32003 } });
    chain.penniless?.clear();
    expect(send([move(one, 5n)], [one])).toEqual(expect.any(String));
  });

  it('does in the blocks after a reorganisation what it can do there', () => {
    send([move(one, 5n), close(one)], [one]);
    mine();
    expect(chain.reorg(1, () => false)).toBe(1);
    expect(moved()).toEqual([]);
    expect(exists(one)).toBe(true);
    mine();
    expect(moved()).toEqual([to(one, 5n)]);
    expect(exists(one)).toBe(false);
  });

  it('is simulated as it would run', () => {
    const simulated = (...instructions: readonly TransactionInstruction[]) =>
      ask('simulateTransaction', bytesOf(built(instructions)), { commitment: 'confirmed' }).value;
    expect(simulated(move(one, 5n), close(one))).toMatchObject({ err: null });
    expect(simulated(move(one, 6n))).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] } });
    expect(simulated(move(one, 4n), close(one))).toMatchObject({ err: { InstructionError: [1, { Custom: 11 }] } });
    chain.refuse(token, '*');
    expect(simulated(move(one, 5n))).toMatchObject({ err: { InstructionError: [0, { Custom: 17 }] } });
  });
});

it('a deposit address sends with the operator’s own tools only what it has', () => {
  pay(one, 5n);
  mine();
  const payOut = (amount: bigint) =>
    chain.pay({ token, payer: addressOf(one), recipient: treasury, amount, needsFunds: true });
  payOut(6n);
  payOut(5n);
  mine();
  expect(moved()).toEqual([to(one, 5n)]);
});
