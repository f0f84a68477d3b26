// The fraud catalogue (docs/network-facts.md#fraud-catalogue) as far as it applies to detecting payments on TRON. Each row names the mistake of a
// naive detector; the adapter credits nothing wrongly and misses nothing. Every row runs on both sides of a node.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FoundTransfer } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import {
  localTron,
  TRON_OTHER as OTHER,
  TRON_OURS as OURS,
  TRON_PAYER as PAYER,
  TRON_STRANGER as STRANGER,
  TRON_T0,
  tronDecimals,
  tronUsdc as usdc,
  tronUsdt as usdt,
} from '@/testing/tron/tron-pair';
import { transferLog, type TronTransaction } from '@/testing/tron/tron-shapes';
import { watching } from '@/testing/watching/watching';
import { openTronAdapter } from './adapter';

/** Another TRC-20 token that calls itself Tether USD, with six decimals. */
const FAKE_TOKEN = 'TG3XXyExBkPp9nzdajDZsozEu4BkaSJozs';
const pay = (amount: bigint, to = OURS, contract = usdt) => transferLog(contract, PAYER, to, amount);
const brief = (transfers: readonly FoundTransfer[]) =>
  transfers.map(({ currency, payer, recipient, amount, ordinal }) => ({ currency, payer, recipient, amount, ordinal }));
const paid = (amount: bigint, over: object = {}) => ({
  currency: 'USDT',
  payer: PAYER,
  recipient: OURS,
  amount,
  ordinal: 0,
  ...over,
});
const topics = (count: number) => [...pay(3n).topics!, ...Array<string>(4).fill('0'.repeat(64))].slice(0, count);

type Row = TronTransaction & { row: string; mistake: string; expected: object[] };
const table: Row[] = [
  {
    row: '1 fake token',
    mistake: 'symbol or token_info decides',
    logs: [pay(5n, OURS, FAKE_TOKEN), pay(7n)],
    expected: [paid(7n, { ordinal: 1 })],
  },
  {
    row: '2 TRC-10 token or coins named USDT',
    mistake: 'TransferAssetContract counts, and a plain transfer has a normal receipt',
    result: null,
    expected: [],
  },
  {
    row: '3 failed: REVERT',
    mistake: 'calldata or inclusion in a block decides',
    result: 'REVERT',
    logs: [pay(5n)],
    expected: [],
  },
  {
    row: '3 failed: OUT_OF_ENERGY',
    mistake: '`result.result: true` of the broadcast is read as success',
    result: 'OUT_OF_ENERGY',
    logs: [pay(5n)],
    expected: [],
  },
  {
    row: '4 no result at all',
    mistake: 'undefined is read as success',
    result: null,
    contractRet: null,
    logs: [pay(5n)],
    expected: [],
  },
  {
    row: '4 SUCESS, as ret.ret is spelled',
    mistake: 'any result that begins like success counts',
    result: 'SUCESS',
    logs: [pay(5n)],
    expected: [],
  },
  {
    row: '5 the genuine USDT returns nothing',
    mistake: 'contractResult must be …01',
    contractResult: '0'.repeat(64),
    logs: [pay(5n)],
    expected: [paid(5n)],
  },
  {
    row: '5 a token that returns false although it moved',
    mistake: 'contractResult must be …01',
    contractResult: `${'0'.repeat(63)}1`,
    logs: [pay(5n)],
    expected: [paid(5n)],
  },
  {
    row: '8 zero value and dust',
    mistake: 'any log counts as a payment',
    logs: [pay(0n), pay(1n)],
    expected: [paid(1n, { ordinal: 1 })],
  },
  {
    row: '9 transferFrom by a third party',
    mistake: 'owner_address of the call is the payer',
    logs: [transferLog(usdt, STRANGER, OURS, 9n)],
    expected: [paid(9n, { payer: STRANGER })],
  },
  {
    row: '10 GasFree and other payments from inside a call',
    mistake: 'only top-level calls of the token are read',
    logs: [transferLog(FAKE_TOKEN, PAYER, STRANGER, 1n), transferLog(usdt, FAKE_TOKEN, OURS, 4n)],
    expected: [paid(4n, { payer: FAKE_TOKEN, ordinal: 1 })],
  },
  {
    row: '11 several transfers in one transaction',
    mistake: 'one payment per transaction id',
    logs: [pay(5n), pay(5n), pay(6n, OTHER)],
    expected: [paid(5n), paid(5n, { ordinal: 1 }), paid(6n, { recipient: OTHER, ordinal: 2 })],
  },
  {
    row: '12 fee on transfer',
    mistake: 'the amount sent counts',
    logs: [pay(99n), pay(1n, STRANGER)],
    expected: [paid(99n)],
  },
  {
    row: '13 same topic from elsewhere',
    mistake: 'the topic decides',
    logs: [
      { ...pay(3n), address: 'ff'.repeat(20) },
      { ...pay(3n), topics: topics(4) },
      { ...pay(3n), topics: topics(2) },
      { ...pay(3n), data: `${pay(3n).data}${'0'.repeat(64)}` },
      { ...pay(3n), data: '' },
      { address: pay(3n).address },
      { ...pay(3n), topics: ['00'.repeat(32), ...topics(3).slice(1)] },
    ],
    expected: [],
  },
  {
    row: '14 a log of a reverted inner call is not in the receipt, the others are',
    mistake: 'internal_transactions are read as transfers',
    logs: [pay(2n)],
    expected: [paid(2n)],
  },
  {
    row: '16 the other stablecoin',
    mistake: 'counted as the requested one, or lost because it is discontinued',
    logs: [pay(8n, OURS, usdc)],
    expected: [paid(8n, { currency: 'USDC' })],
  },
  {
    row: '26 paid and pulled back whole',
    mistake: 'only incoming logs count',
    logs: [pay(50n), transferLog(usdt, OURS, PAYER, 50n)],
    expected: [],
  },
  {
    row: '26 paid and pulled back in part',
    mistake: 'only incoming logs count',
    logs: [pay(50n), pay(50n), transferLog(usdt, OURS, PAYER, 60n)],
    expected: [paid(40n, { ordinal: 1 })],
  },
  {
    row: '26 pulled out in another token',
    mistake: 'amounts of tokens are mixed',
    logs: [pay(50n), transferLog(usdc, OURS, PAYER, 50n)],
    expected: [paid(50n)],
  },
  {
    row: '26 a payment, and then one to itself',
    mistake: 'a transfer to itself is deducted from other payments, or counts as a payment',
    logs: [pay(40n), transferLog(usdt, OURS, OURS, 50n)],
    expected: [paid(40n)],
  },
  { row: '26 to itself', mistake: 'an incoming log counts', logs: [transferLog(usdt, OURS, OURS, 50n)], expected: [] },
  {
    row: 'an address word with 41 in its thirteenth byte',
    mistake: 'the word must begin with zeros',
    logs: [
      { ...pay(6n), topics: topics(3).map((one, at) => (at === 0 ? one : `${'0'.repeat(22)}41${one.slice(24)}`)) },
    ],
    expected: [paid(6n)],
  },
];

describe.each([
  ['solid', true],
  ['newest', false],
])('among the %s blocks', (_side, final) => {
  let node: FakeTronNode;
  const clock = openTestClock(TRON_T0);
  const watch = watching([OURS, OTHER]);
  const open = () => openTronAdapter({ spec: localTron, urls: [node.url], clock, log: silentLog() });
  beforeAll(async () => void (node = await startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0 })));
  afterAll(() => node.close());
  const scan = async (from: number, to: number) => {
    if (final) for (let count = 18; count > 0; count--) node.mine();
    return open().scan({ from, to, parentHash: node.blocks[from - 1]!.id, final }, watch);
  };

  it.each(table)(
    'row $row is handled correctly: $mistake',
    async ({ expected, row: _row, mistake: _mistake, ...sent }) => {
      const { number } = node.mine([{ logs: [pay(1000n, STRANGER)] }, sent]);
      const found = await scan(number, number);
      expect(brief(found.transfers)).toEqual(expected);
      expect(found.through.hash).toBe(node.blocks[number]!.id);
    },
  );

  it('row 7: a block that does not continue from the known one is a reorg', async () => {
    const former = node.mine([{ logs: [pay(5n)] }]).id;
    node.drop(1);
    node.mine();
    const { number } = node.mine();
    if (final) for (let count = 18; count > 0; count--) node.mine();
    const found = open().scan({ from: number, to: number, parentHash: former, final }, watch);
    await expect(found).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it('a transfer keeps its ordinal when a fork moves it behind other transactions', async () => {
    const transaction = { id: 'ab'.repeat(32), logs: [transferLog(FAKE_TOKEN, PAYER, OTHER, 1n), pay(5n)] };
    const { number } = node.mine([transaction]);
    const before = await scan(number, number);
    node.drop(node.blocks.length - number);
    node.mine([{ logs: [pay(1n, STRANGER), pay(2n, STRANGER)] }, transaction]);
    const after = await scan(number, number);
    expect([before.transfers[0]?.ordinal, after.transfers[0]?.ordinal]).toEqual([1, 1]);
    expect(after.transfers[0]?.blockHash).not.toBe(before.transfers[0]?.blockHash);
  });

  it('payments of several blocks have their own block and its time in seconds', async () => {
    const from = node.blocks.length;
    for (let index = 1n; index <= 9n; index++) node.mine([{ logs: [pay(index)] }]);
    const { transfers } = await scan(from, from + 8);
    expect(transfers.map(({ blockNumber, blockHash, blockTime }) => [blockNumber, blockHash, blockTime])).toEqual(
      node.blocks.slice(from, from + 9).map(({ number, id, time }) => [number, id, time / 1000]),
    );
  });
});
