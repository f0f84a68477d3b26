// Endpoints that are dead, slow, lagging or lying: nothing is credited falsely, nothing is called empty that is not proven
// empty, and as soon as another endpoint is good the answer comes from it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/chains/networks';
import { openTestClock, silentLog } from '@/lib/testing/chain-clock';
import { startFakeNode, transferLog, type FakeNode } from '@/lib/testing/fake-evm-node';
import { openEvmAdapter } from './adapter';

const T0 = 1_760_000_000;
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const OURS = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const OTHER_HASH = `0x${'77'.repeat(32)}`;
const spec = networkSpec('test', 'ethereum', 'local')!;
const usdt = spec.tokens.USDT!.contract;
const decimals = Object.fromEntries(Object.values(spec.tokens).map((token) => [token.contract, token.decimals]));
const watch = async (recipients: readonly string[]) => new Set(recipients.filter((one) => one === OURS));

let faulty: FakeNode;
let good: FakeNode;
const clock = openTestClock(T0 + 10);

/** Both nodes hold the same chain: ten blocks, our payment in the fifth. */
function fill(node: FakeNode): void {
  for (let number = 1; number <= 10; number++) {
    node.mine([{ logs: [transferLog(usdt, PAYER, number === 5 ? OURS : PAYER.replace('7', '8'), 12n)] }]);
  }
}
beforeAll(async () => {
  good = await startFakeNode({ chainId: spec.chainId, decimals, time: T0 });
  fill(good);
});
afterAll(() => good.close());
beforeEach(async () => {
  faulty = await startFakeNode({ chainId: spec.chainId, decimals: { ...decimals }, time: T0 });
  faulty.blocks.splice(0, 1, ...good.blocks);
});
afterEach(() => faulty.close());

const window = { from: 1, to: 10, parentHash: null, final: true };
const open = (...urls: string[]) => openEvmAdapter({ spec, urls, clock, log: silentLog(), timeoutMs: 500 });
type Result = { logIndex: string; data: string; blockHash: string; status: string; logs: Result[]; hash: string };
const on = (method: string, change: (result: Result & Result[]) => unknown) => {
  faulty.tamper = (call, result) => (call.method === method ? change(structuredClone(result) as never) : undefined);
};
const answer = (status: number, body: string, headers: Record<string, string> = {}) => {
  faulty.hijack = (_request, response) => (response.writeHead(status, headers).end(body), true);
};
const relay = (change: (text: string) => string) => {
  faulty.hijack = (request, response, body) => {
    void fetch(good.url, { method: 'POST', body })
      .then((reply) => reply.text())
      .then((text) => response.end(change(text)));
    return true;
  };
};

const kinds: [string, string, () => unknown][] = [
  ['dead', 'unavailable', () => (faulty.hijack = (request) => (request.socket.destroy(), true))],
  ['silent', 'unavailable', () => (faulty.hijack = () => true)],
  ['answering 500', 'unavailable', () => answer(500, 'oops')],
  ['answering 429', 'unavailable', () => answer(429, '', { 'retry-after': '7' })],
  ['answering 403 with a page', 'unavailable', () => answer(403, '<html>forbidden</html>')],
  ['redirecting', 'unavailable', () => answer(302, '', { location: good.url })],
  ['answering HTML with 200', 'unavailable', () => answer(200, '<!doctype html><title>welcome</title>')],
  ['answering null', 'unavailable', () => answer(200, 'null')],
  ['answering the wrong id', 'unavailable', () => relay((text) => text.replaceAll(/"id":\d+/g, '"id":999999'))],
  ['answering one id twice', 'unavailable', () => relay((text) => text.replaceAll(/"id":\d+/g, '"id":1'))],
  ['answering without end', 'unavailable', () => answer(200, 'x'.repeat(11 * 1024 * 1024))],
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
  ['lagging below the window', 'unavailable', () => faulty.blocks.splice(8)],
  ['lagging in finality', 'unavailable', () => (faulty.finalDepth = 3)],
  [
    'without a finalized block',
    'unavailable',
    () => on('eth_getBlockByNumber', (block) => (block.hash === good.blocks[10]!.hash ? null : undefined)),
  ],
  [
    'calling a block final above its head',
    'contradiction',
    () => {
      let asked = 0;
      on('eth_getBlockByNumber', (block) =>
        block.hash === good.blocks[10]!.hash && ++asked === 2 ? headerLike(9) : undefined,
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
    'giving logs that were not asked for',
    'contradiction',
    () => on('eth_getLogs', (logs) => logs.map((log) => ({ ...log, blockNumber: '0x63' }))),
  ],
  ['giving a log twice', 'contradiction', () => on('eth_getLogs', (logs) => [...logs, logs[4]])],
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
      faulty.tamper = (call, result) => {
        if (call.method === 'eth_getLogs') logsRead = true;
        return logsRead && call.method === 'eth_getBlockByNumber'
          ? { ...(result as object), hash: OTHER_HASH }
          : undefined;
      };
    },
  ],
  ['on another chain', 'wrong_chain', () => (faulty.chainId = 56)],
  ['with other decimals', 'wrong_chain', () => (faulty.decimals[usdt] = 18)],
  ['without the token', 'wrong_chain', () => delete faulty.decimals[usdt]],
];
const headerLike = (number: number) => {
  const { hash, parentHash, time } = good.blocks[number]!;
  return { number: `0x${number.toString(16)}`, hash, parentHash, timestamp: `0x${time.toString(16)}` };
};

describe.each(kinds)('an endpoint that is %s', (_kind, fault, spoil) => {
  it(`alone proves nothing: ${fault}`, async () => {
    spoil();
    const scan = open(faulty.url).scan(window, watch);
    await expect(scan).rejects.toMatchObject({ name: expect.stringMatching(/Error$/), fault });
    await expect(scan).rejects.not.toThrow(/127\.0\.0\.1|key-9f8e7d/);
  });

  it('is worked around, and the payment found once', async () => {
    spoil();
    const { transfers, through } = await open(faulty.url, good.url).scan(window, watch);
    expect(transfers.map(({ amount, blockNumber }) => [amount, blockNumber])).toEqual([[12n, 5]]);
    expect(through.hash).toBe(good.blocks[10]!.hash);
  });
});

describe('asking for less', () => {
  const refusals: [string, () => unknown][] = [
    [
      '-32005',
      () => on('eth_getLogs', () => ({ error: { code: -32005, message: 'query returned more than 10000 results' } })),
    ],
    ['-32602', () => on('eth_getLogs', () => ({ error: { code: -32602, message: 'block range is too large' } }))],
    [
      '-32614',
      () => on('eth_getLogs', () => ({ error: { code: -32614, message: 'eth_getLogs is limited to a 5 range' } })),
    ],
    ['a huge answer', () => on('eth_getLogs', () => 'x'.repeat(11 * 1024 * 1024))],
    [
      'no answer in time',
      () => {
        faulty.hijack = (_request, _response, body) => body.includes('eth_getLogs');
      },
    ],
  ];
  it.each(refusals)('%s to eth_getLogs asks for a smaller window', async (_name, spoil) => {
    spoil();
    await expect(open(faulty.url, good.url).scan(window, watch)).rejects.toMatchObject({ fault: 'too_large' });
  });

  it('a node that refuses eth_getLogs altogether is read by receipts, and asked for logs no more', async () => {
    on('eth_getLogs', () => ({
      error: { code: -32601, message: 'the method eth_getLogs does not exist/is not available' },
    }));
    const adapter = open(faulty.url);
    expect((await adapter.scan(window, watch)).transfers).toHaveLength(1);
    expect((await adapter.scan(window, watch)).transfers).toHaveLength(1);
    expect(faulty.calls.get('eth_getLogs')).toBe(1);
    await expect(adapter.scan({ ...window, from: 0 }, watch)).rejects.toMatchObject({ fault: 'too_large' });
  });

  it('a node that calls even one block too many is read by receipts (the official BSC nodes)', async () => {
    on('eth_getLogs', () => ({ error: { code: -32005, message: 'limit exceeded' } }));
    const adapter = open(faulty.url);
    await expect(adapter.scan(window, watch)).rejects.toMatchObject({ fault: 'too_large' });
    expect((await adapter.scan({ ...window, from: 5, to: 5 }, watch)).transfers).toHaveLength(1);
  });

  it.each([
    ['too few', (list: Result[]) => list.slice(1)],
    ['of another block', (list: Result[]) => list.map((receipt) => ({ ...receipt, blockHash: OTHER_HASH }))],
  ])('receipts that are %s for their block prove nothing', async (_name, change) => {
    faulty.tamper = (call, result) => {
      if (call.method === 'eth_getLogs') return { error: { code: -32601, message: 'no' } };
      return call.method === 'eth_getBlockReceipts' ? change(result as Result[]) : undefined;
    };
    await expect(open(faulty.url).scan(window, watch)).rejects.toMatchObject({ fault: 'contradiction' });
  });
});

describe('the head', () => {
  it('comes from the endpoint that is not stale', async () => {
    clock.set(T0 + 1000);
    good.mine([], T0 + 995);
    const head = await open(faulty.url, good.url).head();
    expect(head.tip.hash).toBe(good.blocks.at(-1)!.hash);
    good.drop(1);
    clock.set(T0 + 10);
  });

  it('of a chain that stands still is the highest that any endpoint knows', async () => {
    clock.set(T0 + 100_000);
    faulty.blocks.splice(8);
    expect((await open(faulty.url, good.url).head()).tip.number).toBe(10);
    clock.set(T0 + 10);
  });

  it('counts confirmations only where the network says so and its tag stands still', async () => {
    const bsc = { ...spec, finalityFallback: { lagAbove: 4, confirmations: 7 } };
    const adapter = (row: typeof spec) => openEvmAdapter({ spec: row, urls: [faulty.url], clock, log: silentLog() });
    faulty.finalDepth = 4;
    expect((await adapter(bsc).head()).final.number).toBe(6);
    faulty.finalDepth = 10;
    expect((await adapter(bsc).head()).final.number).toBe(3);
    expect((await adapter(spec).head()).final.number).toBe(0);
  });

  it('is not believed from a node that knows no finality', async () => {
    on('eth_getBlockByNumber', () => ({ error: { code: -32602, message: 'invalid block tag' } }));
    await expect(open(faulty.url).head()).rejects.toMatchObject({ fault: 'unavailable' });
  });
});
