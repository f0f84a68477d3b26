// Security events under a flood, in several processes, and while the database is away.

import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { countsThisHour, flushSecurityEvents, noteSecurity } from './events';
import { OTHERS } from './kinds';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';

const HOUR = 3600;
const clock = new TestClock(1_800_000_000 - (1_800_000_000 % HOUR));
let db: TestDatabase;

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE security_counts'));

/** Acts as a separate process: the collector belongs to the pool. */
function openProcess() {
  const lines: Record<string, unknown>[] = [];
  const statements: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const pool = new Proxy(db.pool, {
    get(own, name) {
      if (name !== 'query') return Reflect.get(own, name) as unknown;
      return (statement: { name: string; text: string }) => (statements.push(statement.name), own.query(statement));
    },
  });
  return { deps: { pool, clock, log }, lines, statements };
}
const rowsOf = async (kind: string, sort: string) =>
  (
    await db.pool.query<{ subject: string; count: number }>(
      'SELECT subject, count::int AS count FROM security_counts WHERE kind = $1 AND sort = $2 ORDER BY count DESC, subject',
      [kind, sort],
    )
  ).rows;

test('ten thousand refusals from ten thousand addresses cause one write, two hundred named addresses and fifty log lines', async () => {
  const { deps, lines, statements } = openProcess();
  for (let n = 0; n < 10_000; n++)
    noteSecurity(deps, { kind: 'api_key_refused', address: `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}` });
  expect(statements).toEqual([]);
  await flushSecurityEvents(deps);
  expect(statements).toEqual(['store-security-counts']);
  expect(await rowsOf('api_key_refused', 'all')).toEqual([{ subject: '', count: 10_000 }]);
  const addresses = await rowsOf('api_key_refused', 'address');
  expect(addresses).toHaveLength(201);
  expect(addresses[0]).toEqual({ subject: OTHERS, count: 9800 });
  expect(lines.filter(({ msg }) => msg === 'security event')).toHaveLength(50);
  expect(lines.at(-1)).toMatchObject({ kind: 'api_key_refused', count: 9950 });
});

test('an event costs the request less than a fifth of a millisecond, on a busy machine too', () => {
  const { deps } = openProcess();
  const began = performance.now();
  for (let n = 0; n < 20_000; n++)
    noteSecurity(deps, { kind: 'signature_refused', address: '2001:db8:1:2::3', key: 7, store: 'st_1' });
  expect((performance.now() - began) / 20_000).toBeLessThan(0.2);
});

test('two processes add up their counts by the hour, and IPv6 addresses by their network', async () => {
  const [one, other] = [openProcess(), openProcess()];
  noteSecurity(one.deps, { kind: 'factor_failed', address: '2001:db8:1:2::3', account: 'u1' });
  noteSecurity(other.deps, { kind: 'factor_failed', address: '2001:db8:1:2:9::', account: 'u1' });
  await Promise.all([flushSecurityEvents(one.deps), flushSecurityEvents(other.deps)]);
  expect(await rowsOf('factor_failed', 'address')).toEqual([{ subject: '2001:db8:1:2::/64', count: 2 }]);
  expect(await rowsOf('factor_failed', 'account')).toEqual([{ subject: 'u1', count: 2 }]);
  expect(await countsThisHour(one.deps)).toContainEqual({ kind: 'factor_failed', count: 2 });
  clock.advance(HOUR);
  noteSecurity(one.deps, { kind: 'factor_failed', account: 'u1' });
  await flushSecurityEvents(one.deps);
  expect(await countsThisHour(one.deps)).toContainEqual({ kind: 'factor_failed', count: 1 });
  expect(await rowsOf('factor_failed', 'all')).toHaveLength(2);
});

test('counts that could not be stored are stored later, once', async () => {
  const { deps } = openProcess();
  noteSecurity(deps, { kind: 'csrf_refused', address: '192.0.2.1' });
  await db.pool.query('ALTER TABLE security_counts RENAME TO elsewhere');
  await flushSecurityEvents(deps);
  await db.pool.query('ALTER TABLE elsewhere RENAME TO security_counts');
  noteSecurity(deps, { kind: 'csrf_refused', address: '192.0.2.1' });
  await flushSecurityEvents(deps);
  await flushSecurityEvents(deps);
  expect(await rowsOf('csrf_refused', 'address')).toEqual([{ subject: '192.0.2.1', count: 2 }]);
});

test('invalid text in place of an address is neither counted nor logged', async () => {
  const { deps, lines } = openProcess();
  noteSecurity(deps, { kind: 'csrf_refused', address: '${jndi:ldap://x}\n' });
  await flushSecurityEvents(deps);
  expect(await rowsOf('csrf_refused', 'address')).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('jndi');
});

test('a process continues without its database', async () => {
  const pool: Pool = openPool(db.url, 1);
  await pool.end();
  const { log } = openProcess().deps;
  noteSecurity({ pool, clock, log }, { kind: 'locked_out' });
  await expect(flushSecurityEvents({ pool, clock, log })).resolves.toBeUndefined();
});
