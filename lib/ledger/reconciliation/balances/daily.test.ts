import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { TRONGRID_LIMITS } from '@/lib/networks/endpoints/request-limits';
import type { FollowedChain } from '@/lib/networks/registry';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig } from '@/testing/fixtures';
import { addDaily } from './daily';

const T = 1_800_000_000;
const SESSIONS = 7400;
const DAY = 86_400;
const AT_ONCE = 20;
const SECONDS_BETWEEN = { tron: 240, solana: 20 };
const clock = openTestClock(T);
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock.set(T);
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  await db.pool.query('DELETE FROM sessions');
});

type Ended = { readonly count: number; readonly lastAt: number; readonly environment?: 'live' | 'test' };

/** A store whose sessions ended one per second, the last one at `lastAt`. Their ids end with `-1` (the oldest) to `-<count>`. */
async function storeWith({ count, lastAt, environment = 'test' }: Ended): Promise<string> {
  const { storeId } = await makeStore(db, testConfig());
  await end(storeId, { count, lastAt, environment });
  return storeId;
}

async function end(storeId: string, { count, lastAt, environment = 'test' }: Ended): Promise<void> {
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, offered_pairs,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at, budget)
     SELECT a || '-' || n, $1, $4::"Environment", a || '-' || n, 100, 'USD', 100, '{USDT}', '{tron}', '{tron-USDT}',
       $3::timestamptz - ($2 - n) * interval '1 second', $3, first + n,
       'e' || a || n, 't' || a || n, 's' || a || n, 'expired', $3::timestamptz - ($2 - n) * interval '1 second', 'links'
     FROM (SELECT concat_ws('_', $1::text, $4::text, extract(epoch FROM $3::timestamptz)::int) AS a, coalesce(max(address_index), 0) AS first FROM sessions) o, generate_series(1, $2::int) n`,
    [storeId, count, fromUnixSeconds(lastAt), environment],
  );
}

type Added = { readonly storeId: string; readonly environment: string; readonly place: number };

/** Runs the step and returns the sessions that it added, newest first. */
async function openRound(network: 'tron' | 'solana' = 'tron') {
  const chainId = await makeChain(db, network, T);
  const spec = networkSpec('test', network, 'local')!;
  const adapter = { readsBlocks: network !== 'solana' };
  const chain = { environment: 'test', network, spec, adapter } as FollowedChain;
  const added = async (): Promise<Added[]> => {
    await addDaily(db.pool, { chain, chainId, now: clock.now() });
    const { rows } = await db.pool.query<Added>(
      `WITH gone AS (DELETE FROM balance_checks WHERE chain_id = $1 RETURNING session_id)
       SELECT store_id AS "storeId", environment, substring(id FROM '[0-9]+$')::int AS place
       FROM sessions JOIN gone ON id = session_id ORDER BY closed_at DESC, place DESC`,
      [chainId],
    );
    return rows;
  };
  const nextPage = () => {
    clock.advance(SECONDS_BETWEEN[network] * 1000);
    return added();
  };
  /** The first page of the first round, which begins a day after the chain was added. */
  const firstPage = async () => {
    await added();
    clock.set(T + DAY);
    return added();
  };
  const pages = async (count: number) => {
    const all: Added[] = [];
    while (count-- > 0) all.push(...(await nextPage()));
    return all;
  };
  return { added, firstPage, nextPage, pages };
}

const placesOf = (rows: readonly Added[], storeId: string) =>
  rows.filter((row) => row.storeId === storeId).map(({ place }) => place);

it('compares the newest addresses first, and on TRON uses at most a tenth of TronGrid’s daily plan', async () => {
  const store = await storeWith({ count: SESSIONS, lastAt: T });
  const { added, nextPage } = await openRound();
  expect(await added()).toEqual([]);
  clock.advance(DAY * 1000);
  const first = placesOf(await added(), store);
  expect([first[0], first.at(-1), first.length]).toEqual([SESSIONS, SESSIONS - 19, AT_ONCE]);
  clock.advance(20_000);
  expect(await added()).toEqual([]);
  let requests = first.length;
  for (let seconds = 0; seconds < DAY - 20 - 240; seconds += 240) requests += (await nextPage()).length;
  expect(requests).toBeLessThan((TRONGRID_LIMITS.perDay ?? 0) / 10);
  expect(requests).toBeGreaterThan(7000);
  // The next day begins with the newest again, although this round did not reach the oldest.
  expect(placesOf(await nextPage(), store)[0]).toBe(SESSIONS);
});

describe('stores take turns', () => {
  it('so that a store with thousands of newer sessions delays no other store', async () => {
    const quiet = await storeWith({ count: 5, lastAt: T - 100_000 });
    const busy = await storeWith({ count: SESSIONS, lastAt: T });
    const first = await (await openRound()).firstPage();
    expect(placesOf(first, quiet)).toEqual([5, 4, 3, 2, 1]);
    expect(placesOf(first, busy)).toEqual(Array.from({ length: 15 }, (_, at) => SESSIONS - at));
  });

  it('so that a round that is too long for a day compares equally many of each store, newest first', async () => {
    const stores: string[] = [];
    for (let n = 0; n < 7; n++) stores.push(await storeWith({ count: 1500, lastAt: T - 2000 * n }));
    const { firstPage, pages, nextPage } = await openRound();
    const all = [...(await firstPage()), ...(await pages(DAY / 240 - 1))];
    expect(all).toHaveLength((DAY / 240) * AT_ONCE);
    const counts = stores.map((store) => placesOf(all, store).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    for (const [at, store] of stores.entries()) {
      const newest = Array.from({ length: counts[at]! }, (_, n) => 1500 - n);
      expect(placesOf(all, store).toSorted((a, b) => b - a)).toEqual(newest);
    }
    const again = await nextPage();
    for (const store of stores) expect(placesOf(again, store)[0]).toBe(1500);
  });

  it('and each session is compared once in a round, with full pages up to the last one', async () => {
    const counts = [0, 1, 1, 1, 2, 20, 21, 40, 3, 100];
    const stores: string[] = [];
    for (const count of counts) stores.push(await storeWith({ count, lastAt: T }));
    const { firstPage, nextPage, pages } = await openRound();
    const all = await firstPage();
    for (let page = 1; page < 9; page++) {
      const next = await nextPage();
      expect(next).toHaveLength(AT_ONCE);
      all.push(...next);
    }
    all.push(...(await pages(20)));
    for (const [at, store] of stores.entries()) {
      expect(placesOf(all, store).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: counts[at]! }, (_, n) => n + 1),
      );
    }
  });

  it('and the next round begins with the stores that the last one did not reach', async () => {
    for (let n = 0; n < 25; n++) await storeWith({ count: 40, lastAt: T });
    const { firstPage, added } = await openRound();
    const reached = new Set((await firstPage()).map(({ storeId }) => storeId));
    expect(reached.size).toBe(AT_ONCE);
    clock.advance(DAY * 1000);
    const next = new Set((await added()).map(({ storeId }) => storeId));
    expect([...next].filter((store) => !reached.has(store))).toHaveLength(5);
  });

  it('in each environment, where a network is read by account', async () => {
    const store = await storeWith({ count: 100, lastAt: T });
    await end(store, { count: 3, lastAt: T - 1000, environment: 'live' });
    const accounts = await (await openRound('solana')).firstPage();
    expect(accounts.filter(({ environment }) => environment === 'live')).toHaveLength(3);
    const blocks = await (await openRound('tron')).firstPage();
    expect(blocks.filter(({ environment }) => environment === 'live')).toEqual([]);
  });
});

it('compares a session that ends during a round, or after it, in the next round', async () => {
  const store = await storeWith({ count: 30, lastAt: T });
  const { firstPage, pages, added } = await openRound();
  const first = await firstPage();
  await end(store, { count: 2, lastAt: T + DAY + 100 });
  const rest = await pages(5);
  expect([...first, ...rest]).toHaveLength(30);
  clock.set(T + 2 * DAY - 1);
  expect(await added()).toEqual([]);
  clock.set(T + 2 * DAY + 240);
  expect(placesOf(await added(), store).slice(0, 3)).toEqual([2, 1, 30]);
});

it('compares nothing that was created more than 30 days ago', async () => {
  const store = await storeWith({ count: 10, lastAt: T - 29 * DAY + 4 });
  const { firstPage, pages } = await openRound();
  const all = [...(await firstPage()), ...(await pages(3))];
  expect(placesOf(all, store)).toEqual([10, 9, 8, 7]);
});

it('adds each page once when two workers are due at the same time', async () => {
  await storeWith({ count: 100, lastAt: T });
  const { firstPage, added } = await openRound();
  await firstPage();
  clock.advance(240_000);
  const both = await Promise.all([added(), added()]);
  expect(both.flat()).toHaveLength(AT_ONCE);
});
