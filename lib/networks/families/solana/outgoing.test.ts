// Transfers out of watched addresses on Solana, where accounts are read and not blocks: a balance that fell is always read, and its
// history proves what left.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCursor, FoundTransfer } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey, fakeSignature, TOKEN_PROGRAM, type FakeTransaction } from '@/testing/solana/solana-ledger';
import {
  ata,
  becomes,
  localSolana,
  OTHER,
  OURS,
  pay,
  side,
  startSolana,
  STRANGER,
  T0,
  usdc,
  usdt,
} from '@/testing/solana/solana-scene';
import { watching } from '@/testing/watching/watching';
import { openSolanaAdapter } from './adapter';

const CENT = 10_000n;
/** One cent in the decimals of `readThreshold`. */
const COMMON_CENT = 10n ** 16n;
const AUXILIARY = fakeKey('auxiliary account of ours');
const trust = { above: 0n, abovePerHour: 0n, endpoints: 2 };

let node: FakeSolanaNode;
beforeEach(async () => void (node = await startSolana()));
afterEach(() => node.close());

const open = (urls = [node.url], over: object = {}) =>
  openSolanaAdapter({
    spec: localSolana,
    urls,
    clock: openTestClock(T0 + 60),
    log: silentLog(),
    timeoutMs: 3000,
    ...over,
  });
const send = (amount: bigint, { from = side(OURS), to = STRANGER, mint = usdt } = {}): FakeTransaction =>
  payment(node, { from, to: side(to, mint), mint, amount });
const closed = ({ changes = [] }: FakeTransaction, account: string): FakeTransaction => ({
  changes: changes.map((one) => (one.account === account ? becomes(account, null) : one)),
});

/** Scans everything up to the newest block, from the cursors of earlier scans. */
async function scan(accountCursors: readonly AccountCursor[] = [], { final = true, adapter = open() } = {}) {
  const to = node.blocks.at(-1)!.slot;
  const due = [OURS, OTHER].map((owner) => ({
    owner,
    accountCursors: accountCursors.filter((cursor) => cursor.owner === owner),
    readThreshold: COMMON_CENT,
  }));
  const found = await adapter.scan({ from: 2, to, parentHash: null, final }, watching([OURS, OTHER], due));
  expect(found.unfinished).toBeUndefined();
  const cursors = new Map([...accountCursors, ...found.accountCursors].map((one) => [one.account, one]));
  return { ...found, outgoing: brief(found.outgoing), cursors: [...cursors.values()] };
}
const brief = (found: readonly FoundTransfer[] = []) =>
  found.map(({ payer, recipient, amount, isPlain }) => ({ payer, recipient, amount, isPlain }));
const swept = (amount: bigint, over: object = {}) => ({
  payer: OURS,
  recipient: STRANGER,
  amount,
  isPlain: true,
  ...over,
});
/** A node on which an address was paid, and the cursors after that. */
async function paid(amount = 5n * CENT): Promise<AccountCursor[]> {
  node.mine([pay(node, amount)]);
  return (await scan()).cursors;
}

describe('a transfer out of a watched address', () => {
  it('is reported with the payment before it, in its block, and moves the cursor', async () => {
    node.mine([pay(node, 5n * CENT)]);
    const block = node.mine([send(3n * CENT)]);
    const { transfers, outgoing, cursors } = await scan();
    expect(transfers).toMatchObject([{ recipient: OURS, amount: 5n * CENT }]);
    expect(outgoing).toEqual([swept(3n * CENT)]);
    expect(cursors).toMatchObject([{ account: ata(OURS), amount: 2n * CENT }]);
    const whole = await open().scan(
      { from: 2, to: 3, parentHash: null, final: true },
      watching([OURS], [{ owner: OURS, accountCursors: [] }]),
    );
    expect(whole.outgoing).toMatchObject([
      { blockNumber: block.slot, blockHash: block.hash, blockTime: block.time, currency: 'USDT', contract: usdt },
    ]);
  });

  it('after the last scan is found once, above finality and when it is final', async () => {
    const cursors = await paid();
    node.mine([send(5n * CENT)]);
    expect((await scan(cursors, { final: false })).outgoing).toEqual([swept(5n * CENT)]);
    const final = await scan(cursors);
    expect(final.outgoing).toEqual([swept(5n * CENT)]);
    expect(final.transfers).toEqual([]);
    expect((await scan(final.cursors)).outgoing).toEqual([]);
  });

  it('is found when the account was closed in the same transaction, or in a later one', async () => {
    const cursors = await paid();
    node.mine([closed(send(5n * CENT), ata(OURS))]);
    const first = await scan(cursors);
    expect(first.outgoing).toEqual([swept(5n * CENT)]);
    expect(first.cursors).toMatchObject([{ account: ata(OURS), amount: 0n }]);

    node.mine([pay(node, 7n * CENT)]);
    const again = await scan(first.cursors);
    expect(again.transfers).toMatchObject([{ amount: 7n * CENT }]);
    node.mine([send(7n * CENT)]);
    node.mine([{ changes: [becomes(ata(OURS), null)] }]);
    expect((await scan(again.cursors)).outgoing).toEqual([swept(7n * CENT)]);
  });

  it('is read however small it is, unlike a payment', async () => {
    const cursors = await paid();
    node.mine([send(1n)]);
    expect((await scan(cursors)).outgoing).toEqual([swept(1n)]);
  });

  it('is read with the dust that arrived before it', async () => {
    const cursors = await paid();
    for (let n = 0; n < 4; n++) node.mine([pay(node, 1n)]);
    expect((await scan(cursors)).transfers).toEqual([]);
    node.mine([send(5n * CENT + 4n)]);
    const { transfers, outgoing, cursors: after } = await scan(cursors);
    expect(transfers.map(({ amount }) => amount)).toEqual([1n, 1n, 1n, 1n]);
    expect(outgoing).toEqual([swept(5n * CENT + 4n)]);
    expect(after).toMatchObject([{ amount: 0n }]);
  });

  it('that dust hides is reported together with it, once the dust is read', async () => {
    const cursors = await paid();
    for (let n = 0; n < 3; n++) node.mine([pay(node, 2n)]);
    node.mine([send(1n)]);
    const hidden = await scan(cursors);
    expect([hidden.transfers, hidden.outgoing, hidden.cursors]).toEqual([[], [], cursors]);
    node.mine([pay(node, CENT)]);
    const read = await scan(cursors);
    expect(read.transfers.map(({ amount }) => amount)).toEqual([2n, 2n, 2n, CENT]);
    expect(read.outgoing).toEqual([swept(1n)]);
  });

  it('is found in an auxiliary account, and a move between accounts of one owner is none', async () => {
    const auxiliary = { account: AUXILIARY, owner: OURS };
    node.mine([payment(node, { from: side(fakeKey('payer')), to: auxiliary, mint: usdt, amount: 5n * CENT })]);
    const first = await scan();
    expect(first.cursors).toMatchObject([{ account: AUXILIARY, amount: 5n * CENT }]);
    node.mine([send(2n * CENT, { from: auxiliary, to: OURS })]);
    const moved = await scan(first.cursors);
    expect([moved.transfers, moved.outgoing]).toEqual([[], []]);
    node.mine([closed(send(3n * CENT, { from: auxiliary }), AUXILIARY)]);
    expect((await scan(moved.cursors)).outgoing).toEqual([swept(3n * CENT)]);
  });

  it('from two accounts at once is one transfer', async () => {
    const auxiliary = { account: AUXILIARY, owner: OURS };
    node.mine([pay(node, 5n * CENT)]);
    node.mine([payment(node, { from: side(fakeKey('payer')), to: auxiliary, mint: usdt, amount: 6n * CENT })]);
    const { cursors } = await scan();
    const to = node.ledger.now(ata(STRANGER))?.amount ?? 0n;
    const emptied = [ata(OURS), AUXILIARY].map((account) => becomes(account, { mint: usdt, owner: OURS, amount: 0n }));
    const got = becomes(ata(STRANGER), { mint: usdt, owner: STRANGER, amount: to + 11n * CENT });
    node.mine([{ changes: [...emptied, got] }]);
    expect((await scan(cursors)).outgoing).toEqual([swept(11n * CENT)]);
  });

  it('is the whole account when its owner is changed', async () => {
    const cursors = await paid();
    node.mine([{ changes: [becomes(ata(OURS), { mint: usdt, owner: STRANGER, amount: 5n * CENT })] }]);
    const { outgoing, cursors: after } = await scan(cursors);
    expect(outgoing).toEqual([swept(5n * CENT)]);
    expect(after).toMatchObject([{ amount: 0n }]);
  });

  it('that burns tokens goes to the mint', async () => {
    const cursors = await paid();
    node.mine([{ changes: [becomes(ata(OURS), { mint: usdt, owner: OURS, amount: CENT })] }]);
    expect((await scan(cursors)).outgoing).toEqual([swept(4n * CENT, { recipient: usdt, isPlain: false })]);
  });

  it('to another watched address is a payment there', async () => {
    const cursors = await paid();
    node.mine([send(2n * CENT, { to: OTHER })]);
    const { transfers, outgoing } = await scan(cursors);
    expect(brief(transfers)).toMatchObject([{ payer: OURS, recipient: OTHER, amount: 2n * CENT }]);
    expect(outgoing).toEqual([swept(2n * CENT, { recipient: OTHER })]);
  });

  it('that was made by a failed transaction is none', async () => {
    const cursors = await paid();
    node.mine([{ ...send(2n * CENT), err: { InstructionError: [0, 'Custom'] } }]);
    expect((await scan(cursors)).outgoing).toEqual([]);
  });

  it('in both tokens at once is one transfer of each', async () => {
    node.mine([pay(node, 5n * CENT), pay(node, 6n * CENT, OURS, usdc)]);
    const { cursors } = await scan();
    const both = [send(5n * CENT), send(6n * CENT, { from: side(OURS, usdc), mint: usdc })];
    node.mine([{ changes: both.flatMap(({ changes = [] }) => changes) }]);
    const amounts = (await scan(cursors)).outgoing.map(({ amount }) => amount);
    expect(new Set(amounts)).toEqual(new Set([5n * CENT, 6n * CENT]));
    expect(amounts).toHaveLength(2);
  });
});

/** The node shows that five cents left the address in its newest block: the list, the transaction and the balance agree. */
function forgeSweep(forging: FakeSolanaNode): void {
  const forged = fakeSignature('forged');
  const { slot } = forging.blocks.at(-1)!;
  const balance = (accountIndex: number, owner: string, amount: bigint) => ({
    accountIndex,
    mint: usdt,
    owner,
    programId: TOKEN_PROGRAM,
    uiTokenAmount: { amount: amount.toString(), decimals: 6 },
  });
  const transaction = {
    slot,
    meta: {
      err: null,
      preTokenBalances: [balance(1, OURS, 5n * CENT)],
      postTokenBalances: [balance(2, STRANGER, 5n * CENT)],
    },
    transaction: { signatures: [forged], message: { accountKeys: [fakeKey('fees'), ata(OURS), ata(STRANGER)] } },
  };
  forging.tamper = ({ method, params }, result) => {
    if (method === 'getTransaction' && params[0] === forged) return transaction;
    if (method === 'getSignaturesForAddress' && params[0] === ata(OURS)) {
      return [{ signature: forged, slot, err: null }, ...(result as object[])];
    }
    const at = method === 'getMultipleAccounts' ? (params[0] as string[]).indexOf(ata(OURS)) : -1;
    if (at === -1) return undefined;
    const answer = result as { value: unknown[] };
    return { ...answer, value: answer.value.with(at, null) };
  };
}

describe('an endpoint', () => {
  let other: FakeSolanaNode;
  beforeEach(async () => {
    other = await startSolana();
    Object.assign(other, { ledger: node.ledger, genesis: node.genesis, blocks: node.blocks });
  });
  afterEach(() => other.close());
  const both = () => open([node.url, other.url], { trust });

  it('that hides a transfer out of an account shows a history that does not prove the balance', async () => {
    const cursors = await paid();
    node.mine([send(2n * CENT)]);
    node.tamper = ({ method }) => (method === 'getSignaturesForAddress' ? [] : undefined);
    await expect(scan(cursors)).rejects.toMatchObject({ fault: 'unavailable' });
    const { outgoing } = await scan(cursors, { adapter: open([node.url, other.url]) });
    expect(outgoing).toEqual([swept(2n * CENT)]);
  });

  it('that invents a transfer out of an account, with everything that one endpoint can show, is contradicted', async () => {
    const cursors = await paid();
    node.mine();
    forgeSweep(node);
    expect((await scan(cursors)).outgoing).toEqual([swept(5n * CENT)]);
    await expect(scan(cursors, { adapter: both() })).rejects.toMatchObject({ fault: 'contradiction' });
  });

  it('agrees with another one about what left', async () => {
    const cursors = await paid();
    node.mine([send(2n * CENT)]);
    expect((await scan(cursors, { adapter: both() })).outgoing).toEqual([swept(2n * CENT)]);
  });
});
