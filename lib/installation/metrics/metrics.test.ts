// What a scrape shows: nothing that is not known, the process's own numbers also without the database, and each number of waiting work and
// of money from rows that cause it.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPool } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { addPayment } from '@/testing/payments/payment-row';
import { makeEndpoint } from '@/testing/receivers/webhooks';
import { listenForMetrics } from './listen';
import { readMetrics, readNumbers } from './metrics';

const TOKEN = 'a-token-of-some-length';
const clock = new TestClock();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

const context = (settings: Record<string, string> = {}) => testContext(db, clock, testConfig(settings));
const scraped = async () => (await readMetrics(context())).split('\n');
const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000);

it('has no sample of anything that was never observed', async () => {
  const lines = await scraped();
  const gauges = lines
    .filter((line) => /^# TYPE stabletill_\w+ gauge$/.test(line))
    .map((line) => line.split(' ')[2] as string);
  const described = gauges.filter((name) => !lines.some((line) => line.startsWith(name) && !line.startsWith('#')));
  // The gauge of the worker's steps belongs to a process in which none ran.
  expect(described).toEqual(['stabletill_worker_step_last_success_timestamp_seconds']);
  for (const name of [
    'chain_lag_seconds',
    'worker_heartbeat_age_seconds',
    'signer_frozen',
    'mails_oldest_seconds',
    'deliveries_oldest_pending_seconds',
  ])
    expect(lines.filter((line) => line.startsWith(`stabletill_${name}`))).toEqual([]);
  expect(lines).toContain('stabletill_deliveries_pending 0');
});

it('answers without the database, with the numbers of the process', async () => {
  const pool = openPool('postgresql://reader@127.0.0.1:1/none', 3);
  const text = await readMetrics({ ...context(), pool });
  await pool.end();
  expect(text).toContain('\nstabletill_database_up 0\n');
  expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  expect(text).toMatch(/^stabletill_pool_connections\{state="waiting"\} 0$/m);
  expect(text).not.toContain('stabletill_sessions_pending');
});

it('takes one connection for readers at the same time, and reads once for all of them', async () => {
  const pool = openPool(db.url, 5);
  const asked = vi.spyOn(pool, 'query');
  const one = { ...context(), pool };
  const read = await Promise.all([1, 2, 3].map(() => readNumbers(one)));
  expect(new Set(read).size).toBe(1);
  const names = asked.mock.calls.map(([query]) => (query as unknown as { name: string }).name);
  expect(names.filter((name) => name === 'metrics_read')).toHaveLength(1);
  await pool.end();
});

it('does not repeat the query of the reserves at each scrape when it fails', async () => {
  const one = { ...context(), pool: openPool(db.url, 3), clock: new TestClock() };
  const query = one.pool.query.bind(one.pool) as (given: { name: string }) => Promise<unknown>;
  let tried = 0;
  vi.spyOn(one.pool, 'query').mockImplementation(((given: { name: string }) => {
    if (given.name !== 'reserves') return query(given);
    tried++;
    return Promise.reject(new Error('too slow'));
  }) as never);
  await readNumbers(one);
  const first = tried;
  expect(first).toBeGreaterThan(0);
  await readNumbers(one);
  expect(tried).toBe(first);
  one.clock.advance(61);
  await readNumbers(one);
  expect(tried).toBe(2 * first);
  await one.pool.end();
});

it('leaves out a source that fails, names it, and shows the others', async () => {
  await db.pool.query('ALTER TABLE payment_exceptions RENAME COLUMN counted TO gone');
  try {
    const lines = await scraped();
    expect(lines).toContain('stabletill_metrics_source_failed{source="money"} 1');
    expect(lines).toContain('stabletill_database_up 1');
    expect(lines).toContain('stabletill_mails_waiting 0');
    expect(lines.filter((line) => line.startsWith('stabletill_unmatched_money'))).toEqual([]);
  } finally {
    await db.pool.query('ALTER TABLE payment_exceptions RENAME COLUMN gone TO counted');
  }
});

describe('work that waits', () => {
  it('has the age of the oldest, by what it waits for', async () => {
    const now = clock.now();
    await db.pool.query(`INSERT INTO expiry_watch (since, seen_at) VALUES ($1, $1)`, [ago(33)]);
    await db.pool.query(
      `INSERT INTO step_failures (step, message, failures, since, last_at) VALUES ('send mails', 'x', 4, $1, $1)`,
      [now],
    );
    await db.pool.query(
      `INSERT INTO signer_states (id, is_frozen, read_at, trouble, checked_at) VALUES (1, true, $1, 'silent', $2)`,
      [ago(50), now],
    );
    await db.pool.query(
      `INSERT INTO mails (recipient, subject, body, created_at, next_at) VALUES ('a@example.test', 's', 'b', $1, $1)`,
      [ago(70)],
    );
    await db.pool.query(
      `INSERT INTO alarms (kind, subject, severity, count, opened_at, last_seen_at) VALUES ('fee_low', 'live bsc', 'warning', 1, $1, $1)`,
      [now],
    );
    const lines = await scraped();
    for (const line of [
      'stabletill_worker_heartbeat_age_seconds 33',
      'stabletill_worker_step_failing{step="send mails"} 4',
      'stabletill_signer_frozen 1',
      'stabletill_signer_unreachable 1',
      'stabletill_signer_state_age_seconds 50',
      'stabletill_mails_waiting 1',
      'stabletill_mails_oldest_seconds 70',
      'stabletill_alarms_open{kind="fee_low",severity="warning"} 1',
    ])
      expect(lines).toContain(line);
  });

  it('counts a due delivery, and neither a quarantined one nor one of a paused endpoint', async () => {
    const endpoint = await makeEndpoint(db, context(), 'http://127.0.0.1:9/');
    await db.pool.query(
      `INSERT INTO deliveries (event_id, store_id, environment, status, next_at) VALUES ('e1', $1, $2, 'pending', $3)`,
      [endpoint.storeId, endpoint.environment, ago(12)],
    );
    expect(await scraped()).toContain('stabletill_deliveries_oldest_due_seconds 12');
    await db.pool.query(
      `INSERT INTO quarantine (kind, subject_id, step, error, attempts, first_at, last_at, next_run_at)
       SELECT 'delivery', id::text, 'deliver', 'no', 1, now(), now(), now() FROM deliveries WHERE event_id = 'e1'`,
    );
    expect((await scraped()).filter((line) => line.includes('oldest_due'))).toEqual([]);
    await db.pool.query(`DELETE FROM quarantine WHERE kind = 'delivery'`);
    expect(await scraped()).toContain('stabletill_deliveries_oldest_due_seconds 12');
    await db.pool.query('UPDATE webhook_endpoints SET paused_at = now()');
    expect((await scraped()).filter((line) => line.includes('oldest_due'))).toEqual([]);
  });
});

describe('money', () => {
  it('has open payment exceptions in whole tokens, and the runway of the coin by what fees cost', async () => {
    const chainId = await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
    const store = await makeStore(db, context().config);
    const session = await makePaidSession(db, { storeId: store.storeId, closedAt: clock.now(), cents: 1000 });
    await addPayment(db, session, { table: 'transfers', amount: 5_000_000, time: clock.now().getTime() / 1000 });
    await db.pool.query(
      `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
       SELECT $1, 'test', session_id, id, 'over', 2500000 FROM transfers WHERE session_id = $2 LIMIT 1`,
      [store.storeId, session],
    );
    const entry = await db.pool.query<{ id: string }>(
      `INSERT INTO ledger_entries (kind, environment, coin_source, created_at) VALUES ('coin_payment', 'test', 'attempt:1', $1) RETURNING id`,
      [ago(2 * 86_400)],
    );
    const id = entry.rows[0]?.id;
    await db.pool.query(
      `INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
       VALUES ($1, 'fee_coin:0xaa', 'ethereum', 'ETH', -100), ($1, 'network_fees', 'ethereum', 'ETH', 100)`,
      [id],
    );
    await db.pool.query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, '0xaa', 'fee', 500, 9, $2)`,
      [chainId, clock.now()],
    );
    const lines = await scraped();
    expect(lines).toContain('stabletill_unmatched_money{environment="test",network="ethereum",currency="USDT"} 2.5');
    // 100 in two days: 500 lasts ten days.
    expect(lines).toContain(
      'stabletill_refund_wallet_coin_runway_seconds{environment="test",network="ethereum"} 864000',
    );
  });
});

describe('the listener of a process without a server', () => {
  it('answers the holder of the token alone, and only on its path', async () => {
    const listener = await listenForMetrics(context({ METRICS_TOKEN: TOKEN, METRICS_PORT: '0' }));
    const ask = async (path: string, authorization?: string) => {
      const response = await fetch(
        `http://127.0.0.1:${listener?.port}${path}`,
        authorization ? { headers: { authorization } } : {},
      );
      return [response.status, (await response.text()).includes('stabletill_database_up 1')];
    };
    try {
      expect(await ask('/metrics', `Bearer ${TOKEN}`)).toEqual([200, true]);
      expect(await ask('/metrics', 'Bearer another-token-of-length')).toEqual([401, false]);
      expect(await ask('/metrics')).toEqual([401, false]);
      expect(await ask('/', `Bearer ${TOKEN}`)).toEqual([404, false]);
    } finally {
      listener?.close();
    }
  });

  it('leaves its process running when another process has the port, and says so', async () => {
    const first = await listenForMetrics(context({ METRICS_TOKEN: TOKEN, METRICS_PORT: '0' }));
    const second = context({ METRICS_TOKEN: TOKEN, METRICS_PORT: String(first?.port) });
    const told = vi.spyOn(second.log, 'error');
    try {
      expect(await listenForMetrics(second)).toBeNull();
      expect(told).toHaveBeenCalledWith(
        expect.objectContaining({ err: expect.objectContaining({ code: 'EADDRINUSE' }) }),
        expect.any(String),
      );
    } finally {
      first?.close();
    }
  });

  it('does not exist without a port', async () => {
    expect(await listenForMetrics(context({ METRICS_TOKEN: TOKEN }))).toBeNull();
  });
});
