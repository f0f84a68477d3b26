// What a restored copy must fulfil, and what the page Health shows of it. scripts/stabletill/restore.test.mts restores real backups.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { checkRestored, nextPosition } from './checks';
import { readRestoreHealth, storeProof } from './proofs';

const MAX_DAYS = 35;
const DAY = 24 * 3600 * 1000;

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => void (await db.pool.query('TRUNCATE restore_proofs, address_pool')));

/** The ids of the sentences that do not hold. */
const broken = async (live: bigint | null) =>
  (await checkRestored(db.pool, live)).flatMap((one) => (one.broken.length > 0 ? [one.id] : []));

it('proves a copy whose books, positions, addresses and migrations are in order', async () => {
  expect(await broken(null)).toEqual([]);
  expect(await broken(await nextPosition(db.pool))).toEqual([]);
});

it('refuses a copy whose next event would come below the running database', async () => {
  const live = (await nextPosition(db.pool)) + 1_000_000_000_000n;
  expect(await broken(live)).toEqual(['EVENTS']);
});

it('refuses a copy that would hand out the pooled addresses of its backup', async () => {
  const pooled = (incarnation: string) =>
    db.pool.query(
      `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address, incarnation)
       VALUES ('test', (SELECT count(*) FROM address_pool), gen_random_uuid()::text, gen_random_uuid()::text, gen_random_uuid()::text, ${incarnation})`,
    );
  await pooled(`'another server'`);
  expect(await broken(null)).toEqual([]);
  await pooled('pool_incarnation()');
  expect(await broken(null)).toEqual(['ADDRESSES']);
});

it('refuses a copy with a migration that was not finished', async () => {
  await db.pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('half', 'half', 'half', NULL)`,
  );
  expect(await broken(null)).toEqual(['MIGRATIONS']);
  await db.pool.query(`DELETE FROM _prisma_migrations WHERE id = 'half'`);
});

it('shows the last proven restore, its age and a later failure, but no earlier one', async () => {
  const health = (now = new Date()) => readRestoreHealth(db.pool, { now, maxDays: MAX_DAYS });
  const proof = { backup: '20261130F', recoveredTo: new Date(), seconds: 5, databaseBytes: 7n };
  expect(await health()).toEqual({ last: null, isOld: true, failure: null });
  await storeProof(db.pool, { ...proof, broken: ['books'] });
  expect(await health()).toMatchObject({ last: null, isOld: true, failure: { reason: 'books' } });
  await storeProof(db.pool, { ...proof, broken: [] });
  expect(await health()).toMatchObject({ last: { backup: '20261130F', seconds: 5 }, isOld: false, failure: null });
  expect(await health(new Date(Date.now() + MAX_DAYS * DAY + DAY))).toMatchObject({ isOld: true });
  await storeProof(db.pool, { ...proof, backup: '20261201F', broken: ['events', 'books'] });
  expect(await health()).toMatchObject({ last: { backup: '20261130F' }, isOld: false, failure: { reason: 'events' } });
  await storeProof(db.pool, { ...proof, recoveredTo: new Date(0), broken: [] });
  expect(await health()).toMatchObject({ isOld: true, failure: null });
});
