import { afterEach, describe, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { silentLog } from '@/testing/chain-clock';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';

const w = useWatchedChain();
const trust = { above: 1000n, abovePerHour: 10_000n, endpoints: 2 };
const GONE = () => ({ error: { code: -32000, message: 'gone' } });
const WELL = () => undefined;
let opened: FakeNode[] = [];
afterEach(async () => {
  await Promise.all(opened.map((node) => node.close()));
  opened = [];
});

/** Three endpoints, of which the first is dishonest; `sync` brings the honest ones to the same chain. */
async function open() {
  const [liar, other] = [await w.newNode(), await w.newNode()];
  opened = [liar, other];
  const urls = [liar.url, w.node().url, other.url];
  const options = { spec: localEthereum, urls, clock: w.clock, log: silentLog(), timeoutMs: 3000, trust };
  const adapter = openEvmAdapter(options);
  const step = watchStep({ ...w.chainOf(w.node().url), adapter });
  const sync = (...nodes: FakeNode[]) => {
    for (const node of nodes) copyChain(w.node(), node);
    for (const node of nodes) node.finalDepth = w.node().finalDepth;
  };
  const runLater = async (times: number) => {
    for (let n = 0; n < times; n++) {
      w.clock.advance(61_000);
      // Like the worker's step every few seconds (recordEndpoints).
      await adapter.endpoints.check();
      await w.run(step);
    }
  };
  const fork = () => {
    liar.drop(3);
    for (let n = 0; n < 30; n++) liar.mine();
  };
  return { liar, other, step, sync, runLater, fork };
}

const finalNumber = async () => Number((await w.row()).final_number);

describe('an endpoint that reports a fork without payments', () => {
  it('does not move the final cursor while two others report other blocks', async () => {
    const { liar, other, step, sync, fork } = await open();
    w.mine(10);
    sync(liar, other);
    await w.run(step);
    expect(await finalNumber()).toBe(6);
    w.mine(5);
    sync(other);
    fork();
    await w.run(step);
    expect(await finalNumber()).toBe(11);
    expect((await w.row()).final_hash).toBe(w.node().blocks[11]?.hash);
    expect((await w.row()).trouble).toBeNull();
  });

  it('is followed while no other endpoint responds, and the watcher moves back as soon as two others abandon it', async () => {
    const { liar, other, step, sync, runLater, fork } = await open();
    w.mine(10);
    sync(liar, other);
    await w.run(step);
    const { id, address } = await w.session();
    w.node().tamper = other.tamper = GONE;
    fork();
    await runLater(2);
    expect(await finalNumber()).toBeGreaterThan(20);
    liar.tamper = GONE;
    w.node().tamper = WELL;
    other.tamper = WELL;
    w.pay(address);
    w.mine(60);
    sync(other);
    await runLater(5);
    expect((await w.paymentsOf(id)).status).toBe('completed');
    expect((await w.row()).trouble).toBeNull();
  });

  it('cannot leave a network unread that was first followed on its fork', async () => {
    const { liar, other, step, sync, runLater, fork } = await open();
    w.mine(10);
    sync(liar, other);
    fork();
    await w.run(step);
    const { id, address } = await w.session();
    await w.run(step);
    liar.tamper = GONE;
    w.pay(address);
    w.mine(60);
    sync(other);
    await runLater(5);
    expect((await w.paymentsOf(id)).status).toBe('completed');
  });

  it('does not keep a cursor far beyond the block that two others agree on: the watcher moves it back', async () => {
    const { liar, other, step, sync, runLater, fork } = await open();
    w.mine(10);
    sync(liar, other);
    await w.run(step);
    w.node().tamper = other.tamper = GONE;
    fork();
    await runLater(2);
    const { id, address } = await w.session();
    w.node().tamper = WELL;
    other.tamper = WELL;
    w.pay(address);
    for (let n = 0; n < 6; n++) w.node().mine([], w.clock.now().getTime() / 1000 + n);
    sync(other);
    await runLater(1);
    expect((await w.row()).trouble).toContain('the endpoints agree on block 13');
    await w.run(step);
    expect((await w.paymentsOf(id)).status).toBe('completed');
  });
});

it('requests one block header a window from a second endpoint, and nothing while no block is new', async () => {
  const { liar, other, step, sync } = await open();
  w.mine(10);
  sync(liar, other);
  await w.run(step);
  const requests: string[] = [];
  w.node().tamper = ({ method }) => void requests.push(method);
  await w.run(step);
  expect(requests).toEqual([]);
  w.mine(3);
  sync(liar);
  await w.run(step);
  expect(requests).toEqual(['eth_getBlockByNumber']);
});
