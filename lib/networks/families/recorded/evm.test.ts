// The EVM adapter on answers of an Ethereum mainnet node (evm.json says which are recorded).

import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { networkSpec } from '@/lib/networks/networks';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { conformance } from '@/testing/conformance';
import type { ConformanceChain } from '@/testing/conformance-chain';
import { Refusal, startRpcReplay } from '@/testing/watching/replay';
import recording from './evm.json';

const ALICE = '0x31c43e2be5bcd4edb512ad47a0f1a93aa22941b9';
const BOB = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const STRANGER = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc';
const made = (digits: string) => `0x${digits.padStart(64, '0')}`;
const SIX = `0x${'6'.padStart(64, '0')}`;
const spec = networkSpec('live', 'ethereum', 'public')!;

type Filter = { fromBlock?: string; toBlock?: string; blockHash?: string; address: string[]; topics: string[] };

const { headers } = recording;
const tip = headers.at(-1)!;
/** A log or receipt as the node returns it, with its block. */
const placed = <T extends object>(one: T, receipt: (typeof recording.receipts)[number]) => {
  const { transactionHash, transactionIndex, blockNumber } = receipt;
  const blockHash = headers.find(({ number }) => number === blockNumber)!.hash;
  return { ...one, transactionHash, transactionIndex, blockNumber, blockHash };
};
const receipts = recording.receipts.map((one) =>
  placed({ ...one, logs: one.logs.map((log) => placed(log, one)) }, one),
);

const headerOf = (tag: string) => {
  if (tag === '0x0')
    return { number: '0x0', hash: recording.genesis, parentHash: made('0'), timestamp: '0x0', transactions: [] };
  const number = { latest: tip.number, finalized: recording.finalized }[tag] ?? tag;
  return headers.find((one) => one.number === number) ?? null;
};

function logsOf({ fromBlock, toBlock, blockHash, address, topics }: Filter) {
  const inRange = (number: string) => Number(number) >= Number(fromBlock) && Number(number) <= Number(toBlock);
  const requested = address.map((one) => one.toLowerCase());
  return receipts
    .flatMap(({ logs }) => logs)
    .filter((log) => (blockHash === undefined ? inRange(log.blockNumber) : log.blockHash === blockHash))
    .filter((log) => requested.includes(log.address.toLowerCase()) && log.topics[0] === topics[0]);
}

function answer(method: string, [first]: readonly unknown[]): unknown {
  const receipt = receipts.find(({ transactionHash }) => transactionHash === first) ?? null;
  switch (method) {
    case 'eth_chainId':
      return '0x1';
    case 'eth_call':
      return SIX;
    case 'eth_getBlockByNumber':
      return headerOf(first as string);
    case 'eth_getLogs':
      return logsOf(first as Filter);
    case 'eth_getTransactionReceipt':
      return receipt;
    case 'eth_getTransactionByHash':
      return receipt && { ...receipt, hash: receipt.transactionHash };
    case 'eth_getBlockReceipts':
      return receipts.filter(({ blockNumber }) => blockNumber === first);
  }
  return undefined;
}

/** Like the official BSC nodes, which refuse even one block. */
const withoutLogs: typeof answer = (method, params) =>
  method === 'eth_getLogs' ? new Refusal(-32005, 'limit exceeded') : answer(method, params);

async function open(result: typeof answer): Promise<ConformanceChain> {
  const node = await startRpcReplay(result);
  const clock = openTestClock(Number(tip.timestamp));
  const adapter = openEvmAdapter({ spec, urls: [node.url], clock, log: silentLog() });
  const batch = { hash: made('ba7c4'), currency: 'USDC', payer: PAYER };
  return {
    spec,
    adapter,
    unknownHash: made('abc'),
    drive: null,
    close: () => node.close(),
    story: {
      after: (await adapter.block(16569422))!,
      last: Number(recording.finalized),
      ours: [
        {
          hash: '0x37eeb55eab329c73aeac6a172faa6c77e7013cd0cda0fc472274c5faf0df7003',
          currency: 'USDT',
          payer: '0xd8a7346ffef357542857ab5fcf7ed1baed08680f',
          recipient: ALICE,
          amount: 200_000_000n,
        },
        {
          hash: '0xd48ebacfb769b85602310e2e0cf322e19f8cce25ac69cfd52f2d8622e3bbc3c9',
          currency: 'USDT',
          payer: PAYER,
          recipient: BOB,
          amount: 12_340_000n,
        },
        { ...batch, recipient: ALICE, amount: 5_000_000n },
        { ...batch, recipient: BOB, amount: 7_000_000n },
      ],
      strangers: [{ hash: made('57a46e4'), currency: 'USDT', payer: PAYER, recipient: STRANGER, amount: 1000n }],
      failed: [{ hash: made('fa11d'), recipient: ALICE }],
      fake: [{ hash: made('fa4e'), recipient: BOB }],
      accountCursors: [],
    },
  };
}

const kind = { readsBlocks: true, driven: false };
conformance('the EVM adapter on recorded answers', kind, () => open(answer));
conformance('the EVM adapter on recorded answers of a node without eth_getLogs', kind, () => open(withoutLogs));
