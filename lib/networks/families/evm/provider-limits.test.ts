// Refusals of providers that are not faults, and the trusted head: smaller windows, blocks by receipts, stale nodes, networks
// with stalled finality.

import { describe, expect, it } from 'vitest';
import type { NetworkSpec } from '@/lib/networks/networks';
import { OTHER_HASH, useFaultyPair, watchOurs, wholeWindow, type Result } from '@/testing/evm/faulty-pair';
import { localEthereum, T0 } from '@/testing/watching/watched-chain';

const { clock, faulty, good, open, on } = useFaultyPair();

describe('smaller requests', () => {
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
    ['a huge answer', () => on('eth_getLogs', () => 'x'.repeat(33 * 1024 * 1024))],
    [
      'no answer in time',
      () => {
        faulty().hijack = (_request, _response, body) => body.includes('eth_getLogs');
      },
    ],
  ];
  it.each(refusals)('%s to eth_getLogs leads to a smaller window', async (_name, spoil) => {
    spoil();
    await expect(open([faulty().url, good().url]).scan(wholeWindow, watchOurs)).rejects.toMatchObject({
      fault: 'too_large',
    });
  });

  it('a node that refuses eth_getLogs entirely is read by receipts, without further log requests', async () => {
    on('eth_getLogs', () => ({
      error: { code: -32601, message: 'the method eth_getLogs does not exist/is not available' },
    }));
    const adapter = open([faulty().url]);
    expect((await adapter.scan(wholeWindow, watchOurs)).transfers).toHaveLength(1);
    const requested = faulty().calls.get('eth_getLogs');
    expect((await adapter.scan(wholeWindow, watchOurs)).transfers).toHaveLength(1);
    expect(faulty().calls.get('eth_getLogs')).toBe(requested);
    await expect(adapter.scan({ ...wholeWindow, from: 0 }, watchOurs)).rejects.toMatchObject({ fault: 'too_large' });
  });

  it('a node that refuses logs of even one block is read by receipts (the official BSC nodes)', async () => {
    on('eth_getLogs', () => ({ error: { code: -32005, message: 'limit exceeded' } }));
    const adapter = open([faulty().url]);
    await expect(adapter.scan(wholeWindow, watchOurs)).rejects.toMatchObject({ fault: 'too_large' });
    expect((await adapter.scan({ ...wholeWindow, from: 5, to: 5 }, watchOurs)).transfers).toHaveLength(1);
  });

  it.each([
    ['too few', (list: Result[]) => list.slice(1)],
    ['of another block', (list: Result[]) => list.map((receipt) => ({ ...receipt, blockHash: OTHER_HASH }))],
  ])('receipts that are %s for their block prove nothing', async (_name, change) => {
    faulty().tamper = (call, result) => {
      if (call.method === 'eth_getLogs') return { error: { code: -32601, message: 'no' } };
      return call.method === 'eth_getBlockReceipts' ? change(result as Result[]) : undefined;
    };
    await expect(open([faulty().url]).scan(wholeWindow, watchOurs)).rejects.toMatchObject({ fault: 'contradiction' });
  });
});

describe('the head', () => {
  it('comes from an endpoint that is not stale', async () => {
    clock.set(T0 + 1000);
    good().mine([], T0 + 995);
    const head = await open([faulty().url, good().url]).head();
    expect(head.tip.hash).toBe(good().blocks.at(-1)!.hash);
    good().drop(1);
    clock.set(T0 + 10);
  });

  it('is the highest known one if the chain stands still', async () => {
    clock.set(T0 + 100_000);
    faulty().blocks.splice(8);
    expect((await open([faulty().url, good().url]).head()).tip.number).toBe(10);
    clock.set(T0 + 10);
  });

  it('uses confirmations only if the network’s row allows it and its tag stands still', async () => {
    const bsc = { ...localEthereum, finalityFallback: { lagAbove: 4, confirmations: 7 } };
    const adapter = (row: NetworkSpec) => open([faulty().url], row);
    faulty().finalDepth = 4;
    expect((await adapter(bsc).head()).final.number).toBe(6);
    faulty().finalDepth = 10;
    expect((await adapter(bsc).head()).final.number).toBe(3);
    expect((await adapter(localEthereum).head()).final.number).toBe(0);
  });

  it('takes one request while finality keeps up, and two as soon as it stands still', async () => {
    const bsc = { ...localEthereum, chain: 'mainnet', genesis: good().blocks[0]!.hash } as const;
    const adapter = open([faulty().url], bsc);
    const requests = async () => {
      faulty().calls.clear();
      const { tip, final } = await adapter.head();
      return { tip: tip.number, final: final.number, requests: faulty().calls.get('eth_getBlockByNumber') };
    };
    faulty().finalDepth = 2;
    await adapter.head();
    faulty().mine();
    expect(await requests()).toEqual({ tip: 9, final: 9, requests: 1 });
    faulty().mine();
    faulty().finalDepth = 3;
    expect(await requests()).toEqual({ tip: 12, final: 9, requests: 3 });
    faulty().finalDepth = 0;
    expect(await requests()).toEqual({ tip: 12, final: 12, requests: 1 });
  });

  it('is not accepted from a node without finality', async () => {
    on('eth_getBlockByNumber', () => ({ error: { code: -32602, message: 'invalid block tag' } }));
    await expect(open([faulty().url]).head()).rejects.toMatchObject({ fault: 'unavailable' });
  });
});
