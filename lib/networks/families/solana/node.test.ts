// Heads, blocks and single transactions as one endpoint reports them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { fakeKey, fakeSignature, TOKEN_2022 } from '@/testing/solana/solana-ledger';
import {
  becomes,
  FAKE_MINT,
  localSolana,
  OURS,
  pay,
  PAYER,
  startSolana,
  T0,
  usdt,
} from '@/testing/solana/solana-scene';
import { openSolanaAdapter } from './adapter';

let node: FakeSolanaNode;
beforeEach(async () => {
  node = await startSolana();
  node.finalDepth = 3;
});
afterEach(() => node.close());
const open = () =>
  openSolanaAdapter({ spec: localSolana, urls: [node.url], clock: openTestClock(T0 + 10), log: silentLog() });
const refOf = (index: number) => {
  const { slot: number, hash, parentHash, time } = node.blocks.at(index)!;
  return { number, hash, parentHash, time };
};

describe('the head', () => {
  it('contains the newest confirmed and the newest final block, with or without skipped slots', async () => {
    for (let index = 0; index < 8; index++) node.mine([], { skip: index % 3 });
    const { tip, final } = await open().head();
    expect(tip).toEqual(refOf(-1));
    expect(final).toEqual(refOf(node.blocks.findLastIndex(({ slot }) => slot <= tip.number - 3)));
  });

  it('costs two requests when it has not moved, and four when it has', async () => {
    for (let index = 0; index < 8; index++) node.mine();
    const adapter = open();
    await adapter.head();
    node.calls.clear();
    await adapter.head();
    expect(Object.fromEntries(node.calls)).toEqual({ getSlot: 2 });
    node.mine();
    await adapter.head();
    expect(Object.fromEntries(node.calls)).toEqual({ getSlot: 4, getBlock: 2 });
  });

  it('is the preceding block while a node names a slot whose block it cannot return yet', async () => {
    for (let index = 0; index < 8; index++) node.mine();
    const newest = node.blocks.at(-1)!.slot;
    node.tamper = ({ method, params }) =>
      method === 'getBlock' && params[0] === newest
        ? { error: { code: -32004, message: 'Block not available' } }
        : undefined;
    expect((await open().head()).tip).toEqual(refOf(-2));
  });

  it('never has a confirmed block below the final one', async () => {
    for (let index = 0; index < 8; index++) node.mine();
    node.tamper = ({ method, params }) =>
      method === 'getSlot' && (params[0] as { commitment: string }).commitment === 'confirmed' ? 2 : undefined;
    const { tip, final } = await open().head();
    expect(tip).toEqual(final);
  });
});

it('a skipped slot and a slot above the head have no block', async () => {
  node.mine([], { skip: 2 });
  const adapter = open();
  expect(await adapter.block(3)).toBeNull();
  expect(await adapter.block(4)).toEqual(refOf(-1));
  expect(await adapter.block(5000)).toBeNull();
});

it('a restarted chain does not return blocks of the previous one', async () => {
  node.mine();
  const adapter = open();
  await adapter.genesis();
  const former = await adapter.block(2);
  const other = await startSolana();
  other.mine();
  node.blocks.splice(0, node.blocks.length, ...other.blocks);
  node.genesis = other.genesis;
  expect(await adapter.genesis()).toBe(other.genesis);
  expect((await adapter.block(2))?.hash).toBe(other.blocks[2]!.hash);
  expect((await adapter.block(2))?.hash).not.toBe(former?.hash);
  await other.close();
});

describe('the lookup of a transaction', () => {
  it('shows its progress to finality and its movements', async () => {
    const block = node.mine([pay(node, 5n)]);
    const hash = block.transactions[0]!.signature;
    const adapter = open();
    const movements = [{ contract: usdt, currency: 'USDT', payer: PAYER, recipient: OURS, amount: 5n }];
    const known = { transactionHash: hash, succeeded: true, block: refOf(-1), movements };
    expect(await adapter.lookup(hash)).toEqual({ ...known, confirmations: 1, missing: 32 });
    node.mine();
    expect(await adapter.lookup(hash)).toEqual({ ...known, confirmations: 2, missing: 31 });
    for (let index = 0; index < 5; index++) node.mine();
    expect(await adapter.lookup(hash)).toEqual({ ...known, confirmations: 7, missing: 0 });
  });

  it('shows no movements of a failed transaction', async () => {
    const { transactions } = node.mine([{ ...pay(node, 5n), err: { InstructionError: [0, 'Custom'] } }]);
    const report = await open().lookup(transactions[0]!.signature);
    expect(report).toMatchObject({ succeeded: false, movements: [], block: refOf(-1) });
  });

  it('shows no block for a transaction that only a leader has processed', async () => {
    const { transactions } = node.mine([pay(node, 5n)]);
    const processed = { slot: 2, confirmations: 0, err: null, confirmationStatus: 'processed' };
    node.tamper = ({ method }) =>
      method === 'getSignatureStatuses' ? { context: { slot: 2 }, value: [processed] } : undefined;
    const pending = { succeeded: false, block: null, confirmations: 0, missing: null, movements: [] };
    expect(await open().lookup(transactions[0]!.signature)).toMatchObject(pending);
  });

  it('shows look-alike tokens under their own mints, after allow-listed ones, at most a hundred', async () => {
    const fakes = Array.from({ length: 120 }, (_, n) => {
      const program = n % 2 ? { program: TOKEN_2022 } : {};
      return becomes(fakeKey(`fake ${n}`), { mint: FAKE_MINT, owner: fakeKey(`holder ${n}`), amount: 9n, ...program });
    });
    const genuine = pay(node, 5n);
    const { transactions } = node.mine([{ changes: [...fakes, ...genuine.changes!] }]);
    const { movements } = (await open().lookup(transactions[0]!.signature))!;
    expect(movements).toHaveLength(100);
    expect(movements[0]).toMatchObject({ contract: usdt, currency: 'USDT', recipient: OURS });
    expect(movements.slice(1).every(({ contract, currency }) => contract === FAKE_MINT && currency === null)).toBe(
      true,
    );
  });

  it('returns null for an unknown transaction or invalid signature, without blaming the endpoint', async () => {
    const adapter = open();
    expect(await adapter.lookup(fakeSignature('unknown'))).toBeNull();
    node.calls.clear();
    for (const text of ['', 'x', `0x${'a'.repeat(64)}`, fakeKey('a key'), `${fakeSignature('a')}1111`]) {
      expect(await adapter.lookup(text)).toBeNull();
    }
    expect(node.calls.get('getSignatureStatuses')).toBeUndefined();
  });
});
