import {
  createApproveInstruction,
  createSetAuthorityInstruction,
  AuthorityType,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { ComputeBudgetProgram, Message, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import {
  altered,
  around,
  expectRefused,
  expectSigned,
  type Asked,
  type RefusedCase,
} from '@/testing/signer/signer-refusals';
import { accounts, MEMO_PROGRAM, orderOn, PAYERS, solanaDraft, solanaSteps } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import type { RefundOrder } from './orders';

const directory = useTemporaryDirectory();

const sol = orderOn('solana');
const wallet = new PublicKey(accounts.of('test', 'solana').address);
const mint = new PublicKey(sol.contract);
const payer = new PublicKey(PAYERS.solana);
const stranger = new PublicKey(Buffer.alloc(32, 77));
const [source, destination] = [wallet, payer].map((owner) => getAssociatedTokenAddressSync(mint, owner)) as [
  PublicKey,
  PublicKey,
];

const aroundSolana = (fields: object) => around(sol, fields, () => solanaDraft(sol));
const onSolana = (steps: (honest: TransactionInstruction[]) => TransactionInstruction[]) => (): Asked => ({
  order: sol,
  draft: solanaDraft(sol, 0, steps(solanaSteps(sol))),
});
const replaced = (at: number, step: TransactionInstruction) => onSolana((steps) => steps.with(at, step));
const added = (step: TransactionInstruction) => onSolana((steps) => [...steps, step]);
const paid = (
  source_: PublicKey,
  mint_: PublicKey,
  destination_: PublicKey,
  owner: PublicKey,
  amount: bigint,
  decimals = 6,
) => createTransferCheckedInstruction(source_, mint_, destination_, owner, amount, decimals);
const amount = BigInt(sol.amount);
const liveWallet = accounts.of('live', 'solana').address;
const liveSteps = solanaSteps(sol, liveWallet);

// One more letter of memo, so that the last letter of its base64 is padded.
const padded = { ...sol, intentId: 're_12' };
const solanaBytes = (change: (bytes: Buffer) => string) =>
  altered(
    padded,
    () => solanaDraft(padded),
    (text) => change(Buffer.from(text, 'base64')),
  );
/** The same instructions on the same accounts, with two read-only ones swapped. */
function withAccountsExchanged(bytes: Buffer): string {
  const honest = Message.from(bytes);
  const [one, two] = [3, 4];
  const moved = (at: number): number => (at === one ? two : at === two ? one : at);
  return new Message({
    header: honest.header,
    accountKeys: honest.accountKeys.map((_key, at) => honest.accountKeys[moved(at)] as PublicKey),
    recentBlockhash: honest.recentBlockhash,
    instructions: honest.instructions.map((step) => ({ ...step, accounts: step.accounts.map(moved) })),
  })
    .serialize()
    .toString('base64');
}
/** The last digit before the padding has unused bits. */
function spelledOtherwise(bytes: Buffer): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const text = bytes.toString('base64');
  const [, start = '', last = '', padding = ''] = /^(.*)([^=])(==?)$/.exec(text) ?? [];
  const other_ = `${start}${digits[digits.indexOf(last) ^ 1]}${padding}`;
  expect(Buffer.from(other_, 'base64').equals(bytes)).toBe(true);
  return other_;
}

const cases: RefusedCase[] = [
  [
    'transfer to another account',
    'draft',
    replaced(4, paid(source, mint, getAssociatedTokenAddressSync(mint, stranger), wallet, amount)),
  ],
  ['transfer to the wallet address itself', 'draft', replaced(4, paid(source, mint, payer, wallet, amount))],
  ['transfer from another account', 'draft', replaced(4, paid(destination, mint, destination, wallet, amount))],
  ['transfer of more', 'draft', replaced(4, paid(source, mint, destination, wallet, amount + 1n))],
  ['transfer with other decimals', 'draft', replaced(4, paid(source, mint, destination, wallet, amount, 9))],
  ['transfer of another mint', 'draft', replaced(4, paid(source, stranger, destination, wallet, amount))],
  ['transfer of another owner', 'draft', replaced(4, paid(source, mint, destination, stranger, amount))],
  ['transfer unchecked', 'draft', replaced(4, createTransferInstruction(source, destination, wallet, amount))],
  ['no compute limit and no price', 'draft', onSolana((steps) => steps.slice(2))],
  [
    'more compute units than the network has',
    'draft',
    replaced(0, ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_001 })),
  ],
  ['no memo', 'draft', onSolana((steps) => steps.toSpliced(3, 1))],
  ['the memo of another intent', 'draft', onSolana(() => solanaSteps({ ...sol, intentId: 're_2' }))],
  ['from the live wallet', 'draft', () => ({ order: sol, draft: solanaDraft(sol, 0, liveSteps, liveWallet) })],
  ['said to be from another wallet', 'draft', aroundSolana({ from: liveWallet, intentId: 're_2' })],
  ['for another intent', 'draft', aroundSolana({ intentId: 're_2' })],
  ['a height that is text', 'invalid', aroundSolana({ lastValidBlockHeight: '1000' })],
  ['a height with a fraction', 'invalid', aroundSolana({ lastValidBlockHeight: 1000.5 })],
  ['two transfers', 'draft', added(paid(source, mint, destination, wallet, amount))],
  ['no transfer', 'draft', onSolana((steps) => steps.slice(0, 4))],
  ['an approval', 'draft', added(createApproveInstruction(source, stranger, wallet, amount))],
  [
    'another authority',
    'draft',
    added(createSetAuthorityInstruction(source, wallet, AuthorityType.AccountOwner, stranger)),
  ],
  ['SOL to another', 'draft', added(SystemProgram.transfer({ fromPubkey: wallet, toPubkey: stranger, lamports: 1 }))],
  [
    'SOL before the transfer',
    'draft',
    onSolana((steps) => [SystemProgram.transfer({ fromPubkey: wallet, toPubkey: payer, lamports: 1 }), ...steps]),
  ],
  [
    'an unknown program',
    'draft',
    added(new TransactionInstruction({ programId: stranger, keys: [], data: Buffer.of(1) })),
  ],
  [
    'a dear priority fee',
    'draft',
    replaced(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 60_000_000 })),
  ],
  ['a price without a limit', 'draft', onSolana((steps) => steps.slice(1))],
  ['a heap request', 'draft', replaced(0, ComputeBudgetProgram.requestHeapFrame({ bytes: 1024 }))],
  [
    'an account created for another',
    'draft',
    onSolana((steps) =>
      steps.with(2, solanaSteps(orderOn('solana', { to: stranger.toBase58() }))[2] as TransactionInstruction),
    ),
  ],
  [
    'creation that is not idempotent',
    'draft',
    onSolana((steps) =>
      steps.with(2, new TransactionInstruction({ ...(steps[2] as TransactionInstruction), data: Buffer.of(0) })),
    ),
  ],
  [
    'a memo signed by another',
    'draft',
    replaced(
      3,
      new TransactionInstruction({
        programId: MEMO_PROGRAM,
        keys: [{ pubkey: stranger, isSigner: true, isWritable: false }],
        data: Buffer.from('x'),
      }),
    ),
  ],
  [
    'a memo of control characters',
    'draft',
    replaced(3, new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('\n') })),
  ],
  ['other order of instructions', 'draft', onSolana((steps) => steps.toReversed())],
  ['a byte more', 'draft', solanaBytes((bytes) => Buffer.concat([bytes, Buffer.of(0)]).toString('base64'))],
  ['a byte less', 'draft', solanaBytes((bytes) => bytes.subarray(0, -1).toString('base64'))],
  ['accounts in another order', 'draft', solanaBytes(withAccountsExchanged)],
  [
    'version 0',
    'draft',
    solanaBytes((bytes) => Buffer.concat([Buffer.of(0x80), bytes, Buffer.of(0)]).toString('base64')),
  ],
  ['base64 spelled otherwise', 'draft', solanaBytes(spelledOtherwise)],
  ['base64 without its end', 'invalid', solanaBytes((bytes) => bytes.toString('base64').replace(/=+$/, ''))],
  ['not base64', 'invalid', aroundSolana({ unsigned: 'é' })],
  ['nothing', 'invalid', aroundSolana({ unsigned: '' })],
  ['no height', 'invalid', aroundSolana({ lastValidBlockHeight: 0 })],
  ['the height left out', 'invalid', aroundSolana({ lastValidBlockHeight: undefined })],
];

test.each(cases)('refused: %s', (_what, code, make) => expectRefused(directory, code, make));

test('the table has at least 40 alterations, each with its own name', () => {
  expect(new Set(cases.map(([what]) => what)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(40);
});

test('the unaltered drafts are signed', () => {
  // A payer may itself be a token account, which is paid directly.
  const direct = orderOn('solana', { to: destination.toBase58() });
  return expectSigned(directory, [
    [sol, (order) => solanaDraft(order)],
    [direct, (order) => solanaDraft(order, 0, directSteps(order))],
  ]);
});

const directSteps = (order: RefundOrder): TransactionInstruction[] =>
  solanaSteps(order)
    .toSpliced(2, 1)
    .with(3, paid(source, mint, new PublicKey(order.to), wallet, amount));
