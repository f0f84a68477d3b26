// The Solana adapter on a devnet node's answers: one real payment (solana.json), and constructed ones of its shape around it.

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { networkSpec } from '@/lib/networks/networks';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { associatedAccount, TOKEN_PROGRAM } from '@/lib/networks/families/solana/address';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { conformance } from '@/testing/conformance';
import type { ConformanceChain } from '@/testing/conformance-chain';
import { Refusal, startRpcReplay } from '@/testing/watching/replay';
import recording from './solana.json';

const spec = networkSpec('test', 'solana', 'public')!;
const MINT = spec.tokens.USDC!.contract;
const real = recording.transaction;
const SLOT = real.slot;
const LAST = SLOT + 4;
/** Confirmed slots above the final one. */
const TIP = LAST + 32;
const keyOf = (name: string) => base58.encode(createHash('sha256').update(name).digest());
const signatureOf = (name: string) => base58.encode(createHash('sha512').update(name).digest());

const ALICE = 'BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe';
const PAYER = 'BLw3RweJmfbTapJRgnPRvd962YDjFYAnVGd1p5hmZ5tP';
const [BOB, STRANGER, FAKE_MINT] = [keyOf('bob'), keyOf('stranger'), keyOf('fake mint')];

type Given = Omit<typeof real, 'meta'> & {
  meta: Omit<typeof real.meta, 'err' | 'status'> & { err: unknown; status: unknown };
};
type Holding = { owner: string; before: bigint; after: bigint; mint?: string };

/** A transaction in the shape of the real one, with other accounts and balances. */
function made(name: string, slot: number, holdings: readonly Holding[], err: unknown = null): Given {
  const accounts = holdings.map(({ owner, mint = MINT }) => associatedAccount(owner, mint));
  const balances = (side: 'before' | 'after') =>
    holdings.map(({ owner, mint = MINT, ...amounts }, index) => ({
      ...real.meta.preTokenBalances[0]!,
      accountIndex: index + 1,
      mint,
      owner,
      uiTokenAmount: { ...real.meta.preTokenBalances[0]!.uiTokenAmount, amount: String(amounts[side]) },
    }));
  const { message } = real.transaction;
  return {
    ...real,
    slot,
    meta: {
      ...real.meta,
      err,
      status: err === null ? { Ok: null } : { Err: err },
      preTokenBalances: balances('before'),
      postTokenBalances: balances('after'),
    },
    transaction: {
      signatures: [signatureOf(name)],
      message: { ...message, accountKeys: [PAYER, ...accounts, TOKEN_PROGRAM] },
    },
  };
}

const payer = (before: bigint, paid: bigint): Holding => ({ owner: PAYER, before, after: before - paid });
const FAILED = { InstructionError: [0, { Custom: 1 }] };
const transactions: readonly Given[] = [
  real,
  made('failed', SLOT + 1, [{ owner: ALICE, before: 70_000n, after: 70_000n }, payer(7_649_876n, 0n)], FAILED),
  made('batch', SLOT + 2, [
    { owner: ALICE, before: 70_000n, after: 75_000n },
    { owner: BOB, before: 0n, after: 7000n },
    payer(7_649_876n, 12_000n),
  ]),
  made('stranger', SLOT + 3, [{ owner: STRANGER, before: 0n, after: 1n }, payer(7_637_876n, 1n)]),
  made('fake', SLOT + 3, [
    { owner: BOB, before: 0n, after: 999n, mint: FAKE_MINT },
    { ...payer(999n, 999n), mint: FAKE_MINT },
  ]),
];
const hashOf = ({ transaction }: Given) => transaction.signatures[0]!;
const [, failed, batch, stranger, fake] = transactions.map(hashOf) as [string, string, string, string, string];
const held = new Map([
  [associatedAccount(ALICE, MINT), { owner: ALICE, amount: 75_000n }],
  [associatedAccount(BOB, MINT), { owner: BOB, amount: 7000n }],
  [associatedAccount(STRANGER, MINT), { owner: STRANGER, amount: 1n }],
]);
const SPL_MINT = Buffer.alloc(82).fill(6, 44, 45).fill(1, 45, 46).toString('base64');

/** The 165 bytes of a token account: mint, owner, amount, state. */
function tokenAccount(account: string) {
  const known = held.get(account);
  if (!known) return null;
  const data = Buffer.alloc(165);
  data.set(base58.decode(MINT), 0);
  data.set(base58.decode(known.owner), 32);
  data.writeBigUInt64LE(known.amount, 64);
  data[108] = 1;
  return {
    owner: TOKEN_PROGRAM,
    data: [data.toString('base64'), 'base64'],
    lamports: 2039280,
    executable: false,
    space: 165,
  };
}

const mintAccount = { owner: TOKEN_PROGRAM, data: [SPL_MINT, 'base64'], lamports: 1, executable: false, space: 82 };
const slotOf = (options: unknown) =>
  (options as { commitment?: string } | undefined)?.commitment === 'finalized' ? LAST : TIP;

function blockOf(slot: number, options: unknown) {
  if (slot > slotOf(options)) return new Refusal(-32004, `Block not available for slot ${slot}`);
  const [blockhash, previousBlockhash] = [keyOf(`block ${slot}`), keyOf(`block ${slot - 1}`)];
  const blockTime = real.blockTime + slot - SLOT;
  return { blockhash, previousBlockhash, parentSlot: slot - 1, blockTime, blockHeight: slot - 1000 };
}

/** Newest first, as nodes list them, down to the one named. */
function signaturesOf(account: string, until: string | undefined) {
  const listed = transactions
    .filter(({ transaction }) => transaction.message.accountKeys.includes(account))
    .toReversed()
    .map((one) => ({
      signature: hashOf(one),
      slot: one.slot,
      err: one.meta.err,
      memo: null,
      blockTime: one.blockTime,
      confirmationStatus: 'finalized',
    }));
  const end = listed.findIndex(({ signature }) => signature === until);
  return end === -1 ? listed : listed.slice(0, end);
}

function answer(method: string, [first, second]: readonly unknown[]): unknown {
  const known = transactions.find((one) => hashOf(one) === (Array.isArray(first) ? first[0] : first));
  switch (method) {
    case 'getGenesisHash':
      return recording.genesis;
    case 'getSlot':
      return slotOf(first);
    case 'getBlock':
      return blockOf(first as number, second);
    case 'getMultipleAccounts':
      return {
        context: { apiVersion: '4.2.2', slot: slotOf(second) },
        value: (first as string[]).map((one) => (one === MINT ? mintAccount : tokenAccount(one))),
      };
    case 'getTokenAccountsByOwner':
      return { context: { slot: slotOf(second) }, value: [] };
    case 'getSignaturesForAddress':
      return signaturesOf(first as string, (second as { until?: string }).until);
    case 'getTransaction':
      return known ?? null;
    case 'getSignatureStatuses': {
      const status = known && {
        slot: known.slot,
        confirmations: null,
        err: known.meta.err,
        status: known.meta.status,
        confirmationStatus: 'finalized',
      };
      return { context: { slot: TIP }, value: [status ?? null] };
    }
  }
  return undefined;
}

async function open(): Promise<ConformanceChain> {
  const node = await startRpcReplay(answer);
  const clock = openTestClock(real.blockTime + TIP - SLOT);
  const adapter = openSolanaAdapter({ spec, urls: [node.url], clock, log: silentLog() });
  const usdc = { currency: 'USDC', payer: PAYER };
  const before = { account: associatedAccount(ALICE, MINT), owner: ALICE, currency: 'USDC' };
  return {
    spec,
    adapter,
    unknownHash: signatureOf('unknown'),
    drive: null,
    close: () => node.close(),
    story: {
      after: (await adapter.block(SLOT - 1))!,
      last: LAST,
      ours: [
        { hash: hashOf(real), ...usdc, recipient: ALICE, amount: 10_000n },
        { hash: batch, ...usdc, recipient: ALICE, amount: 5000n },
        { hash: batch, ...usdc, recipient: BOB, amount: 7000n },
      ],
      strangers: [{ hash: stranger, ...usdc, recipient: STRANGER, amount: 1n }],
      failed: [{ hash: failed, recipient: ALICE }],
      fake: [{ hash: fake, recipient: BOB }],
      accountCursors: [{ ...before, amount: 60_000n, signature: signatureOf('before') }],
    },
  };
}

conformance('the Solana adapter on recorded answers', { readsBlocks: false, driven: false }, open);
