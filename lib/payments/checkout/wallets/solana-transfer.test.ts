// The transfer that a Solana wallet signs, read back by Solana's own library.

import { Transaction } from '@solana/web3.js';
import { decodeTransferCheckedInstruction, getAssociatedTokenAddressSync, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { solanaReference } from '@/lib/networks/payment-uri';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { solanaTransfer, type SolanaFacts, type SolanaPayment } from './solana-transfer';

const payment: SolanaPayment = {
  account: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  recipient: 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
  mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  decimals: 6,
  units: 12_340_000n,
  reference: solanaReference('cs_live_1'),
};
const facts: SolanaFacts = {
  tokens: 12_340_000n,
  lamports: 10_000_000n,
  recipientHasAccount: false,
  rent: { tokenAccount: 1_488_440n, wallet: 650_240n },
  blockhash: fakeKey('blockhash'),
};
const ata = (owner: string) => getAssociatedTokenAddressSync(new PublicKey(payment.mint), new PublicKey(owner), true);

describe('the transfer', () => {
  const answer = solanaTransfer(payment, facts);
  const transaction = Transaction.from(Buffer.from('transaction' in answer ? answer.transaction : '', 'base64'));

  test('is paid for and signed by the wallet alone, and lives as long as its blockhash', () => {
    expect(transaction.feePayer?.toBase58()).toBe(payment.account);
    expect(transaction.recentBlockhash).toBe(facts.blockhash);
    expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([payment.account]);
  });

  test('creates the token account, then transfers exactly the amount, with the reference as a read-only key', () => {
    expect(transaction.instructions).toHaveLength(2);
    const last = transaction.instructions[1]!;
    const reference = last.keys.pop();
    expect(reference).toMatchObject({ isSigner: false, isWritable: false });
    expect(reference?.pubkey.toBase58()).toBe(payment.reference);
    const { keys, data } = decodeTransferCheckedInstruction(last, TOKEN_PROGRAM_ID);
    expect([data.amount, data.decimals]).toEqual([12_340_000n, 6]);
    expect(keys.source.pubkey).toEqual(ata(payment.account));
    expect(keys.destination.pubkey).toEqual(ata(payment.recipient));
    expect(keys.mint.pubkey.toBase58()).toBe(payment.mint);
    expect(keys.owner.pubkey.toBase58()).toBe(payment.account);
  });
});

describe('an account that cannot pay gets the reason', () => {
  test('too few tokens, with what it has', () => {
    expect(solanaTransfer(payment, { ...facts, tokens: 12_339_999n })).toEqual({
      fault: { why: 'no_funds', balance: '12.33' },
    });
  });

  test('too little coin for fee, rent of the new token account and its own rent', () => {
    const needed = 5000n + 1_488_440n + 650_240n;
    expect(solanaTransfer(payment, { ...facts, lamports: needed - 1n })).toEqual({ fault: { why: 'no_coin' } });
    expect(solanaTransfer(payment, { ...facts, lamports: needed })).toHaveProperty('transaction');
    const opened = { ...facts, recipientHasAccount: true, lamports: needed - 1_488_440n };
    expect(solanaTransfer(payment, opened)).toHaveProperty('transaction');
  });
});
