// The fraud catalogue (docs/network-facts.md#fraud-catalogue) as far as it applies to detecting payments on EVM networks. Every row runs with both
// ways of reading a window: by eth_getLogs and, on a node that refuses it, by block receipts.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { FoundTransfer } from '@/lib/networks/chain';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { startFakeNode, transferLog, type FakeLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { watching } from '@/testing/watching/watching';
import { openEvmAdapter } from './adapter';

const T0 = 1_760_000_000;
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const STRANGER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const OURS = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const OTHER = '0x6fac4d18c912343bf86fa7049364dd4e424ab9c0';
const FAKE_TOKEN = '0x00000000000000000000000000000000deadbeef';
const ethereum = networkSpec('test', 'ethereum', 'local')!;
const bsc = networkSpec('test', 'bsc', 'local')!;
const usdt = ethereum.tokens.USDT!.contract;
const usdc = ethereum.tokens.USDC!.contract;
const decimalsOf = (spec: NetworkSpec) =>
  Object.fromEntries(Object.values(spec.tokens).map(({ contract, decimals }) => [contract, decimals]));

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

type Row = { row: string; mistake: string; logs: FakeLog[]; status?: '0x0'; expected: object[] };
const pay = (amount: bigint, to = OURS, contract = usdt) => transferLog(contract, PAYER, to, amount);

const table: Row[] = [
  {
    row: '1 fake token',
    mistake: 'symbol decides',
    logs: [pay(5n, OURS, FAKE_TOKEN), pay(7n)],
    expected: [paid(7n, { ordinal: 1 })],
  },
  { row: '3 failed transaction', mistake: 'calldata decides', logs: [pay(5n)], status: '0x0', expected: [] },
  {
    row: '8 zero value',
    mistake: 'any log counts as a payment',
    logs: [pay(0n), pay(1n)],
    expected: [paid(1n, { ordinal: 1 })],
  },
  {
    row: '9 transferFrom by a third party',
    mistake: 'tx.from is the payer',
    logs: [transferLog(usdt, STRANGER, OURS, 9n)],
    expected: [paid(9n, { payer: STRANGER })],
  },
  {
    row: '10 payment from inside a contract call',
    mistake: 'only top-level calls are read',
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
      transferLog('0xfffffffffffffffffffffffffffffffffffffffe', PAYER, OURS, 10n ** 18n),
      { ...pay(3n), topics: [...pay(3n).topics, `0x${'0'.repeat(64)}`] },
      { ...pay(3n), data: `${pay(3n).data}${'0'.repeat(64)}` },
      { ...pay(3n), topics: [pay(3n).topics[0]!, pay(3n).topics[1]!, `0x01${pay(3n).topics[2]!.slice(4)}`] },
    ],
    expected: [],
  },
  {
    row: '16 the other stablecoin',
    mistake: 'counted as the requested one',
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
  { row: '26 to itself', mistake: 'an incoming log counts', logs: [transferLog(usdt, OURS, OURS, 50n)], expected: [] },
];

describe.each(['eth_getLogs', 'eth_getBlockReceipts'])('by %s', (method) => {
  let node: FakeNode;
  const clock = openTestClock(T0);
  const watched = new Set([OURS, OTHER]);
  const watch = watching(watched);
  beforeAll(
    async () => void (node = await startFakeNode({ chainId: 31337, decimals: decimalsOf(ethereum), time: T0 })),
  );
  beforeEach(() => {
    node.tamper = (call) =>
      method === 'eth_getBlockReceipts' && call.method === 'eth_getLogs'
        ? { error: { code: -32601, message: 'the method eth_getLogs does not exist/is not available' } }
        : undefined;
  });
  afterAll(() => node.close());
  const scanLast = (from = node.blocks.length - 1) => {
    const adapter = openEvmAdapter({ spec: ethereum, urls: [node.url], clock, log: silentLog() });
    const to = node.blocks.length - 1;
    return adapter.scan({ from, to, parentHash: node.blocks[from - 1]!.hash, final: true }, watch);
  };

  it.each(table)('row $row is handled correctly: $mistake', async ({ logs, status, expected }) => {
    node.mine([{ logs: [pay(1000n, STRANGER)] }, { logs, ...(status ? { status } : {}) }]);
    const scan = await scanLast();
    expect(brief(scan.transfers)).toEqual(expected);
    expect(scan.through.hash).toBe(node.blocks.at(-1)!.hash);
  });

  it('row 17: reads a token of 18 decimals in its own base units', async () => {
    const chain = await startFakeNode({ chainId: 31338, decimals: decimalsOf(bsc), time: T0 });
    chain.tamper = node.tamper;
    chain.mine([{ logs: [transferLog(bsc.tokens.USDT!.contract, PAYER, OURS, 12_340_000_000_000_000_000n)] }]);
    const adapter = openEvmAdapter({ spec: bsc, urls: [chain.url], clock, log: silentLog() });
    const scan = await adapter.scan({ from: 1, to: 1, parentHash: null, final: true }, watch);
    expect(scan.transfers[0]?.amount).toBe(12_340_000_000_000_000_000n);
    await chain.close();
  });

  it('row 7: a block that does not continue from the known one is a reorg', async () => {
    node.mine([{ logs: [pay(5n)] }]);
    const former = node.blocks.at(-1)!.hash;
    node.drop(1);
    node.mine();
    const next = node.mine();
    const adapter = openEvmAdapter({ spec: ethereum, urls: [node.url], clock, log: silentLog() });
    const scan = adapter.scan({ from: next.number, to: next.number, parentHash: former, final: false }, watch);
    await expect(scan).rejects.toMatchObject({ fault: 'reorganised' });
  });

  it('a transfer keeps its ordinal when a reorg moves it behind other transactions', async () => {
    const transaction = { hash: `0x${'ab'.repeat(32)}`, logs: [transferLog(FAKE_TOKEN, PAYER, OTHER, 1n), pay(5n)] };
    node.mine([transaction]);
    const before = await scanLast();
    node.drop(1);
    node.mine([{ logs: [pay(1n, STRANGER), pay(2n, STRANGER)] }, transaction]);
    const after = await scanLast();
    expect([before.transfers[0]?.ordinal, after.transfers[0]?.ordinal]).toEqual([1, 1]);
    expect(after.transfers[0]?.blockHash).not.toBe(before.transfers[0]?.blockHash);
  });

  it('payments of several blocks have their own block and time', async () => {
    const from = node.blocks.length;
    for (let index = 1n; index <= 5n; index++) node.mine([{ logs: [pay(index)] }]);
    const { transfers } = await scanLast(from);
    expect(transfers.map(({ blockNumber, blockHash, blockTime }) => [blockNumber, blockHash, blockTime])).toEqual(
      node.blocks.slice(from).map(({ number, hash, time }) => [number, hash, time]),
    );
  });
});
