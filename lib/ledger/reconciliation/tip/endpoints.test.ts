// Which reports of endpoints freeze signing: those of as many as must agree, whichever of the others lie, hide, lag or fail. A reading that
// fails for minutes is a failure of the step, so that the operators learn of it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from '@/lib/platform/context';
import type { FakeNode } from '@/testing/evm/fake-evm-node';
import { REFUND_WALLET, STRANGER } from '@/testing/watching/outflows';
import { TICK_SECONDS, useTip } from '@/testing/watching/tip-scene';

const {
  clock,
  context,
  closeOthers,
  held,
  mine,
  node,
  open,
  openAt,
  other,
  paid,
  secondsUntilFrozen,
  transfer,
  unfreeze,
} = useTip();
const HASH = `0x${'ab'.repeat(32)}`;
const theft = [transfer(REFUND_WALLET, STRANGER)];

beforeEach(async () => {
  await paid();
  node().finalDepth = 100;
});
afterEach(() => closeOthers());

/** A step that has just read the newest block by its first endpoint: what follows waits longest. */
async function justRead(...nodes: FakeNode[]): Promise<Step> {
  const step = open(...nodes);
  mine();
  await step(context());
  return step;
}

describe('signing freezes', () => {
  it('within a minute although an endpoint hides the transfer, where two others report it', async () => {
    const [second, liar] = [await other(), await other()];
    for (const nodes of [
      [liar, node(), second],
      [node(), liar, second],
      [node(), second, liar],
    ]) {
      const step = await justRead(...nodes);
      mine(theft, undefined, [liar]);
      expect(await secondsUntilFrozen([step])).toBeLessThan(60);
      unfreeze();
    }
  });

  it('within a minute although an endpoint hides the transfer, also where more than a hundred blocks are made in that time', async () => {
    const [second, liar] = [await other(), await other()];
    const step = openAt(250, node(), liar, second);
    mine();
    await step(context());
    mine(theft, undefined, [liar]);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
  });

  it('once the second endpoint is back, although a third one hides the transfer and claims a block of the far future', async () => {
    const [away, liar] = [await other(), await other()];
    const step = await justRead(liar, node(), away);
    away.hijack = (_, response) => (response.writeHead(503).end(), true);
    liar.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { ...(result as object), number: '0xffffff' }
        : undefined;
    mine(theft, undefined, [liar]);
    expect(await secondsUntilFrozen([step], 300)).toBeNull();
    away.hijack = () => false;
    expect(await secondsUntilFrozen([step])).toBeLessThanOrEqual(20);
  });

  it('within a minute although the second endpoint has the block some seconds later', async () => {
    const late = await other();
    const step = await justRead(node(), late);
    mine(theft);
    const tail = () => late.blocks.splice(-1, 1);
    const missing = tail();
    clock.advance(1000 * TICK_SECONDS);
    await step(context());
    late.blocks.push(...missing);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60 - TICK_SECONDS);
  });

  it('within a minute although a load balancer lists the logs of the block late', async () => {
    const step = await justRead(node());
    mine(theft);
    // The reading that comes next finds nothing.
    for (let runs = 0; runs < 4; runs++) {
      node().logsLag = runs + 2;
      await secondsUntilFrozen([step], TICK_SECONDS);
    }
    expect(held.reasons).toEqual([]);
    node().logsLag = 0;
    expect(await secondsUntilFrozen([step], 40)).not.toBeNull();
  });

  it('although one endpoint is down, or refuses every request of logs', async () => {
    const [second, third] = [await other(), await other()];
    third.hijack = (_, response) => (response.writeHead(503).end(), true);
    const step = await justRead(third, node(), second);
    mine(theft);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
    unfreeze();
    node().tamper = ({ method }) =>
      method === 'eth_getLogs' ? { error: { code: -32601, message: 'the method does not exist' } } : undefined;
    mine(theft, HASH);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
  });

  it('for a theft that two report, while forged ones of a third are never confirmed', async () => {
    const [second, liar] = [await other(), await other()];
    const step = await justRead(node(), second, liar);
    for (let blocks = 0; blocks < 30; blocks++) {
      clock.advance(1000 * TICK_SECONDS);
      mine(theft, undefined, [node(), second]);
      await step(context());
    }
    expect(held.reasons).toEqual([]);
    mine(theft, HASH);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
    expect(held.reason).toContain(HASH);
  });

  it('although an endpoint claims a block of the far future', async () => {
    const [second, liar] = [await other(), await other()];
    const step = await justRead(node(), second, liar);
    liar.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { ...(result as object), number: '0xffffff' }
        : undefined;
    await secondsUntilFrozen([step], 60);
    mine(theft);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
  });
});

describe('signing does not freeze', () => {
  it('for what one of two endpoints reports: it may lie', async () => {
    const honest = await other();
    const step = await justRead(node(), honest);
    mine(theft, undefined, [honest]);
    expect(await secondsUntilFrozen([step])).toBeNull();
  });

  it('for another amount of the same transaction than the second endpoint reports', async () => {
    const liar = await other();
    const step = await justRead(node(), liar);
    mine([transfer(REFUND_WALLET, STRANGER, 1n)], HASH, [liar]);
    const hidden = node().blocks.at(-1)!;
    const [real] = hidden.transactions;
    liar.blocks.at(-1)!.transactions.push({
      ...real!,
      logs: real!.logs.map((log) => ({ ...log, data: `0x${'2'.padStart(64, '0')}` })),
    });
    expect(await secondsUntilFrozen([step])).toBeNull();
  });

  it('for a transfer that a reorg takes away before the second endpoint has it', async () => {
    const second = await other();
    const step = await justRead(node(), second);
    mine(theft, undefined, [second]);
    await secondsUntilFrozen([step], 20);
    node().blocks.splice(0, node().blocks.length, ...second.blocks);
    expect(await secondsUntilFrozen([step])).toBeNull();
  });
});

describe('the step fails, which alarms the operators', () => {
  it.each([
    ['no endpoint answers', '503', () => (node().hijack = (_, response) => (response.writeHead(503).end(), true))],
    ['no endpoint has a new block', 'no block of the last two minutes', () => (node().tamper = stale)],
  ])('once %s for minutes, and works again afterwards', async (_, message, spoil) => {
    const step = await justRead(node());
    spoil();
    expect(await secondsUntilFrozen([step], 240)).toBeNull();
    await expect(secondsUntilFrozen([step], 400)).rejects.toThrow(message);
    await expect(secondsUntilFrozen([step], TICK_SECONDS)).rejects.toThrow(message);
    node().hijack = () => false;
    node().tamper = () => undefined;
    mine(theft);
    expect(await secondsUntilFrozen([step])).toBeLessThan(60);
  });

  function stale({ method, params }: { method: string; params: unknown[] }): unknown {
    const [old] = node().blocks;
    const isNewest = method === 'eth_getBlockByNumber' && ['latest', 'finalized'].includes(params[0] as string);
    return isNewest
      ? { number: '0x0', hash: old!.hash, parentHash: old!.parentHash, timestamp: `0x${old!.time.toString(16)}` }
      : undefined;
  }
});

it('sends seven requests in a reading, whatever the number of sessions and endpoints', async () => {
  const second = await other();
  for (let sessions = 0; sessions < 3; sessions++) await paid();
  second.blocks.splice(0, second.blocks.length, ...node().blocks);
  const step = await justRead(node(), second);
  await secondsUntilFrozen([step], 60);
  const total = () =>
    [node(), second].flatMap(({ calls }) => [...calls.values()]).reduce((sum, count) => sum + count, 0);
  const before = total();
  await secondsUntilFrozen([step], 600);
  expect((total() - before) / 30).toBe(7);
});
