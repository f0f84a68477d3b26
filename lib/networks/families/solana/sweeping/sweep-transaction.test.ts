// The sweeps of this service, byte for byte as Solana's own libraries write them.

import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  Message,
  PublicKey,
  VersionedTransaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { describe, expect, it, test } from 'vitest';
import {
  batchMessage,
  MOST_DEPOSITS,
  openingMessage,
  signedSweepOf,
  sweepCost,
  unsignedSweep,
  type BatchSweep,
} from './sweep-transaction';

const mint = new PublicKey('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB');
const [sponsor, treasury] = [Keypair.generate(), Keypair.generate().publicKey];
const blockhash = Keypair.generate().publicKey.toBase58();
const units = { unitLimit: 5000, unitPrice: 123_456_789n };
const owners = Array.from({ length: MOST_DEPOSITS + 1 }, () => Keypair.generate());
const ataOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner, true);

const fields = {
  ...units,
  ...{ sponsor: sponsor.publicKey.toBase58(), treasury: treasury.toBase58(), mint: mint.toBase58(), decimals: 6 },
  blockhash,
};
const sweepOf = (count: number, close: boolean): BatchSweep => ({
  ...fields,
  close,
  deposits: owners
    .slice(0, count)
    .map(({ publicKey }, at) => ({ owner: publicKey.toBase58(), amount: 12_340_000n + BigInt(at) * 2n ** 61n })),
});

/** As @solana/web3.js and @solana/spl-token write it. */
const theirs = (instructions: readonly TransactionInstruction[]): Buffer =>
  Buffer.from(
    Message.compile({
      payerKey: sponsor.publicKey,
      recentBlockhash: blockhash,
      instructions: [
        ComputeBudgetProgram.setComputeUnitLimit({ units: units.unitLimit }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: units.unitPrice }),
        ...instructions,
      ],
    }).serialize(),
  );

describe.each([true, false])('with close %s', (close) => {
  it.each(Array.from({ length: MOST_DEPOSITS }, (_, at) => at + 1))(
    'a batch of %i is what the library writes',
    (count) => {
      const sweep = sweepOf(count, close);
      const steps = sweep.deposits.flatMap(({ owner: text, amount }) => {
        const owner = new PublicKey(text);
        const move = createTransferCheckedInstruction(ataOf(owner), mint, ataOf(treasury), owner, amount, 6);
        return close ? [move, createCloseAccountInstruction(ataOf(owner), sponsor.publicKey, owner)] : [move];
      });
      expect(Buffer.from(batchMessage(sweep))).toEqual(theirs(steps));
    },
  );
});

test('the opening of the treasury’s account is what the library writes', () => {
  const create = createAssociatedTokenAccountIdempotentInstruction(sponsor.publicKey, ataOf(treasury), treasury, mint);
  expect(Buffer.from(openingMessage(fields))).toEqual(theirs([create]));
});

test('six deposits fit into a transaction and seven do not', () => {
  const bytes = Buffer.from(unsignedSweep(batchMessage(sweepOf(6, true))), 'base64');
  expect(bytes.length).toBe(1194);
  expect(() => batchMessage(sweepOf(7, true))).toThrow('longer than a sweep');
});

test('one deposit address twice, or a deposit address that is the sponsor or the treasury, is refused', () => {
  const [one] = sweepOf(1, false).deposits as [BatchSweep['deposits'][number]];
  const { sponsor: payer, treasury: wallet } = fields;
  expect(() => batchMessage({ ...sweepOf(1, false), deposits: [one, one] })).toThrow('listed twice');
  for (const owner of [payer, wallet])
    expect(() => batchMessage({ ...sweepOf(1, false), deposits: [{ ...one, owner }] })).toThrow('listed twice');
});

test('the signed transaction has the signatures in the order of its signers, and its first one is its hash', () => {
  const message = batchMessage(sweepOf(3, true));
  const expected = new VersionedTransaction(Message.from(message));
  expected.sign([sponsor, ...owners.slice(0, 3)]);
  const [first, ...others] = expected.signatures as [Uint8Array, ...Uint8Array[]];
  const signed = signedSweepOf(message, first, others);
  expect(Buffer.from(signed.bytes, 'base64')).toEqual(Buffer.from(expected.serialize()));
  expect(unsignedSweep(message)).toHaveLength(signed.bytes.length);
});

test('costs five thousand lamports a signature, the units at their price rounded up, and the rent of an opened account', () => {
  expect(sweepCost({ unitLimit: 5000, unitPrice: 1000n }, 6)).toBe(35_005n);
  expect(sweepCost({ unitLimit: 5000, unitPrice: 1n }, 1)).toBe(10_001n);
  expect(sweepCost({ unitLimit: 60_000, unitPrice: 1_000_000n }, 0)).toBe(5000n + 60_000n + 2_039_280n);
});
