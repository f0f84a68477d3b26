// All endpoints leave dust unread alike, so that they agree although each reports balances of another slot.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Watch } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import {
  ata,
  localSolana,
  OTHER,
  OURS,
  pay,
  side,
  startSolana,
  STRANGER,
  T0,
  usdt,
} from '@/testing/solana/solana-scene';
import { watching } from '@/testing/watching/watching';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';

const CENT = 10_000n;
const COMMON_CENT = 10n ** 16n;
let early: FakeSolanaNode;
let late: FakeSolanaNode;
beforeEach(async () => {
  [early, late] = [await startSolana(), await startSolana()];
  Object.assign(late, { ledger: early.ledger, genesis: early.genesis });
});
afterEach(async () => {
  await Promise.all([early.close(), late.close()]);
});

const watch = (): Watch => {
  const owners = [OURS, OTHER].map((owner) => ({ owner, accountCursors: [], readThreshold: COMMON_CENT }));
  return watching([OURS, OTHER], owners);
};

/** Two endpoints must agree on any amount; the first one of `nodes` comes first. */
const scan = (nodes: readonly FakeSolanaNode[], to: number) => {
  const adapter = openSolanaAdapter({
    spec: localSolana,
    urls: nodes.map(({ url }) => url),
    clock: openTestClock(T0 + 10),
    log: silentLog(),
    timeoutMs: 3000,
    trust: { above: 0n, abovePerHour: 0n, endpoints: 2 },
  });
  return adapter.scan({ from: 2, to, parentHash: early.blocks[1]!.hash, final: true }, watch());
};

/** Both nodes have the same blocks, but the first one stops at the given one. */
function mineBoth(payments: readonly (() => ReturnType<typeof pay>)[], earlyEnds: number): void {
  early.mine();
  for (const one of payments) early.mine([one()]);
  late.blocks.splice(0, late.blocks.length, ...early.blocks);
  early.blocks.splice(earlyEnds + 1);
}

describe('two endpoints, one of them ahead', () => {
  it.each([
    { first: 'the one behind', order: () => [early, late] },
    { first: 'the one ahead', order: () => [late, early] },
  ])('agree about a payment while dust reaches a cent only after it, first endpoint: $first', async ({ order }) => {
    // More transactions than the rotation reads.
    const dust = () => pay(early, CENT / 4n + 1n);
    mineBoth([dust, dust, dust, () => pay(early, 5n * CENT, OTHER), dust, dust], 6);
    const { transfers, accountCursors } = await scan(order(), 6);
    expect(transfers.map(({ recipient, amount }) => ({ recipient, amount }))).toEqual([
      { recipient: OTHER, amount: 5n * CENT },
    ]);
    expect(accountCursors.map(({ account }) => account)).toEqual([ata(OTHER)]);
  });

  it('agree about dust that is read in rotation', async () => {
    const dust = () => pay(early, CENT / 4n + 1n);
    mineBoth([dust, dust, dust], 4);
    const { transfers } = await scan([early, late], 4);
    expect(transfers).toHaveLength(2);
  });

  it('agree about dust that adds up to a cent', async () => {
    const dust = () => pay(early, CENT / 2n + 1n);
    mineBoth([dust, dust, dust, dust], 4);
    const { transfers, accountCursors } = await scan([late, early], 4);
    expect(transfers).toHaveLength(2);
    expect(accountCursors).toMatchObject([{ account: ata(OURS), amount: CENT + 2n }]);
  });

  it.each([
    { first: 'the one behind', order: () => [early, late] },
    { first: 'the one ahead', order: () => [late, early] },
  ])('agree that dust and what left after it are not read yet, first endpoint: $first', async ({ order }) => {
    const dust = () => pay(early, CENT / 4n);
    const send = () => payment(early, { from: side(OURS), to: side(STRANGER), mint: usdt, amount: CENT / 8n });
    mineBoth([dust, dust, send, () => pay(early, CENT)], 5);
    const { transfers, outgoing, accountCursors } = await scan(order(), 5);
    expect([transfers, outgoing, accountCursors]).toEqual([[], [], []]);
  });
});
