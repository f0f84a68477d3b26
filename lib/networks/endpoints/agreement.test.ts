// Large payments are credited only if several endpoints report the same: no single endpoint can invent one. Without agreement the
// payment waits, the chain's row says so, and it is credited later.

import { afterEach, describe, expect, it } from 'vitest';
import type { Step } from '@/lib/platform/context';
import { silentLog } from '@/testing/chain-clock';
import { copyChain, forge, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, payment, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { watching } from '@/testing/watching/watching';
import { watchStep } from '@/lib/payments/watcher/step';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';

const { run, session, mine, node, newNode, paymentsOf, row, clock } = useWatchedChain();
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

let copies: FakeNode[] = [];
afterEach(async () => {
  for (const copy of copies) await copy.close();
  copies = [];
});

/** Further endpoints with the same chain so far. */
async function others(count: number): Promise<FakeNode[]> {
  for (let made = 0; made < count; made++) {
    const copy = await newNode();
    copyChain(node(), copy);
    copy.finalDepth = node().finalDepth;
    copies.push(copy);
  }
  return copies;
}

/** A step that trusts one endpoint below this many cents, and requires `endpoints` at or above it. */
function open(nodes: readonly FakeNode[], { above = 1234n, abovePerHour = 1n << 62n, endpoints = 2 } = {}) {
  const urls = nodes.map(({ url }) => url);
  const adapter = openEvmAdapter({
    spec: localEthereum,
    urls,
    trust: { above, abovePerHour, endpoints },
    clock,
    log: silentLog(),
    timeoutMs: 3000,
  });
  const step: Step = watchStep({ environment: 'test', network: 'ethereum', spec: localEthereum, adapter });
  return { step, states: () => adapter.endpoints.health().map(({ state }) => state), health: adapter.endpoints.health };
}

/** The node leaves out every transaction that moves tokens out of the address. */
const hideFrom = (one: FakeNode, address: string): void => {
  const isFrom = ({ topics }: { topics: string[] }) => topics[1]?.slice(-40) === address.slice(2);
  for (const block of one.blocks) {
    const left = block.transactions.filter(({ logs }) => !logs.some(isFrom));
    block.transactions.splice(0, block.transactions.length, ...left);
  }
};
const die = (one: FakeNode) => void (one.hijack = (request) => (request.socket.destroy(), true));
const revive = (one: FakeNode) => void (one.hijack = () => false);

/** A followed chain with a session that was paid in a final block. */
async function paid() {
  await run();
  const { id, address } = await session();
  node().mine([payment(address)]);
  await run();
  mine(8);
  return { id, address };
}

describe('a payment at or above the operator’s amount', () => {
  it('is credited when two endpoints report the same', async () => {
    const { id } = await paid();
    const { step, states } = open([node(), ...(await others(1))]);
    await run(step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(states()).toEqual(['ok', 'ok']);
  });

  it('waits without enough agreement, which the chain’s row shows, and is credited once there is', async () => {
    const { id } = await paid();
    const [second] = await others(1);
    const before = await row();
    die(second!);
    const { step, states } = open([node(), second!]);
    await run(step);
    expect(await row()).toMatchObject({ final_number: before.final_number, final_hash: before.final_hash });
    expect((await row()).trouble).toMatch(
      /^unavailable: payments up to block \d+ wait: 2 endpoints must report the same, and 1 did \(endpoint 1\)$/,
    );
    expect(await paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [], unconfirmed: ['seen'] });
    expect(states()).toEqual(['ok', 'failing']);

    revive(second!);
    clock.advance(61_000);
    await run(step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await row()).toMatchObject({ trouble: null });
  });

  it('is not credited if only one of three endpoints reports it, while the others’ true payment is', async () => {
    await run();
    const [invented, honest] = [await session(), await session()];
    node().mine([payment(honest.address)]);
    mine(8);
    const [liar, second, third] = [node(), ...(await others(2))];
    forge(liar, 1, transferLog(usdt, PAYER, invented.address, 12_340_000n));
    const { step, health } = open([liar, second!, third!]);
    await run(step);
    expect(await paymentsOf(invented.id)).toMatchObject({ status: 'pending', transfers: [], entries: 0 });
    expect(await paymentsOf(honest.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(health().map(({ state }) => state)).toEqual(['failing', 'ok', 'ok']);
    expect(health()[0]?.message).toMatch(/^endpoint 1 reported other transfers .* than endpoint 2 and endpoint 3$/);
  });

  it('is credited when two of three endpoints invent the same payment only if the operator requires two', async () => {
    await run();
    const invented = await session();
    mine(8);
    const [second, third] = await others(2);
    for (const liar of [node(), second!]) forge(liar, 2, transferLog(usdt, PAYER, invented.address, 12_340_000n));
    const strict = open([node(), second!, third!], { endpoints: 3 });
    await run(strict.step);
    expect(await paymentsOf(invented.id)).toMatchObject({ transfers: [], entries: 0 });
    expect((await row()).trouble).toMatch(/^contradiction: endpoint 1 and endpoint 2 and endpoint 3 report different/);
    expect(strict.states()).toEqual(['failing', 'failing', 'failing']);
  });

  it('is not credited when two endpoints differ: both are in doubt, and a third would decide', async () => {
    const { id } = await paid();
    const before = await row();
    const [liar] = await others(1);
    liar!.blocks.forEach(({ transactions }) => transactions.splice(0));
    const { step, states } = open([node(), liar!]);
    await run(step);
    expect((await row()).trouble).toMatch(/^contradiction: endpoint 1 and endpoint 2 report different transfers/);
    expect((await row()).final_number).toBe(before.final_number);
    expect(states()).toEqual(['failing', 'failing']);
    expect((await paymentsOf(id)).entries).toBe(0);

    const [third] = await others(1).then((all) => all.slice(-1));
    const decided = open([node(), liar!, third!]);
    await run(decided.step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(decided.states()).toEqual(['ok', 'failing', 'ok']);
  });

  it('is not credited while only the lying endpoint responds, and true payments are credited when honest ones return', async () => {
    await run();
    const [invented, honest] = [await session(), await session()];
    node().mine([payment(honest.address)]);
    mine(8);
    const [second, third] = await others(2);
    forge(node(), 1, transferLog(usdt, PAYER, invented.address, 12_340_000n));
    die(second!);
    die(third!);
    const { step } = open([node(), second!, third!]);
    for (let pass = 0; pass < 3; pass++) {
      await run(step);
      clock.advance(20_000);
    }
    expect(await paymentsOf(invented.id)).toMatchObject({ transfers: [], entries: 0 });
    expect((await paymentsOf(honest.id)).entries).toBe(0);

    revive(second!);
    revive(third!);
    clock.advance(60_000);
    await run(step);
    expect(await paymentsOf(invented.id)).toMatchObject({ status: 'pending', transfers: [], entries: 0 });
    expect(await paymentsOf(honest.id)).toMatchObject({ status: 'completed', entries: 1 });
  });

  it('counts as one amount when split: smaller transfers to one address add up', async () => {
    const { address, id } = await paid();
    const [second] = await others(1);
    for (let part = 0; part < 3; part++) forge(node(), 2 + part, transferLog(usdt, PAYER, address, 12_000_000n));
    const { step } = open([node(), second!], { above: 3000n });
    await run(step);
    expect((await row()).trouble).toMatch(/^contradiction/);
    expect((await paymentsOf(id)).entries).toBe(0);
  });
});

describe('below that amount', () => {
  it('one endpoint is enough while no other answers', async () => {
    const { id } = await paid();
    const [second] = await others(1);
    die(second!);
    const { step } = open([node(), second!], { above: 1235n });
    await run(step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed' });
  });

  it('a second endpoint confirms payments, and reads no window without one', async () => {
    const { id } = await paid();
    const [second] = await others(1);
    const { step } = open([node(), second!], { above: 1235n });
    await run(step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed' });
    expect(second!.calls.get('eth_getLogs')).toBeGreaterThan(0);
    second!.calls.clear();
    mine(8);
    copyChain(node(), second!);
    await run(step);
    expect(second!.calls.get('eth_getLogs')).toBeUndefined();
  });

  it('a contradicted endpoint moves no cursor alone, not even over empty blocks', async () => {
    await run();
    const invented = await session();
    mine(8);
    const [second, third] = await others(2);
    forge(node(), 1, transferLog(usdt, PAYER, invented.address, 12_340_000n));
    const { step } = open([node(), second!, third!]);
    await run(step);
    const settled = await row();
    for (const one of [node(), second!, third!]) one.blocks.push(...structuredClone(node().blocks.slice(-1)));
    die(second!);
    die(third!);
    node().blocks.pop();
    node().mine();
    await run(step);
    expect((await row()).final_number).toBe(settled.final_number);
    expect((await row()).trouble).toMatch(/^unavailable: payments up to block/);
  });

  it('a single configured endpoint is enough by itself', async () => {
    const { id } = await paid();
    await run(open([node()], { above: 0n, endpoints: 5 }).step);
    expect(await paymentsOf(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a transfer out of a deposit address', () => {
  const TREASURY = `0x${'7e'.repeat(20)}`;
  /** Three nodes with the same chain: a deposit address was paid, and a third node may differ. */
  async function scene() {
    const ours = `0x${'0a'.repeat(20)}`;
    node().mine([payment(ours)]);
    const sweep = transferLog(usdt, ours, TREASURY, 12_340_000n);
    const scan = async (nodes: readonly FakeNode[]) => {
      const urls = nodes.map(({ url }) => url);
      const trust = { above: 1234n, abovePerHour: 1n << 62n, endpoints: 2 };
      const adapter = openEvmAdapter({ spec: localEthereum, urls, trust, clock, log: silentLog(), timeoutMs: 3000 });
      const { final } = await adapter.head();
      const window = { from: 1, to: final.number, parentHash: null, final: true };
      const { outgoing = [] } = await adapter.scan(window, watching([ours]));
      return {
        outgoing: outgoing.map(({ payer, recipient, amount }) => ({ payer, recipient, amount })),
        states: adapter.endpoints.health().map(({ state }) => state),
      };
    };
    return { ours, sweep, scan };
  }

  it('is reported if two of three endpoints report it, and the one that hides it is in doubt', async () => {
    const { ours, sweep, scan } = await scene();
    mine(1);
    node().mine([{ logs: [sweep] }]);
    mine(8);
    const [second, third] = await others(2);
    hideFrom(node(), ours);
    const { outgoing, states } = await scan([node(), second!, third!]);
    expect(outgoing).toEqual([{ payer: ours, recipient: TREASURY, amount: 12_340_000n }]);
    expect(states).toEqual(['failing', 'ok', 'ok']);
  });

  it('is not reported if only one of three endpoints invents it, and that one is in doubt', async () => {
    const { sweep, scan } = await scene();
    mine(8);
    const [second, third] = await others(2);
    forge(node(), 2, sweep);
    const { outgoing, states } = await scan([node(), second!, third!]);
    expect(outgoing).toEqual([]);
    expect(states).toEqual(['failing', 'ok', 'ok']);
  });

  it('that only one of two endpoints reports lets nothing be concluded', async () => {
    const { sweep, scan } = await scene();
    mine(8);
    const [second] = await others(1);
    forge(node(), 2, sweep);
    await expect(scan([node(), second!])).rejects.toMatchObject({ fault: 'contradiction' });
  });
});

describe('many payments below that amount', () => {
  type Forged = { above?: bigint; abovePerHour?: bigint; isAway?: boolean };
  /**
   * A lying endpoint with a forged payment of 5.00 to each address, and an honest one that is unreachable by default; one window per
   * payment.
   */
  async function forgeTo(addresses: readonly string[], { isAway = true, ...limits }: Forged) {
    await run();
    const [honest] = await others(1);
    if (isAway) die(honest!);
    const { step } = open([node(), honest!], limits);
    for (const address of addresses) {
      mine(8);
      copyChain(node(), honest!);
      const { final_number: final } = await row();
      forge(node(), Number(final) + 1, transferLog(usdt, PAYER, address, 5_000_000n));
      await run(step).catch(() => undefined);
    }
  }

  it('to one session over many windows are credited by a sole endpoint only up to the amount', async () => {
    const { id, address } = await session();
    await forgeTo([address, address, address, address], { above: 1200n });
    expect((await paymentsOf(id)).transfers).toHaveLength(2);
  });

  it('to many sessions are credited by a sole endpoint only up to the hourly amount', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => session()));
    await forgeTo(
      sessions.map(({ address }) => address),
      { above: 1200n, abovePerHour: 1600n },
    );
    const credited = await Promise.all(sessions.map(async ({ id }) => (await paymentsOf(id)).transfers.length));
    expect(credited.reduce((sum, one) => sum + one, 0)).toBe(3);
  });

  it('are not credited while another endpoint answers without reporting them', async () => {
    const { id, address } = await session();
    await forgeTo([address, address], { above: 1200n, isAway: false });
    expect((await paymentsOf(id)).transfers).toEqual([]);
  });
});
