// A deposit address is swept only after everyone who paid to it is screened, and an address with a hit is frozen alone: on a real database
// with real scans of a simulated chain.

import { beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { runScreening } from '@/lib/screening/step';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { DUE, localEthereum, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { readCandidates } from './candidates';
import { insertSweep } from './rows';
import { rulesOf } from './rules';

const { run, mine, node, row, session, pool, context } = useWatchedChain();
const HOUR = 3600;
const [CLEAN, LISTED] = [`0x${'a1'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const;

beforeEach(async () => {
  await pool().query('TRUNCATE screenings, sanctioned_addresses, sanctions_lists');
  await loadList(pool(), [LISTED], { asOf: new Date(T0 * 1000).toISOString() });
});

const screened = (): Context => ({
  ...context(),
  config: readConfig({
    DATABASE_URL: 'postgresql://unused',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
    SCREENING_LIST_KEY: LIST_KEY,
    TEST_CHAINS: 'local',
  }),
});
const screening = () => runScreening(screened(), { spec: localEthereum, oracle: null });

async function paidBy(...payers: readonly string[]): Promise<string> {
  await run();
  const { address } = await session();
  for (const payer of payers) node().mine([{ logs: [transferLog(usdt, payer, address, DUE)] }]);
  mine(4);
  await run();
  return address;
}

async function candidates(isScreened = true) {
  const { id: chainId } = await row();
  const now = new Date((T0 + 3 * HOUR) * 1000);
  const rules = rulesOf({ chain: 'mainnet', network: 'ethereum' });
  const query = { chainId, currencies: ['USDT'], closedBefore: now, rules, cost: 5n, now, isScreened };
  return readCandidates(pool(), query);
}
const addresses = async (isScreened = true) => (await candidates(isScreened)).map(({ address }) => address);

async function planned() {
  const { id: chainId } = await row();
  const request = { kind: 'batch', contract: usdt, authorize: [], deposits: [] } as never;
  const sender = `0x${'55'.repeat(20)}`;
  const plan = { spec: localEthereum, chainId, currency: 'USDT', sender, request, terms: { nonce: 0 } };
  return { plan, now: new Date((T0 + 3 * HOUR) * 1000) };
}

describe('a deposit address', () => {
  it('waits for the screening of its sender, and no longer when the sender is clear', async () => {
    const address = await paidBy(CLEAN);
    expect(await addresses()).not.toContain(address);
    await screening();
    expect(await addresses()).toContain(address);
  });

  it('of a listed sender is frozen alone, also when clean money came with it and when screening is switched off later', async () => {
    const [clean, tainted, mixed] = [await paidBy(CLEAN), await paidBy(LISTED), await paidBy(CLEAN, LISTED)];
    await screening();
    for (const isScreened of [true, false]) {
      const found = await addresses(isScreened);
      expect(found).toContain(clean);
      expect(found).not.toContain(tainted);
      expect(found).not.toContain(mixed);
    }
  });

  it('waits again for the sender of a later payment', async () => {
    const address = await paidBy(CLEAN);
    await screening();
    node().mine([{ logs: [transferLog(usdt, LISTED, address, DUE)] }]);
    mine(4);
    await run();
    expect(await addresses()).not.toContain(address);
    await screening();
    expect(await addresses()).not.toContain(address);
  });

  it('waits until the watcher has stored what a final sweep moved, because unscreened money may have arrived in its place', async () => {
    const address = await paidBy(CLEAN, CLEAN);
    await screening();
    const { plan, now } = await planned();
    const items = (await candidates()).filter((one) => one.address === address);
    const { id } = (await insertSweep(pool(), { ...plan, items, now }))!;
    const [ended, moved] = [
      `UPDATE sweeps SET status = 'final', bytes = '0x', ended_at = $2, hashes = $3 WHERE id = $1`,
      DUE,
    ];
    const hash = `0x${'77'.repeat(32)}`;
    await pool().query(ended, [id, now, [hash]]);
    await pool().query('UPDATE sweep_items SET moved = $2, ended_at = $3 WHERE sweep_id = $1', [id, moved, now]);
    expect([(await addresses()).includes(address), (await addresses(false)).includes(address)]).toEqual([false, true]);
    node().mine([{ logs: [transferLog(usdt, address, `0x${'66'.repeat(20)}`, moved)] }]);
    mine(4);
    await run();
    expect(await addresses()).not.toContain(address);
    const found = '(SELECT array_agg(transaction_hash) FROM outgoing_transfers WHERE payer = $2)';
    await pool().query(`UPDATE sweeps SET hashes = hashes || ${found} WHERE id = $1`, [id, address]);
    expect(await addresses()).toContain(address);
  });

  it('is swept again after its hit is released', async () => {
    const address = await paidBy(LISTED);
    await screening();
    expect(await addresses()).not.toContain(address);
    await pool().query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
    expect(await addresses()).toContain(address);
  });

  it('is frozen by a list that names its sender after it was clear', async () => {
    const address = await paidBy(CLEAN);
    await screening();
    await loadList(pool(), [LISTED, CLEAN], { asOf: new Date((T0 + 60) * 1000).toISOString() });
    expect(await addresses()).not.toContain(address);
  });

  it('is found by a worker that has looked through all addresses before, and by one that has just started', async () => {
    const known = { allAt: Number.NEGATIVE_INFINITY };
    const again = () => runScreening(screened(), { spec: localEthereum, oracle: null, known });
    await again();
    const address = await paidBy(CLEAN);
    await again();
    expect(await addresses()).toContain(address);
    await pool().query(`DELETE FROM screenings`);
    await pool().query(
      `SET session_replication_role = replica; UPDATE transfers SET created_at = 'epoch'; RESET session_replication_role`,
    );
    await again();
    expect(await addresses()).not.toContain(address);
    await screening();
    expect(await addresses()).toContain(address);
  });

  it('without screening is a candidate at once, and nothing is requested', async () => {
    const address = await paidBy(LISTED);
    expect(await addresses(false)).toContain(address);
    expect((await pool().query('SELECT 1 FROM screenings')).rowCount).toBe(0);
  });
});

it('a sweep is not planned with an address that was frozen since it was chosen, and is planned without it', async () => {
  const [clean, tainted] = [await paidBy(CLEAN), await paidBy(`0x${'d4'.repeat(20)}`)];
  await screening();
  const chosen = (await candidates()).filter(({ address }) => [clean, tainted].includes(address));
  expect(chosen).toHaveLength(2);
  await loadList(pool(), [LISTED, `0x${'d4'.repeat(20)}`], { asOf: new Date((T0 + 60) * 1000).toISOString() });
  const { plan, now } = await planned();
  const { chainId } = plan;
  expect(await insertSweep(pool(), { ...plan, items: chosen, now })).toBeNull();
  const { rowCount } = await pool().query('SELECT 1 FROM sweep_items WHERE chain_id = $1', [chainId]);
  expect(rowCount).toBe(0);
  const left = chosen.filter(({ address }) => address === clean);
  expect(await insertSweep(pool(), { ...plan, items: left, now })).toMatchObject({ status: 'planned' });
});
