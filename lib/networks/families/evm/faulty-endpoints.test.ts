// Endpoints that are dead, slow, lagging or lying. Nothing is credited falsely, and a good endpoint takes over. Endpoints that
// silently leave out logs are tested in lib/ledger/reconciliation/balances/step.test.ts.

import { describe, expect, it } from 'vitest';
import { OTHER_HASH, useFaultyPair, watchOurs, wholeWindow } from '@/testing/evm/faulty-pair';
import { usdt } from '@/testing/watching/watched-chain';

const { faulty, good, open, on, answer, relay } = useFaultyPair();

const kinds: [string, string, () => unknown][] = [
  ['dead', 'unavailable', () => (faulty().hijack = (request) => (request.socket.destroy(), true))],
  ['silent', 'unavailable', () => (faulty().hijack = () => true)],
  ['answering 500', 'unavailable', () => answer(500, 'oops')],
  ['answering 429', 'unavailable', () => answer(429, '', { 'retry-after': '7' })],
  ['answering 403 with a page', 'unavailable', () => answer(403, '<html>forbidden</html>')],
  ['redirecting', 'unavailable', () => answer(302, '', { location: good().url })],
  ['answering HTML with 200', 'unavailable', () => answer(200, '<!doctype html><title>welcome</title>')],
  ['answering null', 'unavailable', () => answer(200, 'null')],
  ['answering the wrong id', 'unavailable', () => relay((text) => text.replaceAll(/"id":\d+/g, '"id":999999'))],
  ['answering one id twice', 'unavailable', () => relay((text) => text.replaceAll(/"id":\d+/g, '"id":1'))],
  ['answering without end', 'unavailable', () => answer(200, 'x'.repeat(33 * 1024 * 1024))],
  [
    'answering numbers instead of hex',
    'unavailable',
    () => on('eth_getBlockByNumber', (block) => ({ ...block, number: 5 })),
  ],
  [
    'answering a broken log',
    'unavailable',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, data: '0xzz' }))),
  ],
  ['lagging below the window', 'unavailable', () => faulty().blocks.splice(8)],
  ['lagging in finality', 'unavailable', () => (faulty().finalDepth = 3)],
  [
    'without a finalized block',
    'unavailable',
    () => on('eth_getBlockByNumber', (block) => (block.hash === good().blocks[10]!.hash ? null : undefined)),
  ],
  [
    'reporting a final block above its head',
    'contradiction',
    () => {
      let requested = 0;
      on('eth_getBlockByNumber', (block) =>
        block.hash === good().blocks[10]!.hash && ++requested === 2 ? headerLike(9) : undefined,
      );
    },
  ],
  [
    'refusing methods',
    'unavailable',
    () => on('eth_getLogs', () => ({ error: { code: -32000, message: 'node is syncing' } })),
  ],
  [
    'throttling by JSON-RPC error',
    'unavailable',
    () =>
      on('eth_getLogs', () => ({
        error: { code: -32005, message: 'daily request count exceeded, request rate limited' },
      })),
  ],
  [
    'listing a transfer that its receipt does not hold',
    'contradiction',
    () => on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, logs: [] })),
  ],
  [
    'listing another amount than the receipt',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` }))),
  ],
  ['inventing a transfer without a receipt', 'unavailable', () => on('eth_getTransactionReceipt', () => null)],
  [
    'listing a transfer of a failed transaction',
    'contradiction',
    () => on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, status: '0x0' })),
  ],
  [
    'giving a receipt without a status',
    'unavailable',
    () => on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, status: undefined })),
  ],
  [
    'giving a receipt of another block',
    'contradiction',
    () => on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, blockHash: OTHER_HASH })),
  ],
  [
    "giving another transaction's receipt",
    'contradiction',
    () => on('eth_getTransactionReceipt', (receipt) => ({ ...receipt, transactionHash: OTHER_HASH })),
  ],
  [
    'giving logs of a block that is not canonical',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, blockHash: OTHER_HASH }))),
  ],
  [
    'returning logs that were not requested',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, blockNumber: '0x63' }))),
  ],
  ['giving a log twice', 'contradiction', () => on('eth_getLogs', (logs) => [...logs, ...logs.slice(0, 1)])],
  [
    'giving removed logs',
    'unavailable',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, removed: true }))),
  ],
  [
    'dropping one of two transfers of a transaction',
    'contradiction',
    () =>
      on('eth_getTransactionReceipt', (receipt) => {
        const [log] = receipt.logs;
        return { ...receipt, logs: [log, { ...log, logIndex: '0x9' }] };
      }),
  ],
  [
    'replacing the last block while it is read',
    'contradiction',
    () => {
      let logsRead = false;
      faulty().tamper = (call, result) => {
        if (call.method === 'eth_getLogs') logsRead = true;
        return logsRead && call.method === 'eth_getBlockByNumber' && call.params[0] === '0xa'
          ? { ...(result as object), hash: OTHER_HASH }
          : undefined;
      };
    },
  ],
  [
    'giving another block in place of the last one',
    'contradiction',
    () => lastHeader((block) => ({ ...block, ...headerLike(9) })),
  ],
  ['losing the last block after the logs', 'unavailable', () => lastHeader(() => null)],
  [
    'giving logs of another token',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, address: OTHER_HASH.slice(0, 42) }))),
  ],
  [
    'giving logs of another event',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, topics: [OTHER_HASH] }))),
  ],
  [
    "numbering a transaction's logs downwards",
    'contradiction',
    () =>
      on('eth_getTransactionReceipt', (receipt) => ({
        ...receipt,
        logs: [{ ...receipt.logs[0], address: OTHER_HASH.slice(0, 42), logIndex: '0x7' }, ...receipt.logs],
      })),
  ],
  ['on another chain', 'wrong_chain', () => (faulty().chainId = 56)],
  ['with other decimals', 'wrong_chain', () => (faulty().decimals[usdt] = 18)],
  ['without the token', 'wrong_chain', () => delete faulty().decimals[usdt]],
];
/** Spoils the header of the last block that is requested by number. */
const lastHeader = (change: (block: object) => unknown) => {
  faulty().tamper = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && params[0] === '0xa' ? change(result as object) : undefined;
};
const headerLike = (number: number) => {
  const { hash, parentHash, time } = good().blocks[number]!;
  return { number: `0x${number.toString(16)}`, hash, parentHash, timestamp: `0x${time.toString(16)}` };
};

it('covers at least 40 kinds of faults', () =>
  expect(new Set(kinds.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(40));

describe.each(kinds)('an endpoint that is %s', (_kind, fault, spoil) => {
  it(`alone proves nothing: ${fault}`, async () => {
    spoil();
    const scan = open([faulty().url]).scan(wholeWindow, watchOurs);
    await expect(scan).rejects.toMatchObject({ name: expect.stringMatching(/Error$/), fault });
    await expect(scan).rejects.not.toThrow(/127\.0\.0\.1|key-9f8e7d/);
  });

  it('is bypassed, and the payment is found once', async () => {
    spoil();
    const { transfers, through } = await open([faulty().url, good().url]).scan(wholeWindow, watchOurs);
    expect(transfers.map(({ amount, blockNumber }) => [amount, blockNumber])).toEqual([[12n, 5]]);
    expect(through.hash).toBe(good().blocks[10]!.hash);
  });
});
