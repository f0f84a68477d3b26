import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { solanaSweepKeys } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { partsOf, seed } from '@/testing/signer/signer-scene';
import {
  BLOCKHASH,
  HIGHEST_INDEX,
  LOCAL_SOLANA,
  MINT,
  openSolanaSigner,
  solanaBatch,
  solanaDeposit,
  solanaPolicy,
  solanaSpare,
  solanaSponsor,
  solanaSweep,
  SOLANA_TREASURY,
} from '@/testing/signer/solana-sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { SolanaSweeps } from './solana-sweeps';

const directory = useTemporaryDirectory();
const [mint, treasury, sponsor] = [new PublicKey(MINT), new PublicKey(SOLANA_TREASURY), new PublicKey(solanaSponsor)];
const ataOf = (owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner, true);
const isLimit = expect.objectContaining({ code: 'limit' });

/** The signed transaction with valid signatures, as @solana/web3.js reads it. */
function read(bytes: string): Transaction {
  const transaction = Transaction.from(Buffer.from(bytes, 'base64'));
  expect(transaction.verifySignatures()).toBe(true);
  return transaction;
}
const shown = (steps: readonly TransactionInstruction[]) =>
  steps.map(({ programId, keys, data }) => ({
    program: programId.toBase58(),
    keys: keys.map(({ pubkey, isSigner }) => `${pubkey.toBase58()} ${isSigner}`),
    data: Buffer.from(data).toString('hex'),
  }));
const budget = [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 5000 }),
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 20_000 }),
];

test.each([true, false])('a batch pays the treasury from each deposit address, who all sign (close: %s)', (close) => {
  const { sweeps } = openSolanaSigner(directory);
  const signed = sweeps.sweep(solanaSweep(solanaBatch({ close })));
  const transaction = read(signed.bytes);
  const steps = [2, 0, 1].flatMap((index) => {
    const owner = new PublicKey(solanaDeposit(index));
    const amount = BigInt(12_340_000 + index);
    const move = createTransferCheckedInstruction(ataOf(owner), mint, ataOf(treasury), owner, amount, 6);
    return close ? [move, createCloseAccountInstruction(ataOf(owner), sponsor, owner)] : [move];
  });
  // With the closing, the sponsor's key signs as the recipient of rent too.
  const withoutSponsor = (all: ReturnType<typeof shown>) =>
    all.map((one) => ({ ...one, keys: one.keys.map((key) => (key.startsWith(solanaSponsor) ? 'sponsor' : key)) }));
  expect(withoutSponsor(shown(transaction.instructions))).toEqual(withoutSponsor(shown([...budget, ...steps])));
  expect([transaction.feePayer?.toBase58(), transaction.recentBlockhash]).toEqual([solanaSponsor, BLOCKHASH]);
  expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([
    solanaSponsor,
    ...[2, 0, 1].map(solanaDeposit),
  ]);
  expect(signed.from).toBe(solanaSponsor);
});

test('a batch pays the treasury also from another token account of a deposit address, which its owner signs for', () => {
  const { sweeps } = openSolanaSigner(directory);
  const account = Keypair.generate().publicKey;
  const deposits = [
    { index: 0, amount: '5', account: account.toBase58() },
    { index: 1, amount: '6' },
  ];
  const transaction = read(sweeps.sweep(solanaSweep(solanaBatch({ deposits, close: false }))).bytes);
  const [first, second] = [0, 1].map((index) => new PublicKey(solanaDeposit(index))) as [PublicKey, PublicKey];
  const steps = [
    createTransferCheckedInstruction(account, mint, ataOf(treasury), first, 5, 6),
    createTransferCheckedInstruction(ataOf(second), mint, ataOf(treasury), second, 6, 6),
  ];
  expect(shown(transaction.instructions)).toEqual(shown([...budget, ...steps]));
  expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([
    solanaSponsor,
    ...[0, 1].map(solanaDeposit),
  ]);
});

test('the opening of an account is of the treasury, and the sponsor pays and signs alone', () => {
  const { sweeps } = openSolanaSigner(directory);
  const transaction = read(sweeps.sweep(solanaSweep({ kind: 'deploy', contract: MINT })).bytes);
  const create = createAssociatedTokenAccountIdempotentInstruction(sponsor, ataOf(treasury), treasury, mint);
  expect(shown(transaction.instructions)).toEqual(shown([...budget, create]));
  expect(transaction.signatures).toHaveLength(1);
});

test('the same parameters give the same bytes, also after a restart', () => {
  const scene = openSolanaSigner(directory);
  const first = scene.sweeps.sweep(solanaSweep(solanaBatch()));
  scene.restart();
  expect(scene.sweeps.sweep(solanaSweep(solanaBatch()))).toEqual(first);
  expect(scene.sweeps.state()[0]?.feesLastHour).toBe('100000');
});

test('an address that was never given is not emptied, and the others of its batch are not either', () => {
  const { sweeps, refunds } = openSolanaSigner(directory);
  const deposits = [0, HIGHEST_INDEX + 1].map((index) => ({ index, amount: '1' }));
  const sweep = () => sweeps.sweep(solanaSweep(solanaBatch({ deposits })));
  const before = refunds.state().journal.records;
  expect(sweep).toThrow(expect.objectContaining({ code: 'not_allowed' }));
  expect(refunds.state().journal.records).toBe(before);
  refunds.giveIndexes({ from: HIGHEST_INDEX + 1, count: 1 });
  expect(sweep).not.toThrow();
});

test('a frozen signer signs no sweep, and closing wipes the keys', () => {
  const scene = openSolanaSigner(directory);
  const orders = [solanaBatch(), { kind: 'deploy', contract: MINT } as const];
  scene.refunds.freeze('a test');
  for (const order of orders)
    expect(() => scene.sweeps.sweep(solanaSweep(order))).toThrow(expect.objectContaining({ code: 'frozen' }));
  const other = openSolanaSigner(directory);
  other.sweeps.close();
  for (const order of orders) expect(() => other.sweeps.sweep(solanaSweep(order))).toThrow(/wiped/);
});

test('with the spare sponsor chosen, it signs and pays', () => {
  const { sweeps } = openSolanaSigner(directory, { ...solanaPolicy(), sponsor: 'spare' });
  const signed = sweeps.sweep(solanaSweep(solanaBatch()));
  expect([signed.from, read(signed.bytes).feePayer?.toBase58()]).toEqual([solanaSpare, solanaSpare]);
  expect(sweeps.state()[0]?.active).toBe(solanaSpare);
});

test('the state names the wallets and no delegate', () => {
  const { sweeps } = openSolanaSigner(directory);
  expect(sweeps.state()).toEqual([
    {
      ...{ network: 'solana@local', environment: 'test', treasury: SOLANA_TREASURY, sponsor: solanaSponsor },
      ...{ spareSponsor: solanaSpare, active: solanaSponsor, delegate: null },
      ...{ feesPerHour: String(25n * LOCAL_SOLANA.feeCap), feesLastHour: '0' },
    },
  ]);
});

test('counts what a sweep may cost against the budget of the hour, at least a hundredth of the fee cap', () => {
  const { feeCap } = LOCAL_SOLANA;
  // Four signatures, and 1,400,000 units at one lamport each.
  const dear = solanaSweep(solanaBatch(), { unitLimit: 1_400_000, unitPrice: '1000000' });
  const cost = 4n * 5000n + 1_400_000n;
  const scene = openSolanaSigner(directory, solanaPolicy(cost + feeCap / 100n));
  scene.sweeps.sweep(dear);
  expect(scene.sweeps.state()[0]?.feesLastHour).toBe(String(cost));
  expect(() => scene.sweeps.sweep(dear)).toThrow(isLimit);
  scene.sweeps.sweep(solanaSweep(solanaBatch()));
  expect(() => scene.sweeps.sweep(solanaSweep(solanaBatch()))).toThrow(isLimit);
  scene.restart();
  expect(() => scene.sweeps.sweep(solanaSweep(solanaBatch()))).toThrow(isLimit);
  scene.time.now += 3_600_000;
  scene.sweeps.sweep(solanaSweep(solanaBatch()));
});

test('a transaction may cost the fee cap of one payment, and a lamport more is refused', () => {
  const { sweeps } = openSolanaSigner(directory);
  const priced = (lamports: bigint) => ({ unitLimit: 1_000_000, unitPrice: String(lamports) });
  const most = LOCAL_SOLANA.feeCap - 4n * 5000n;
  expect(() => sweeps.sweep(solanaSweep(solanaBatch(), priced(most + 1n)))).toThrow(isLimit);
  sweeps.sweep(solanaSweep(solanaBatch(), priced(most)));
});

test('a treasury that is a wallet of the signer itself is refused at the start', () => {
  const journal = new SignerJournal(partsOf(`${directory}/own`));
  const refund = refundAccounts(seed).of('live', 'solana').address;
  const ownRefund = refundAccounts(seed).of('test', 'solana').address;
  const start = (wallet: string) => () =>
    new SolanaSweeps({
      ...{ journal, keys: solanaSweepKeys(seed), refundWallets: { live: refund, test: ownRefund } },
      policy: solanaPolicy(undefined, wallet),
    });
  for (const own of [solanaSponsor, solanaSpare, refund]) expect(start(own)).toThrow(/a wallet of this signer/);
  for (const wallet of [SOLANA_TREASURY, ownRefund]) expect(start(wallet)).not.toThrow();
});
