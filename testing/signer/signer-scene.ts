// A refund signer on its own journal, with orders and drafts of an honest worker. The networks' own libraries create
// the drafts, not the code under test.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Message,
  PublicKey,
  SystemProgram,
  Transaction as SolanaTransaction,
  TransactionInstruction,
} from '@solana/web3.js';
import { Interface, Transaction, type TransactionLike } from 'ethers';
import { TronWeb } from 'tronweb';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Draft, EvmDraft, SolanaDraft, TronDraft } from '@/lib/networks/sending/send';
import { makeEvidence, makeOutcome, type Evidence, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import type { RefundOrder, Signed } from '@/lib/signer/orders';
import { checkPayment } from '@/lib/signer/draft-rules';
import { allow, chainsOf, type Allowed, type Policy } from '@/lib/signer/policy';
import { RefundSigner, type RefundSignerParts } from '@/lib/signer/refund-signer';
import { journalKeyOf } from '@/lib/signer/journal/signer-journal';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { seed } from '@/testing/refunds/deposit-keys';
import { WATCHER_KEY } from '@/testing/payments/proven-transfer';

export { seed };
export const accounts = refundAccounts(seed);
export const evidenceKey = WATCHER_KEY;
/** 2026-11-21T00:00:00Z in milliseconds. */
export const START = 1_795_219_200_000;
/** Every network of the table, also those that are off. */
export const NETWORK_NAMES: readonly string[] = [...new Set(NETWORKS.map(({ network }) => network))];

/** A payer per family. */
export const PAYERS = {
  evm: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  tron: 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
  solana: 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
} as const;

export const localSpec = (network: string): NetworkSpec =>
  NETWORKS.find((row) => row.network === network && row.chain === 'local') as NetworkSpec;

export const policy = (changes: Partial<Policy['limits']> = {}): Policy => ({
  chains: chainsOf(NETWORK_NAMES.map((network) => `${network}@local`).join(',')),
  limits: { perRefund: 100_000n, perHour: 10_000_000n, perDay: 100_000_000n, ...changes },
  claimLimits: { perRefund: 50_000n, perHour: 100_000n, perDay: 500_000n },
  payoutLimits: { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n },
  cold: { wallets: [], limits: { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n } },
  fees: new Map(),
  batches: [],
  approvalAbove: 500_000n,
  payoutApprovalAbove: 1_000_000n,
  approvals: null,
  evidenceKey,
});

export type Scene = {
  readonly signer: RefundSigner;
  readonly time: { now: number };
  readonly journalFile: string;
  /** Stops this signer and starts one on the same journal. */
  readonly restart: () => RefundSigner;
};

export function openScene(directory: string, limits: Partial<Policy['limits']> = {}): Scene {
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'scene-')), 'keystore.json.journal');
  const time = { now: START };
  const parts = { ...partsOf(journalFile, time), policy: policy(limits), isNewWallet: true };
  const scene = {
    signer: new RefundSigner(parts),
    time,
    journalFile,
    restart: () => (scene.signer = new RefundSigner({ ...parts, accounts: refundAccounts(seed), isNewWallet: false })),
  };
  return scene;
}

export const partsOf = (journalFile: string, time: { now: number } = { now: START }): RefundSignerParts => ({
  accounts: refundAccounts(seed),
  policy: policy(),
  clock: { now: () => new Date(time.now) },
  journalFile,
  journalKey: journalKeyOf(seed),
  fingerprint: 'f'.repeat(64),
  isNewWallet: true,
});

export const temporaryDirectory = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-signing-'));

type OrderChanges = { intentId?: string; cents?: bigint; to?: string; session?: string; mostCents?: bigint };

/** An order for 12.34 USDT with its evidence; in the first token of a network without USDT. */
export function orderOn(network: string, changes: OrderChanges = {}): RefundOrder {
  const spec = localSpec(network);
  const currency = spec.tokens.USDT ? 'USDT' : 'USDC';
  const token = spec.tokens[currency] as NonNullable<NetworkSpec['tokens']['USDT']>;
  const to = changes.to ?? PAYERS[spec.family];
  const amount = (changes.cents ?? 1234n) * 10n ** BigInt(token.decimals - 2);
  const fields: Omit<Evidence, 'mac'> = {
    kind: 'payer',
    session: changes.session ?? 'cs_test_1',
    network,
    address: to,
    reference: 'transfer/1',
    mostCents: String(changes.mostCents ?? 1_000_000n),
  };
  return {
    intentId: changes.intentId ?? 're_1',
    environment: 'test',
    network,
    currency,
    contract: token.contract,
    to,
    amount: String(amount),
    evidence: makeEvidence(evidenceKey, 'test', fields),
  };
}

/** The signer's check of a draft for an order, under its local rows or changed ones. Throws a Refusal. */
export const signerCheck =
  (order: RefundOrder, draft: Draft) =>
  (changes: Partial<Pick<Allowed, 'spec' | 'feeCap'>> = {}): void =>
    void checkPayment(draft, { ...allow(order, policy(), accounts), ...changes }, draft.from);

/** `variant` creates another draft of the same order: the next nonce, block, or block hash. */
export async function draftOf(order: RefundOrder, variant = 0, now = START): Promise<Draft> {
  const { family } = localSpec(order.network);
  if (family === 'evm') return evmDraft(order, { nonce: variant });
  if (family === 'tron') return tronDraft(order, variant, now);
  return solanaDraft(order, variant);
}

const erc20 = new Interface(['function transfer(address to, uint256 amount)']);

export type EvmChanges = TransactionLike;

export const evmDraft = (order: RefundOrder, changes: EvmChanges = {}): EvmDraft => ({
  family: 'evm',
  intentId: order.intentId,
  from: accounts.of('test', 'evm').address,
  unsigned: Transaction.from({
    chainId: localSpec(order.network).chainId,
    type: 2,
    nonce: 0,
    gasLimit: 90_000n,
    maxFeePerGas: 3_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    to: order.contract.toLowerCase(),
    data: erc20.encodeFunctionData('transfer', [order.to, order.amount]),
    ...changes,
  }).unsignedSerialized,
});

const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:9' });

export type TronChanges = {
  feeLimit?: number;
  owner?: string;
  expiration?: number;
  callValue?: number;
  timestamp?: number;
  refBlockBytes?: string;
  refBlockHash?: string;
  permissionId?: number;
};

export async function tronDraft(
  order: RefundOrder,
  variant = 0,
  now = START,
  changes: TronChanges = {},
): Promise<TronDraft> {
  const wallet = accounts.of('test', 'tron').address;
  const { transaction } = await tronWeb.transactionBuilder._triggerSmartContractLocal(
    order.contract,
    'transfer(address,uint256)',
    {
      feeLimit: changes.feeLimit ?? 30_000_000,
      callValue: changes.callValue ?? 0,
      permissionId: changes.permissionId ?? 0,
      blockHeader: {
        ref_block_bytes: changes.refBlockBytes ?? (0x5313 + variant).toString(16),
        ref_block_hash: changes.refBlockHash ?? '46a60be20a563ff1',
        expiration: changes.expiration ?? now + 60_000,
        timestamp: changes.timestamp ?? now,
      },
    },
    [
      { type: 'address', value: order.to },
      { type: 'uint256', value: order.amount },
    ],
    changes.owner ?? wallet,
  );
  const { intentId } = order;
  return { family: 'tron', intentId, from: changes.owner ?? wallet, unsigned: transaction.raw_data_hex };
}

export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** The instructions of an honest refund. */
export function solanaSteps(
  order: RefundOrder,
  from: string = accounts.of('test', 'solana').address,
): TransactionInstruction[] {
  const [mint, wallet] = [new PublicKey(order.contract), new PublicKey(from)];
  const to = new PublicKey(order.to);
  const destination = getAssociatedTokenAddressSync(mint, to, true);
  const source = getAssociatedTokenAddressSync(mint, wallet);
  return [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 60_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 20_000 }),
    createAssociatedTokenAccountIdempotentInstruction(wallet, destination, to, mint),
    new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(order.intentId) }),
    createTransferCheckedInstruction(source, mint, destination, wallet, BigInt(order.amount), 6),
  ];
}

export function solanaDraft(
  order: RefundOrder,
  variant = 0,
  steps = solanaSteps(order),
  from: string = accounts.of('test', 'solana').address,
): SolanaDraft {
  const transaction = new SolanaTransaction();
  transaction.feePayer = new PublicKey(from);
  transaction.recentBlockhash = new PublicKey(Buffer.alloc(32, 9 + variant)).toBase58();
  transaction.add(...steps);
  const unsigned = inOurOrder(transaction.compileMessage(), order, from).serialize().toString('base64');
  return { family: 'solana', intentId: order.intentId, from, unsigned, lastValidBlockHeight: 1000 + variant * 1000 };
}

/** The same message with its accounts in this service's order; within their access rights any order is valid. */
function inOurOrder(message: Message, order: RefundOrder, from: string): Message {
  const mint = new PublicKey(order.contract);
  const listed = [
    from,
    getAssociatedTokenAddressSync(mint, new PublicKey(from), true),
    getAssociatedTokenAddressSync(mint, new PublicKey(order.to), true),
    order.to,
    mint,
    SystemProgram.programId,
    TOKEN_PROGRAM_ID,
    ComputeBudgetProgram.programId,
    MEMO_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM_ID,
  ].map(String);
  const place = (key: string): number => (listed.includes(key) ? listed.indexOf(key) : listed.length);
  const right = (at: number): number =>
    Number(!message.isAccountSigner(at)) * 2 + Number(!message.isAccountWritable(at));
  const sorted = message.accountKeys
    .map((key, at) => ({ key, at, right: right(at), place: place(key.toBase58()) }))
    .toSorted((one, other) => one.right - other.right || one.place - other.place);
  const moved = (at: number): number => sorted.findIndex((one) => one.at === at);
  return new Message({
    header: message.header,
    accountKeys: sorted.map(({ key }) => key),
    recentBlockhash: message.recentBlockhash,
    instructions: message.instructions.map((step) => ({
      programIdIndex: moved(step.programIdIndex),
      accounts: step.accounts.map(moved),
      data: step.data,
    })),
  });
}

/** The watcher's statement about an attempt. */
export const outcomeOf = (
  order: RefundOrder,
  signed: Signed,
  { outcome, finalized }: Pick<Outcome, 'outcome' | 'finalized'>,
  key: MacKeys = evidenceKey,
): Outcome => {
  const { intentId, network, environment } = order;
  return makeOutcome(key, environment, { intentId, network, hash: signed.hash, outcome, finalized });
};
