// The watcher over faulty Solana endpoints: the cursor never passes a payment that is not stored, and nothing false is
// stored. Once the endpoint recovers or another one is used, every payment is stored exactly once.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { solanaFaults } from '@/testing/solana/solana-faults';
import { useFaultySolana, type Result } from '@/testing/solana/solana-faulty-pair';
import { ata, localSolana, OURS, T0, usdt } from '@/testing/solana/solana-scene';
import { TOKEN_PROGRAM } from '@/testing/solana/solana-ledger';
import { paymentsOf, watchedSession, type WatchedSession } from '@/testing/watching/watched-session';
import { watchStep } from './step';

/** At least a cent: smaller amounts are read later (lib/networks/families/solana/reading/dust.ts). */
const AMOUNT = 120_000n;
const pair = useFaultySolana(AMOUNT);
const { clock, faulty, good, open, on } = pair;
const here = {
  ...localSolana,
  get genesis() {
    return good().genesis;
  },
};
let database: TestDatabase;
let session: WatchedSession;

beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

/** Follows the chain from its first block on, before the tested blocks exist. */
beforeEach(async () => {
  await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  await database.pool.query('DELETE FROM account_cursors');
  await database.pool.query('UPDATE chains SET genesis = gen_random_uuid()');
  await database.pool.query('UPDATE sessions SET solana_address = id WHERE solana_address = $1', [OURS]);
  session = await watchedSession(database.pool, { createdAt: T0, networks: ['solana'], solanaAddress: OURS });
  const later = good().blocks.splice(2);
  await scan(good().url);
  good().blocks.push(...later);
});

const step = (...urls: string[]) =>
  watchStep({ environment: 'test', network: 'solana', spec: here, adapter: open(urls, here) });
const scan = async (...urls: string[]): Promise<void> => {
  const once = step(...urls);
  const context = { ...testContext(database, new TestClock(), testConfig()), clock };
  while ((await once(context)).more);
};
const cursor = async () => {
  const { rows } = await database.pool.query(
    'SELECT final_number::int AS final, tip_number::int AS tip, trouble FROM chains WHERE retired_at IS NULL',
  );
  return rows[0] as { final: number; tip: number; trouble: string | null };
};
const heal = () => {
  faulty().tamper = () => undefined;
  faulty().hijack = () => false;
  faulty().mints.set(usdt, { decimals: 6, program: TOKEN_PROGRAM });
  Object.assign(faulty(), { finalDepth: 0, listLag: 0, genesis: good().genesis });
  faulty().blocks.splice(0, faulty().blocks.length, ...good().blocks);
  clock.advance(120_000);
};
const payment = { network: 'solana', amount: String(AMOUNT), currency: 'USDT', decimals: 6 };

describe.each(solanaFaults(pair))('an endpoint that is %s', (_kind, _fault, spoil) => {
  it('moves no cursor past a payment, and costs nothing after it recovers', async () => {
    spoil();
    await scan(faulty().url);
    await scan(faulty().url);
    const { final } = await cursor();
    const { transfers } = await paymentsOf(database.pool, session.id);
    // The payments are in slots 5 and 7; a lagging endpoint is read up to its head.
    expect(transfers).toEqual([5, 7].filter((slot) => slot <= final).map(() => payment));
    heal();
    await scan(faulty().url);
    expect(await cursor()).toEqual({ final: 10, tip: 10, trouble: null });
    expect(await paymentsOf(database.pool, session.id)).toMatchObject({ transfers: [payment, payment], entries: 2 });
  });
});

it('an account that one endpoint hides is found through another within about a minute', async () => {
  on('getMultipleAccounts', (response, params) =>
    (params[0] as string[]).includes(ata(OURS))
      ? { ...response, value: response.value.map((): Result | null => null) }
      : undefined,
  );
  clock.set(T0 + 17);
  await scan(faulty().url, good().url);
  expect((await cursor()).final).toBe(10);
  expect((await paymentsOf(database.pool, session.id)).transfers).toEqual([]);
  for (let pass = 0; pass < 10; pass++) {
    const [block] = [good().mine()];
    faulty().blocks.push(block);
    clock.advance(7000);
    await scan(faulty().url, good().url);
  }
  good().blocks.splice(11);
  expect((await paymentsOf(database.pool, session.id)).transfers).toEqual([payment, payment]);
});
