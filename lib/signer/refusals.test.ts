import fs from 'node:fs';
import {
  createApproveInstruction,
  createSetAuthorityInstruction,
  AuthorityType,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { Interface } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accounts,
  evidenceKey,
  evmDraft,
  localSpec,
  MEMO_PROGRAM,
  openScene,
  orderOn,
  PAYERS,
  solanaDraft,
  solanaSteps,
  START,
  temporaryDirectory,
  tronDraft,
} from '@/lib/testing/signer-scene';
import { makeEvidence } from './evidence';
import { draft as draftFormat, paymentOrder, signParams, type Draft, type PaymentOrder } from './orders';
import type { RefusalCode } from './protocol';

let directory: string;
beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

type Asked = { order: unknown; draft: unknown };
type Case = [what: string, code: RefusalCode | 'invalid', () => Asked | Promise<Asked>];

const eth = orderOn('ethereum');
const bsc = orderOn('bsc');
const trx = orderOn('tron');
const sol = orderOn('solana');
const other = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const wallet = new PublicKey(accounts.of('test', 'solana').address);
const mint = new PublicKey(sol.contract);
const payer = new PublicKey(PAYERS.solana);
const stranger = new PublicKey(Buffer.alloc(32, 77));
const [source, destination] = [wallet, payer].map((owner) => getAssociatedTokenAddressSync(mint, owner)) as [
  PublicKey,
  PublicKey,
];

/** The order changed after the evidence was made, with the draft that would fit it. */
const onEvm =
  (changes: Partial<PaymentOrder>, draft: object = {}) =>
  (): Asked => {
    const order = { ...eth, ...changes };
    return { order, draft: { ...evmDraft(eth), ...draft } };
  };
const call = (text: string, ...values: unknown[]) =>
  new Interface([`function ${text}`]).encodeFunctionData(text.split('(')[0] as string, values);
const evidenced = (
  changes: Partial<PaymentOrder['evidence']>,
  key: Uint8Array = evidenceKey,
  environment: 'live' | 'test' = 'test',
) => {
  const { mac: _mac, ...said } = eth.evidence;
  return { evidence: makeEvidence(key, environment, { ...said, ...changes }) };
};
const onSolana = (steps: (honest: TransactionInstruction[]) => TransactionInstruction[]) => (): Asked => ({
  order: sol,
  draft: solanaDraft(sol, 0, steps(solanaSteps(sol))),
});
const replaced = (at: number, step: TransactionInstruction) => onSolana((steps) => steps.with(at, step));
const added = (step: TransactionInstruction) => onSolana((steps) => [...steps, step]);
const onTron = (changes: Parameters<typeof tronDraft>[3]) => async (): Promise<Asked> => ({
  order: trx,
  draft: await tronDraft(trx, 0, START, changes),
});
/** Honest raw data with text put in place of other text of hex. */
const tronHex = (change: (hex: string) => string) => async (): Promise<Asked> => {
  const draft = (await tronDraft(trx)) as Extract<Draft, { family: 'tron' }>;
  const rawDataHex = change(draft.rawDataHex);
  expect(rawDataHex).not.toBe(draft.rawDataHex);
  return { order: trx, draft: { ...draft, rawDataHex } };
};
const paid = (
  source_: PublicKey,
  mint_: PublicKey,
  destination_: PublicKey,
  owner: PublicKey,
  amount: bigint,
  decimals = 6,
) => createTransferCheckedInstruction(source_, mint_, destination_, owner, amount, decimals);
const amount = BigInt(sol.amount);

const cases: Case[] = [
  // The order.
  ['a live order on test networks', 'not_allowed', onEvm({ environment: 'live' })],
  ['a network that is not in the settings', 'not_allowed', onEvm({ network: 'base' })],
  ['another network of the same family', 'not_allowed', onEvm({ network: 'bsc' })],
  ['a currency that is another contract', 'not_allowed', onEvm({ currency: 'USDC' })],
  ['a currency that is none', 'invalid', onEvm({ currency: 'ETH' as 'USDT' })],
  ['a contract that is no token', 'not_allowed', onEvm({ contract: other }, { to: other })],
  ['the contract in other letters', 'not_allowed', onEvm({ contract: eth.contract.replace('dac', 'DAC') })],
  ['the token of another network', 'not_allowed', onEvm({ contract: bsc.contract }, { to: bsc.contract })],
  ['another destination', 'evidence', onEvm({ to: other })],
  [
    'another destination, drafted so',
    'evidence',
    onEvm({ to: other }, { data: call('transfer(address,uint256)', other, eth.amount) }),
  ],
  ['the zero address', 'not_allowed', onEvm({ to: `0x${'0'.repeat(40)}` })],
  ['the token itself', 'not_allowed', onEvm({ to: eth.contract })],
  ['the refund wallet itself', 'not_allowed', onEvm({ to: accounts.of('test', 'evm').address })],
  ['an address of another family', 'not_allowed', onEvm({ to: PAYERS.tron })],
  ['an address in other letters', 'not_allowed', onEvm({ to: eth.to.toUpperCase().replace('0X', '0x') })],
  ['an address that is too short', 'not_allowed', onEvm({ to: eth.to.slice(0, -1) })],
  ['a higher amount than is drafted', 'draft', onEvm({ amount: '12350000' })],
  ['a lower amount than is drafted', 'draft', onEvm({ amount: '12330000' })],
  ['nothing', 'not_allowed', onEvm({ amount: '0' })],
  ['a part of a cent', 'not_allowed', onEvm({ amount: '12340001' })],
  ['a negative amount', 'invalid', onEvm({ amount: '-12340000' })],
  ['an amount with a fraction', 'invalid', onEvm({ amount: '12340000.0' })],
  ['an amount with an exponent', 'invalid', onEvm({ amount: '1e7' })],
  ['an amount with a leading zero', 'invalid', onEvm({ amount: '012340000' })],
  ['an amount as a number', 'invalid', onEvm({ amount: 12_340_000 as unknown as string })],
  ['more than the limit per refund', 'limit', onEvm({ amount: '1000010000' })],
  ['an empty intent', 'invalid', onEvm({ intentId: '' })],
  ['a field more', 'invalid', onEvm({ memo: 'x' } as Partial<PaymentOrder>)],
  // The evidence.
  ['no evidence', 'invalid', onEvm({ evidence: undefined as unknown as PaymentOrder['evidence'] })],
  ['evidence of another kind than was stated', 'evidence', onEvm({ evidence: { ...eth.evidence, kind: 'claim' } })],
  [
    'evidence of another session than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, session: 'cs_test_2' } }),
  ],
  [
    'evidence of another transfer than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, reference: 'x' } }),
  ],
  [
    'evidence of more money than was stated',
    'evidence',
    onEvm({ evidence: { ...eth.evidence, mostCents: '9999999' } }),
  ],
  ['evidence with an altered address', 'evidence', onEvm({ to: other, evidence: { ...eth.evidence, address: other } })],
  [
    'evidence with one bit of its MAC changed',
    'evidence',
    onEvm({
      evidence: { ...eth.evidence, mac: eth.evidence.mac.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) },
    }),
  ],
  ['evidence with no MAC', 'invalid', onEvm({ evidence: { ...eth.evidence, mac: '' } })],
  ['evidence made with another key', 'evidence', onEvm(evidenced({}, Buffer.alloc(32, 4)))],
  ['evidence made for live', 'evidence', onEvm(evidenced({}, evidenceKey, 'live'))],
  ['honest evidence for another network', 'evidence', onEvm(evidenced({ network: 'bsc' }))],
  ['honest evidence for another address', 'evidence', onEvm(evidenced({ address: other }))],
  ['honest evidence of a smaller payment', 'limit', onEvm(evidenced({ mostCents: '1233' }))],
  // EVM drafts.
  ['another chain id', 'draft', onEvm({}, { chainId: 1 })],
  ['a call of another contract', 'draft', onEvm({}, { to: other })],
  ['transfer to another', 'draft', onEvm({}, { data: call('transfer(address,uint256)', other, eth.amount) })],
  [
    'transfer of more',
    'draft',
    onEvm({}, { data: call('transfer(address,uint256)', eth.to, BigInt(eth.amount) + 1n) }),
  ],
  ['approve', 'draft', onEvm({}, { data: call('approve(address,uint256)', eth.to, eth.amount) })],
  [
    'transferFrom',
    'invalid',
    onEvm({}, { data: call('transferFrom(address,address,uint256)', eth.to, eth.to, eth.amount) }),
  ],
  [
    'dirty upper bytes of the address',
    'draft',
    onEvm({}, { data: evmDraft(eth).data.replace('a9059cbb00', 'a9059cbb01') }),
  ],
  ['bytes after the call', 'invalid', onEvm({}, { data: `${evmDraft(eth).data}00` })],
  ['a value', 'invalid', onEvm({}, { value: '1' })],
  ['an authorization list', 'invalid', onEvm({}, { authorizationList: [] })],
  ['type 4', 'invalid', onEvm({}, { type: 4 })],
  ['a fee above the cap by price', 'draft', onEvm({}, { maxFeePerGas: '300000000000000' })],
  ['a fee above the cap by gas', 'draft', onEvm({}, { gasLimit: '9000000' })],
  ['a tip above the whole fee', 'draft', onEvm({}, { maxPriorityFeePerGas: '3000000001' })],
  ['no fee', 'draft', onEvm({}, { maxFeePerGas: '0', maxPriorityFeePerGas: '0' })],
  ['a negative nonce', 'invalid', onEvm({}, { nonce: -1 })],
  ['a draft of another family', 'draft', async () => ({ order: eth, draft: await tronDraft(trx) })],
  [
    'BSC with the chain id of Ethereum',
    'draft',
    () => ({ order: bsc, draft: { ...evmDraft(bsc), chainId: localSpec('ethereum').chainId } }),
  ],
  // TRON drafts.
  ['TRON: another owner', 'draft', onTron({ owner: accounts.of('live', 'tron').address })],
  ['TRON: a TRX value', 'draft', onTron({ callValue: 1 })],
  ['TRON: a fee limit above the cap', 'draft', onTron({ feeLimit: 50_000_001 })],
  ['TRON: expired', 'draft', onTron({ expiration: START })],
  ['TRON: valid for more than a day', 'draft', onTron({ expiration: START + 86_400_001 })],
  ['TRON: of the future', 'draft', onTron({ timestamp: START + 600_000 })],
  [
    'TRON: another amount',
    'draft',
    async () => ({ order: trx, draft: await tronDraft(orderOn('tron', { cents: 1235n })) }),
  ],
  [
    'TRON: another destination',
    'draft',
    async () => ({ order: trx, draft: await tronDraft(orderOn('tron', { to: 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx' })) }),
  ],
  [
    'TRON: another token',
    'draft',
    async () => ({
      order: trx,
      draft: await tronDraft({ ...trx, contract: localSpec('tron').tokens.USDC?.contract as string }),
    }),
  ],
  ['TRON: another selector', 'draft', tronHex((hex) => hex.replace('a9059cbb', '095ea7b3'))],
  ['TRON: a memo in the raw data', 'draft', tronHex((hex) => `${hex}520178`)],
  ['TRON: an unknown field', 'draft', tronHex((hex) => `${hex}a00601`)],
  ['TRON: a field twice', 'draft', tronHex((hex) => `${hex}${hex.slice(0, 8)}`)],
  ['TRON: a number spelled longer', 'draft', tronHex((hex) => hex.replace(/0e$/, '8e00'))],
  ['TRON: cut short', 'draft', tronHex((hex) => hex.slice(0, -2))],
  ['TRON: nothing', 'invalid', tronHex(() => '')],
  // Solana drafts.
  [
    'Solana: transfer to another account',
    'draft',
    replaced(4, paid(source, mint, getAssociatedTokenAddressSync(mint, stranger), wallet, amount)),
  ],
  ['Solana: transfer to the wallet address itself', 'draft', replaced(4, paid(source, mint, payer, wallet, amount))],
  ['Solana: transfer from another account', 'draft', replaced(4, paid(destination, mint, destination, wallet, amount))],
  ['Solana: transfer of more', 'draft', replaced(4, paid(source, mint, destination, wallet, amount + 1n))],
  ['Solana: transfer with other decimals', 'draft', replaced(4, paid(source, mint, destination, wallet, amount, 9))],
  ['Solana: transfer of another mint', 'draft', replaced(4, paid(source, stranger, destination, wallet, amount))],
  ['Solana: transfer of another owner', 'draft', replaced(4, paid(source, mint, destination, stranger, amount))],
  ['Solana: transfer unchecked', 'draft', replaced(4, createTransferInstruction(source, destination, wallet, amount))],
  ['Solana: two transfers', 'draft', added(paid(source, mint, destination, wallet, amount))],
  ['Solana: no transfer', 'draft', onSolana((steps) => steps.slice(0, 4))],
  ['Solana: an approval', 'draft', added(createApproveInstruction(source, stranger, wallet, amount))],
  [
    'Solana: another authority',
    'draft',
    added(createSetAuthorityInstruction(source, wallet, AuthorityType.AccountOwner, stranger)),
  ],
  [
    'Solana: SOL to another',
    'draft',
    added(SystemProgram.transfer({ fromPubkey: wallet, toPubkey: stranger, lamports: 1 })),
  ],
  [
    'Solana: SOL before the transfer',
    'draft',
    onSolana((steps) => [SystemProgram.transfer({ fromPubkey: wallet, toPubkey: payer, lamports: 1 }), ...steps]),
  ],
  [
    'Solana: an unknown program',
    'draft',
    added(new TransactionInstruction({ programId: stranger, keys: [], data: Buffer.of(1) })),
  ],
  [
    'Solana: a dear priority fee',
    'draft',
    replaced(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 60_000_000 })),
  ],
  ['Solana: a price without a limit', 'draft', onSolana((steps) => steps.slice(1))],
  ['Solana: a heap request', 'draft', replaced(0, ComputeBudgetProgram.requestHeapFrame({ bytes: 1024 }))],
  [
    'Solana: an account created for another',
    'draft',
    onSolana((steps) =>
      steps.with(2, solanaSteps(orderOn('solana', { to: stranger.toBase58() }))[2] as TransactionInstruction),
    ),
  ],
  [
    'Solana: creation that is not idempotent',
    'draft',
    onSolana((steps) =>
      steps.with(2, new TransactionInstruction({ ...(steps[2] as TransactionInstruction), data: Buffer.of(0) })),
    ),
  ],
  [
    'Solana: a memo signed by another',
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
    'Solana: a memo of control characters',
    'draft',
    replaced(3, new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('\n') })),
  ],
  ['Solana: other order of instructions', 'draft', onSolana((steps) => steps.toReversed())],
  [
    'Solana: a byte more',
    'draft',
    () => ({
      order: sol,
      draft: {
        ...solanaDraft(sol),
        messageBase64: Buffer.concat([
          Buffer.from((solanaDraft(sol) as Extract<Draft, { family: 'solana' }>).messageBase64, 'base64'),
          Buffer.of(0),
        ]).toString('base64'),
      },
    }),
  ],
  ['Solana: not base64', 'invalid', () => ({ order: sol, draft: { ...solanaDraft(sol), messageBase64: 'é' } })],
  ['Solana: no height', 'invalid', () => ({ order: sol, draft: { ...solanaDraft(sol), lastValidBlockHeight: 0 } })],
];

test.each(cases)('refused: %s', async (_what, code, make) => {
  const { signer, journalFile } = openScene(directory);
  const before = fs.readFileSync(journalFile, 'utf8');
  const read = signParams.safeParse(await make());
  expect(read.success ? 'read' : 'invalid').toBe(code === 'invalid' ? 'invalid' : 'read');
  if (read.success) {
    const refusal = catchRefusal(() => signer.sign(read.data));
    expect(refusal).toMatchObject({ name: 'Refusal', code });
  }
  // Nothing was begun, so nothing is held against the honest order that follows.
  expect(fs.readFileSync(journalFile, 'utf8')).toBe(before);
});

test('the honest neighbours of all these are signed', async () => {
  const { signer } = openScene(directory);
  const drafts: [PaymentOrder, Draft][] = [
    [eth, evmDraft(eth)],
    [bsc, evmDraft(bsc)],
    [trx, await tronDraft(trx)],
    [sol, solanaDraft(sol)],
    [sol, solanaDraft(sol, 0, solanaSteps(sol).slice(4))],
  ];
  for (const [at, [order, draft]] of drafts.entries()) {
    const params = { order: paymentOrder.parse({ ...order, intentId: `re_${at}` }), draft: draftFormat.parse(draft) };
    expect(signer.sign(params).hash).toBeTypeOf('string');
  }
});

test('the table alters at least sixty things', () => {
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

function catchRefusal(run: () => unknown): unknown {
  try {
    return { signed: run() };
  } catch (error) {
    return error;
  }
}
