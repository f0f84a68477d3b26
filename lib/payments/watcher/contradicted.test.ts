import { afterEach, expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { decideContradiction } from '@/lib/dashboard/operator/contradiction';
import { listQuarantine } from '@/lib/dashboard/operator/quarantine';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { findChainRow } from './cursors/chain-row';
import { storeQuarantined } from './transfers/quarantined';
import { rescanWindow } from './backfill/rescan';
import { watchStep } from './step';

const w = useWatchedChain();
let opened: FakeNode[] = [];
afterEach(async () => {
  await Promise.all(opened.map((node) => node.close()));
  opened = [];
  await w.pool().query('TRUNCATE quarantine');
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
    return rescanWindow(w.context(), chain, row!, { from: 1, to: 8, method: 'address', sessionId: id, address });
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

it('keeps a transfer that contradicts the stored one for the operators, and its session does not close before', async () => {
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

/** The first endpoint's two cents are stored, and the others report the whole payment. */
async function contradicted() {
  const scene = await open();
  const { liar, other, step, rescan } = scene;
  w.node().tamper = other.tamper = GONE;
  await w.run(step);
  liar.tamper = GONE;
  w.node().tamper = other.tamper = WELL;
  w.clock.advance(61_000);
  await rescan();
  const { rows } = await listQuarantine(w.context(), { before: null, limit: 10 });
  return { ...scene, item: rows.find(({ contradiction }) => contradiction !== null)! };
}

const BY = { by: 'user:11111111-1111-4111-8111-111111111111', address: '192.0.2.1', note: 'checked two explorers' };

it('shows an operator the stored and the reported facts of a contradicted transfer', async () => {
  const { item } = await contradicted();
  expect(item.contradiction).toMatchObject({
    stored: { amount: '20000', currency: 'USDT', decimals: 6 },
    reported: { amount: String(DUE), currency: 'USDT', decimals: 6 },
  });
});

it('lets an operator decide a contradiction: the session can close, and the same report does not open it again', async () => {
  const { id, rescan, item } = await contradicted();
  const decide = () => decideContradiction(w.context(), { id: item.id, outcome: 'stored_is_right', ...BY });
  await decide();
  await expect(decide()).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
  expect(await quarantined()).toEqual([]);
  await rescan();
  expect(await quarantined()).toEqual([]);
  expect((await w.paymentsOf(id)).transfers).toMatchObject([{ amount: '20000' }]);
  w.clock.advance(2 * 3_600_000);
  await w.pool().query(`UPDATE chains SET final_time = $1`, [w.clock.now()]);
  await w.pool().query(
    `INSERT INTO balance_checks (session_id, chain_id, state, next_at)
    SELECT $1, id, 'proven', now() FROM chains ON CONFLICT (session_id, chain_id) DO UPDATE SET state = 'proven'`,
    [id],
  );
  await expireSessions(w.context());
  expect(await w.paymentsOf(id)).toMatchObject({ status: 'failed' });
  const { rows } = await w
    .pool()
    .query(`SELECT actor, action, details FROM audit_entries WHERE target LIKE 'transfer/%'`);
  expect(rows).toMatchObject([
    { actor: BY.by, action: 'quarantine.decide', details: { outcome: 'stored_is_right', note: BY.note } },
  ]);
});

it('opens a decided contradiction again when endpoints report other facts', async () => {
  const { other, rescan, item } = await contradicted();
  await decideContradiction(w.context(), { id: item.id, outcome: 'corrected_by_hand', ...BY });
  const THREE_CENTS = `0x${30_000n.toString(16).padStart(64, '0')}`;
  const lie: FakeNode['tamper'] = (request, result) => {
    const response = understate(request, result);
    return response === undefined ? undefined : JSON.parse(JSON.stringify(response).replaceAll(TWO_CENTS, THREE_CENTS));
  };
  w.node().tamper = other.tamper = lie;
  await rescan();
  expect(await quarantined()).toMatchObject([{ amount: '30000' }]);
});

it('refuses a decision about a transfer that is not stored: the item is its only record', async () => {
  const { id } = await w.session();
  const facts = {
    chainId: 1,
    transactionHash: '0xnew',
    ordinal: 0,
    amount: '5',
    contract: 'c',
    payer: 'p',
    recipient: 'r',
  };
  const { rows } = await w.pool().query(
    `INSERT INTO quarantine (kind, subject_id, session_id, step, error, facts, attempts, first_at, last_at, next_run_at)
     VALUES ('transfer', '1 0xnew 0', $1, 'watch', 'x', $2, 1, now(), now(), now()) RETURNING id`,
    [id, facts],
  );
  const decide = decideContradiction(w.context(), { id: String(rows[0].id), outcome: 'corrected_by_hand', ...BY });
  await expect(decide).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
});
