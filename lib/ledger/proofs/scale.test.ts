import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openProofScene, verifyByProgram } from '@/testing/ledger/proof-scene';
import { insertMany } from '@/testing/many-rows';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const STORES = 5_000;
/** Each takes a few seconds and some fifty megabytes on a small machine; a design without bounds takes far more. */
const MOST_MILLISECONDS = 60_000;
const MOST_BYTES = 400_000_000;

const directory = useTemporaryDirectory();
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it(
  'proves the balances of five thousand stores in four tokens within a minute, and each store reads a few kilobytes of it',
  { timeout: 3 * MOST_MILLISECONDS },
  async () => {
    const scene = await openProofScene(db, ['bsc', 'ethereum']);
    for (const [network, currency] of ['bsc USDT', 'bsc USDC', 'ethereum USDT', 'ethereum USDC'].map((one) =>
      one.split(' '),
    ))
      await insertMany(
        db.pool,
        STORES,
        (numbers) => `INSERT INTO ledger_balances (environment, account, network, currency, amount)
          SELECT 'test', 'store:store_' || n, $1, $2, -n * 1000003::numeric FROM ${numbers}`,
        [network, currency],
      );
    const [before, began] = [process.memoryUsage().rss, performance.now()];
    await scene.make();
    expect(performance.now() - began).toBeLessThan(MOST_MILLISECONDS);
    expect(process.memoryUsage().rss - before).toBeLessThan(MOST_BYTES);
    const started = performance.now();
    const document = await scene.newest(`store_${STORES}`);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(document.store.balances).toHaveLength(4);
    expect(document.store.balances[0]?.shares[0]?.path).toHaveLength(15);
    expect(JSON.stringify(document).length).toBeLessThan(60_000);
    const owed = ((BigInt(STORES) * BigInt(STORES + 1)) / 2n) * 1_000_003n;
    const { out, error } = await verifyByProgram(db, directory, document);
    expect(error).toBe('');
    expect(out).toContain(`USDC on bsc: yours ${BigInt(STORES) * 1_000_003n}, owed to all ${owed}`);
  },
);
