// The limits and lags of one endpoint never stop a network from being scanned and credited while others work.

import { afterEach, describe, expect, it } from 'vitest';
import type { Trust } from './agreement';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, payment, useWatchedChain } from '@/testing/watching/watched-chain';
import { watching } from '@/testing/watching/watching';
import { watchStep } from '@/lib/payments/watcher/step';
import { ChainError, type BlockWindow, type ChainFault, type Scan } from '@/lib/networks/chain';
import { openEndpoints } from './endpoints';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';

const block = { number: 5, hash: '0x5', parentHash: '0x4', time: 1_760_000_000 };
const found: Scan = { transfers: [], through: block, accountCursors: [] };

/** Two endpoints; the first one answers with a fault. */
function open(fault: ChainFault, trust?: Trust) {
  const endpoints = openEndpoints({
    spec: localEthereum,
    clients: [{ name: 'endpoint 1' }, { name: 'endpoint 2' }],
    prove: async () => {},
    readHead: async () => ({ tip: block, final: block }),
    trust,
    clock: openTestClock(1_760_000_000),
    log: silentLog(),
  });
  const requested: string[] = [];
  const scan = (window: BlockWindow) =>
    endpoints.scan(window, watching([]), async ({ name }) => {
      requested.push(name.slice(-1));
      if (name === 'endpoint 1') throw new ChainError(fault, `${name} refused`);
      return found;
    });
  return { scan, requested, health: endpoints.control.health };
}

describe('an endpoint that finds a window too large', () => {
  it('gets a smaller window before another endpoint is tried', async () => {
    const { scan, requested } = open('too_large');
    await expect(scan({ from: 4, to: 5, parentHash: null, final: true })).rejects.toMatchObject({ fault: 'too_large' });
    expect(requested).toEqual(['1']);
  });

  it('is replaced by another endpoint for a single block, and moves down in the order', async () => {
    const { scan, requested, health } = open('too_large');
    const one = { from: 5, to: 5, parentHash: null, final: true };
    expect(await scan(one)).toEqual(found);
    expect(await scan(one)).toEqual(found);
    expect(requested).toEqual(['1', '2', '2']);
    expect(health()[0]).toMatchObject({ state: 'failing', message: 'endpoint 1 refused' });
  });
});

describe('an endpoint that always lags a few blocks', () => {
  const { run, session, mine, node, newNode, paymentsOf, clock } = useWatchedChain();
  let behind: FakeNode | null = null;
  afterEach(() => behind?.close());

  it('agrees to a large payment once it has finalized it, however fast the other endpoint advances', async () => {
    await run();
    const { id, address } = await session();
    mine(2);
    node().mine([payment(address)]);
    mine(8);
    behind = await newNode();
    const trust = { above: 1n, abovePerHour: 1n, endpoints: 2 };
    const urls = [node().url, behind.url];
    const adapter = openEvmAdapter({ spec: localEthereum, urls, trust, clock, log: silentLog(), timeoutMs: 3000 });
    const step = watchStep({ environment: 'test', network: 'ethereum', spec: localEthereum, adapter });
    for (let pass = 0; pass < 5; pass++) {
      copyChain(node(), behind);
      behind.finalDepth = node().finalDepth + 2;
      await run(step);
      mine(1);
      clock.advance(1000);
    }
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(adapter.endpoints.health().map(({ state }) => state)).toEqual(['ok', 'ok']);
  });
});

describe('an endpoint that hangs', () => {
  const { run, session, mine, node, newNode, paymentsOf, clock } = useWatchedChain();
  let hanging: FakeNode | null = null;
  afterEach(() => hanging?.close());

  it('does not delay small payments after its first failure until a check finds it healthy', async () => {
    hanging = await newNode();
    const trust = { above: 1_000_000n, abovePerHour: 10_000_000n, endpoints: 2 };
    const urls = [node().url, hanging.url];
    const adapter = openEvmAdapter({ spec: localEthereum, urls, trust, clock, log: silentLog(), timeoutMs: 3000 });
    const step = watchStep({ environment: 'test', network: 'ethereum', spec: localEthereum, adapter });
    await run(step);
    const pay = async () => {
      const { id, address } = await session();
      node().mine([payment(address)]);
      mine(8);
      copyChain(node(), hanging!);
      await run(step);
      expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    };
    let requests = 0;
    let isHanging = true;
    hanging.hijack = () => {
      requests++;
      return isHanging;
    };
    await pay();
    expect(requests).toBeGreaterThan(0);
    requests = 0;
    clock.advance(61_000);
    await pay();
    expect(requests).toBe(0);
    isHanging = false;
    await adapter.endpoints.check();
    requests = 0;
    clock.advance(1000);
    await pay();
    expect(requests).toBeGreaterThan(0);
  });
});
