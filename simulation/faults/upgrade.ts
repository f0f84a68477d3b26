// An upgrade in the middle of the worker's work: the former version ends between two statements, a migration runs while its web process
// still answers, and the new version finds rows that the former one wrote without what is stored today.

import { openChains } from '@/lib/networks/registry';
import { transaction } from '@/lib/platform/database/db';
import { reattest } from '@/lib/payments/watcher/backfill/reattest';
import { createSession } from '@/simulation/actions/merchants';
import { recover, runAll } from '@/simulation/actions/product';
import { evidenceKey } from '@/testing/signer/signer-scene';
import type { Action, Scene } from '@/simulation/actions/action';
import { noteUnproven } from '@/simulation/checks/returns';
import { readSnapshot } from '@/simulation/snapshot';
import type { World } from '@/simulation/world';

/** Hot tables that a migration gives another column. */
const TABLES = ['sessions', 'transfers', 'refunds', 'chains', 'deliveries', 'stores'] as const;
const MOST_STATEMENTS = 120;

/** Payments that were stored before the installation had a key for proofs. */
async function forgetProofs({ harness }: World, every: number): Promise<number> {
  return transaction(harness.database.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    const { rowCount } = await tx.query('UPDATE transfers SET mac = NULL WHERE id % $1 = 0', [every]);
    return rowCount ?? 0;
  });
}

/** What the operator runs after the upgrade (README, "Going live"). Endpoints that fail leave some payments for the next time. */
export async function reattestAll({ context, clock }: World): Promise<number> {
  let failures = 0;
  for (const chain of openChains(context.config, { clock, log: context.log })) {
    await reattest(context, chain, evidenceKey).then(
      ({ failed }) => (failures += failed.length),
      () => failures++,
    );
  }
  return failures;
}

async function upgrade(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  const { pool, database } = world.harness;
  if (pool.server() !== 'well') return null;
  pool.plan(random.pick(['crash_before', 'crash_after']), random.int(1, MOST_STATEMENTS), 'statements');
  await runAll(world);
  recover(world);
  const table = random.pick(TABLES);
  await database.pool.query(`ALTER TABLE ${table} ADD COLUMN added_by_an_upgrade text`);
  const created = await createSession(scene);
  const count = random.chance(50) ? await forgetProofs(world, random.int(1, 3)) : 0;
  world.restartWorker();
  world.restartWeb();
  const failed = await runAll(world);
  if (count > 0) noteUnproven(world, (await readSnapshot(database.pool)).refunds);
  const left = count > 0 ? await reattestAll(world) : 0;
  if (left > 0) world.records.hasUnproven = true;
  await database.pool.query(`ALTER TABLE ${table} DROP COLUMN added_by_an_upgrade`);
  const old = count > 0 ? `; ${count} payments have no proof until the operator has them proven again` : '';
  const ends = failed.length > 0 ? `; failed: ${failed.join(', ')}` : '';
  return `An upgrade changes ${table} in the middle of a round; ${typeof created === 'string' ? created : created.says}${old}${ends}`;
}

export const UPGRADE: Action = { name: 'an upgrade in the middle', weight: 5, act: upgrade };
