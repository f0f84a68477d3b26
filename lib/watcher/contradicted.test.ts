import { afterEach, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/chains/evm/adapter';
import { silentLog } from '@/lib/testing/chain-clock';
import { copyChain, type FakeNode } from '@/lib/testing/fake-evm-node';
import { DUE, localEthereum, useWatchedChain } from '@/lib/testing/watched-chain';
import { findChainRow } from './chain-row';
import { storeQuarantined } from './quarantined';
import { rescanWindow } from './rescan';
import { watchStep } from './step';

const w = useWatchedChain();
let opened: FakeNode[] = [];
afterEach(async () => {
  await Promise.all(opened.map((node) => node.close()));
  opened = [];
});

const GONE = () => ({ error: { code: -32000, message: 'gone' } });
const WELL = () => undefined;
const TWO_CENTS = `0x${20_000n.toString(16).padStart(64, '0')}`;
/** The same logs and receipts, with two cents as the amount. */
const understate: FakeNode['tamper'] = ({ method }, result) =>
  method === 'eth_getLogs' || method === 'eth_getTransactionReceipt' || method === 'eth_getBlockReceipts'
    ? JSON.parse(JSON.stringify(result ?? null), (key, one: unknown) =>
        key === 'data' && typeof one === 'string' && one.length === 66 ? TWO_CENTS : one,
      )
    : undefined;

/** Three endpoints, of which the first reports 0.02 for a payment of 12.34 in blocks that are final. */
async function open() {
  const trust = { above: 1000n, abovePerHour: 10_000n, endpoints: 2 };
  const [liar, other] = [await w.newNode(), await w.newNode()];
  opened = [liar, other];
  const options = { spec: localEthereum, clock: w.clock, log: silentLog(), timeoutMs: 3000, trust };
  const adapter = openEvmAdapter({ ...options, urls: [liar.url, w.node().url, other.url] });
  const chain = { ...w.chainOf(w.node().url), adapter };
  const step = watchStep(chain);
  const sync = () => {
    for (const node of opened) copyChain(w.node(), node);
    for (const node of opened) node.finalDepth = w.node().finalDepth;
  };
  sync();
  await w.run(step);
  const { id, address } = await w.session();
  w.mine(3);
  w.pay(address);
  w.mine(8);
  sync();
  liar.tamper = understate;
  const rescan = async () => {
    const row = await findChainRow(w.pool(), 'test', 'ethereum');
    return rescanWindow(w.context(), chain, row!, { from: 1, to: 8, method: 'recipient', sessionId: id, address });
  };
  return { liar, other, step, id, rescan };
}

const quarantined = async () =>
  (
    await w.pool().query(`SELECT session_id, facts->>'amount' AS amount FROM quarantine
    WHERE kind = 'transfer' AND resolved_at IS NULL`)
  ).rows;

it('credits what two endpoints report when the first one understates a payment below the limit for one endpoint', async () => {
  const { step, id } = await open();
  await w.run(step);
  expect(await w.paymentsOf(id)).toMatchObject({ status: 'completed' });
});

it('keeps a transfer that contradicts the stored one for the operators, and its session does not end meanwhile', async () => {
  const { liar, other, step, id, rescan } = await open();
  w.node().tamper = other.tamper = GONE;
  await w.run(step);
  expect((await w.paymentsOf(id)).transfers).toHaveLength(1);
  liar.tamper = GONE;
  w.node().tamper = other.tamper = WELL;
  w.clock.advance(61_000);
  await rescan();
  expect(await quarantined()).toEqual([{ session_id: id, amount: String(DUE) }]);
  w.clock.advance(600_000);
  await storeQuarantined(w.context());
  expect(await quarantined()).toHaveLength(1);
  await rescan();
  expect(await quarantined()).toHaveLength(1);
});
