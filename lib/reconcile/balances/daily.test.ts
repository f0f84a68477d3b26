import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkSpec } from '@/lib/chains/networks';
import { TRONGRID_LIMITS } from '@/lib/chains/request-limits';
import type { FollowedChain } from '@/lib/chains/registry';
import { fromUnixSeconds } from '@/lib/clock';
import { openTestClock } from '@/lib/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { makeChain, makeStore, testConfig } from '@/lib/testing/fixtures';
import { addDaily } from './daily';

const T = 1_800_000_000;
const SESSIONS = 7400;
const clock = openTestClock(T);
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('compares the newest addresses first, and on TRON no more in a day than a tenth of the plan of TronGrid', async () => {
  const { storeId } = await makeStore(db, testConfig());
  const chainId = await makeChain(db, 'tron', T);
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, offered_pairs,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at, budget)
     SELECT 'cs_test_' || n, $1, 'test', 'cs_test_' || n, 100, 'USD', 100, '{USDT}', '{tron}', '{tron-USDT}', $2, $2, n, 'e' || n, 't' || n, 's' || n,
       'expired', $2, 'links' FROM generate_series(1, ${SESSIONS}) n`,
    [storeId, fromUnixSeconds(T)],
  );
  const spec = networkSpec('test', 'tron', 'local')!;
  const chain = { environment: 'test', network: 'tron', spec, adapter: { readsBlocks: true } } as FollowedChain;
  const compared = async (): Promise<number[]> => {
    await addDaily(db.pool, { chain, chainId, now: clock.now() });
    const { rows } = await db.pool.query<{ address_index: number }>(
      `WITH gone AS (DELETE FROM balance_checks WHERE chain_id = $1 RETURNING session_id)
       SELECT address_index FROM sessions JOIN gone ON id = session_id ORDER BY address_index DESC`,
      [chainId],
    );
    return rows.map((row) => row.address_index);
  };
  expect(await compared()).toEqual([]);
  clock.advance(86_400_000);
  const first = await compared();
  expect([first[0], first.at(-1), first.length]).toEqual([SESSIONS, SESSIONS - 19, 20]);
  clock.advance(20_000);
  expect(await compared()).toEqual([]);
  let requests = first.length;
  for (let seconds = 0; seconds < 86_400 - 20 - 240; seconds += 240) {
    clock.advance(240_000);
    requests += (await compared()).length;
  }
  expect(requests).toBeLessThan((TRONGRID_LIMITS.perDay ?? 0) / 10);
  expect(requests).toBeGreaterThan(7000);
  // The next day begins with the newest again, although this round did not reach the oldest.
  clock.advance(300_000);
  await compared();
  clock.advance(240_000);
  expect((await compared())[0]).toBe(SESSIONS);
});
