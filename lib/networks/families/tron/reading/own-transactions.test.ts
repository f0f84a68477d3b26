// The refund wallet's transactions on a TRON node with programmable answers: how far back it reads, and how it treats a pool,
// nodes that lag and nodes that delete old blocks.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { noMentions } from '@/testing/refunds/no-mentions';
import type { OwnTransactionQuery } from '@/lib/networks/sending/send';
import { openTronSender } from '@/lib/networks/families/tron/sending/send';

const START = 1_790_000_000;
const spec = { ...localSpec('tron'), genesis: null };
const wallet = PAYERS.tron;

let node: FakeTronNode;
/** The account's latest operation time, in milliseconds. */
let newest = 0;
beforeEach(async () => {
  newest = 0;
  const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
  node = await startFakeTronNode({ decimals, time: START });
  answerAccounts(node);
});
afterEach(() => node.close());

/** The fake node has no accounts. */
function answerAccounts(fake: FakeTronNode): void {
  fake.hijack = (request, response) => {
    if (!request.url?.endsWith('/getaccount')) return false;
    response.end(JSON.stringify({ address: wallet, latest_opration_time: newest }));
    return true;
  };
}
/** Mines a block with these transactions of the wallet, dated in the account as by java-tron. */
function sign(...ids: string[]): number {
  newest = node.blocks.at(-1)!.time;
  const transactions = ids.map((id) => ({ id: id.repeat(32), owner: wallet }));
  return node.mine(transactions).time / 1000;
}
const mine = (count: number): void => void Array.from({ length: count }, () => node.mine());
const clock = { now: () => fromUnixSeconds(node.blocks.at(-1)!.time / 1000) };
const ask = async (query: Partial<OwnTransactionQuery> = {}) => {
  const sender = openTronSender({ spec, urls: [node.url], needed: 1, clock, log: silentLog(), timeoutMs: 5000 });
  const all = {
    since: START,
    known: async () => new Set<string>(),
    knownExpiry: async () => START + 1e6,
    mentions: noMentions,
    ...query,
  };
  return (await sender.unknownTransactions!(wallet, all)).votes[0]!;
};
const requests = (): number => [...node.calls.values()].reduce((sum, count) => sum + count, 0);

it('reports every transaction of the wallet, of any kind, and no other transaction', async () => {
  mine(30);
  const first = sign('aa', 'bb');
  node.mine([{ owner: spec.tokens.USDT!.contract }, {}]);
  newest = node.blocks.at(-1)!.time;
  const last = node.mine([{ id: 'cc'.repeat(32), owner: wallet, type: 'TransferContract' }]).time / 1000;
  mine(30);
  const { unknown } = await ask({ known: async () => new Set(['aa'.repeat(32)]) });
  expect(unknown).toEqual([
    { hash: 'bb'.repeat(32), time: first },
    { hash: 'cc'.repeat(32), time: last },
  ]);
});

it('reads no block if the wallet signed nothing since, however long ago that is', async () => {
  sign('aa');
  mine(2000);
  const before = requests();
  const since = node.blocks.at(-1000)!.time / 1000;
  expect(await ask({ since })).toEqual({
    endpoint: 'endpoint 1',
    unknown: [],
    from: since,
    through: node.blocks.at(-1 - node.solidDepth)!.time / 1000,
  });
  // The identity proof, two heads, and one request for the account.
  expect(requests() - before).toBeLessThan(12);
});

it('reads only the blocks between the queried time and the newest transaction', async () => {
  mine(1000);
  const since = node.blocks.at(-1)!.time / 1000;
  mine(40);
  sign('aa');
  mine(1000);
  node.calls.clear();
  expect((await ask({ since })).unknown).toHaveLength(1);
  expect(node.calls.get('wallet/getblockbylimitnext')).toBeLessThanOrEqual(9);
});

it('waits for the block of a transaction that the account shows from the pool', async () => {
  mine(30);
  newest = node.blocks.at(-1)!.time;
  const requested = ask();
  setTimeout(() => node.mine([{ id: 'aa'.repeat(32), owner: wallet }]), 700);
  expect((await requested).unknown).toMatchObject([{ hash: 'aa'.repeat(32) }]);
});

it('throws for a node that dates the newest transaction after all blocks', { timeout: 20_000 }, async () => {
  mine(30);
  newest = node.blocks.at(-1)!.time + 86_400_000;
  await expect(ask()).rejects.toMatchObject({ fault: 'unavailable' });
});

it('throws for a node whose blocks lack the account’s newest transaction', async () => {
  mine(30);
  sign('aa');
  mine(30);
  // The account of another node behind the same URL.
  newest = node.blocks.at(-10)!.time;
  await expect(ask()).rejects.toMatchObject({ fault: 'unavailable' });
});

it('reports the time of its oldest block if it deleted the queried blocks', async () => {
  mine(100);
  sign('aa');
  mine(300);
  const oldest = 50;
  node.tamper = ({ api, body }, answer) => {
    const number = Number(body.id_or_num ?? body.num ?? body.startNum ?? oldest);
    return ['getblock', 'getblockbynum', 'getblockbylimitnext'].includes(api) && number > 0 && number < oldest
      ? {}
      : answer;
  };
  expect(await ask()).toMatchObject({ unknown: [], from: node.blocks[oldest]!.time / 1000 });
  const since = node.blocks[oldest]!.time / 1000 + 3;
  expect(await ask({ since })).toMatchObject({ unknown: [{ hash: 'aa'.repeat(32) }], from: since });
});

it('throws for a node that lacks its newest blocks, such as a lagging one behind a shared URL', async () => {
  mine(100);
  sign('aa');
  mine(30);
  const behind = node.blocks.length - 10;
  node.tamper = ({ api, body }, answer) => {
    const number = Number(body.id_or_num ?? body.num ?? body.startNum ?? 0);
    return ['getblock', 'getblockbynum', 'getblockbylimitnext'].includes(api) && number < behind && number > 0
      ? {}
      : answer;
  };
  await expect(ask({ since: node.blocks.at(-40)!.time / 1000 })).rejects.toMatchObject({ fault: 'unavailable' });
});
