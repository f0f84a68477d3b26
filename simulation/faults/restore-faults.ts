// The database is lost and restored from a backup that is minutes older, with everything that an operator then does by the
// manual (docs/operate.md, "After a machine was restored").

import { explainDiscrepancy } from '@/lib/ledger/reconciliation/discrepancies';
import { recover } from '@/lib/refunds/recovery/recover';
import { SignerClient } from '@/lib/signer/client';
import { makeBackup, restoreBackup } from '@/simulation/backup';
import { createSession } from '@/simulation/actions/merchants';
import { mineAll } from '@/simulation/actions/time';
import { runAll } from '@/simulation/actions/product';
import { keptAddresses, restoreAddresses } from '@/simulation/payouts/records';
import { noteScreenings } from '@/simulation/stops/note';
import { keptStops, restoreStops } from '@/simulation/stops/records';
import { sentRefundsOf } from '@/simulation/sent-refunds';
import { restoreSettings, settingsOf } from '@/simulation/records';
import { readSnapshot } from '@/simulation/snapshot';
import type { Action, Done, Scene } from '@/simulation/actions/action';
import type { World } from '@/simulation/world';

/** Rounds of the worker until it has caught up with the networks and found what it does not know. */
const ROUNDS = 4;
const BLOCKS = 5;

export async function backUp({ world }: Scene): Promise<string> {
  world.backup = await backupOf(world);
  return 'The database is backed up';
}

const backupOf = async ({ stores, harness, records }: World): Promise<NonNullable<World['backup']>> => ({
  ...(await makeBackup(harness.database.pool)),
  settings: settingsOf(stores),
  payoutAddresses: [...keptAddresses(records.payouts)],
  ...{ payoutRules: records.payouts.rules, stops: keptStops(records.stops) },
});

/**
 * `keepsProcesses`: worker and web only connect again, as after a failover. `atOnce`: what happens before the worker has caught up;
 * returns it in words.
 */
type Restoring = { readonly keepsProcesses?: boolean; readonly atOnce?: () => Promise<string> };

/** Restores the newest backup. `now` in the scene is the database that is lost. */
export async function restore(scene: Scene, { keepsProcesses, atOnce }: Restoring = {}): Promise<Done | null> {
  const { world, random, now } = scene;
  const { backup, harness } = world;
  if (!backup) return null;
  const { pool } = harness.database;
  const isRecovered = random.chance(50);
  harness.pool.setServer('well');
  await restoreBackup(pool, backup, isRecovered);
  restoreSettings(world.stores, backup.settings, world.clock.now().getTime());
  restoreAddresses(world.records.payouts, backup.payoutAddresses, harness.signer.payouts.length);
  world.records.payouts.rules = backup.payoutRules;
  restoreStops(world.records.stops, backup.stops);
  await noteScreenings(world);
  world.isRestored = true;
  world.records.freezing = null;
  forget(world, now, await readSnapshot(pool));
  if (!keepsProcesses) {
    world.restartWorker();
    world.restartWeb();
  }
  // Shops go on before the worker has caught up.
  const first = await atOnce?.();
  // The manual says to recover before anything else.
  if (random.chance(50)) await recoverRefunds(world);
  for (let orders = random.int(0, 2); orders > 0; orders--) await createSession(scene);
  for (let round = 0; round < ROUNDS; round++) {
    world.advance(60);
    mineAll(world, () => BLOCKS);
    await runAll(world);
  }
  const tended = await tendSigner(world);
  const jump = isRecovered ? ', with sequences that jump' : '';
  const says = ['The database is restored from the backup' + jump, first, tended].filter((one) => one !== undefined);
  return { says: says.join('; '), isRestored: true };
}

/** A standby takes over that lacks what happened in the last round. */
async function failOver(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  const { pool } = world.harness.database;
  if (world.harness.pool.server() !== 'well') return null;
  const kept = world.backup;
  world.backup = await backupOf(world);
  await runAll(world);
  const lost = { ...scene, now: await readSnapshot(pool) };
  const done = await restore(lost, { keepsProcesses: random.chance(50) });
  world.backup = kept;
  return done && typeof done === 'object'
    ? { ...done, says: `A standby takes over that lacks the last round; ${done.says}` }
    : done;
}

/** What the database no longer knows: orders whose shops must ask their customers, events that were sent already. */
function forget(world: World, now: Scene['now'], restored: Scene['now']): void {
  const known = new Set(restored.sessions.map(({ id }) => id));
  for (const { id } of now.events) world.lost.events.add(id);
  for (const session of world.sessions) if (!known.has(session.id)) world.lost.sessions.add(session);
  const others = new Set([...now.payouts, ...now.cold_transfers].map(({ id }) => id));
  for (const { hash, refund_id: id } of now.attempts) {
    if (!others.has(id)) continue;
    world.lost.sentRefunds.set(hash, id);
    world.lost.payouts.set(hash, new Set([...(world.lost.payouts.get(hash) ?? []), id]));
  }
  for (const sentRefund of sentRefundsOf(now)) {
    world.lost.sentRefunds.set(sentRefund.hash, sentRefund.refund);
    world.lost.returns.set(sentRefund.hash, sentRefund);
  }
  world.sessions.splice(0, world.sessions.length, ...world.sessions.filter(({ id }) => known.has(id)));
  world.refunds.splice(0, world.refunds.length, ...world.refunds.filter(({ session }) => known.has(session.id)));
}

/** What the restored database cannot know was paid: the operator notes it for the books. */
async function explainLost({ harness: { pool, database }, clock }: World): Promise<void> {
  for (const { id } of (await readSnapshot(database.pool)).discrepancies)
    await explainDiscrepancy(
      { pool: pool.pool, clock },
      { id, note: 'paid by what the restored database has forgotten' },
    );
}

/** Takes over what the signer's journal knows. `isLevel`: the database knows all of it now. */
async function recoverRefunds({ harness, clock, context }: World): Promise<{ isLevel: boolean; count: number }> {
  const { signer, pool } = harness;
  if (signer.isDown) return { isLevel: false, count: 0 };
  const client = new SignerClient(signer.socket);
  const given = { pool: pool.pool, clock, config: context.config };
  const first = await recover(given, client, false);
  const { isLevel } = first.isLevel ? first : await recover(given, client, true);
  return { isLevel, count: first.refunds.length };
}

/** What the operator does when the signer is frozen after a restore: recovers from its journal, looks, and unfreezes it. */
export async function tendSigner(world: World): Promise<string> {
  const { signer } = world.harness;
  if (signer.isDown || signer.frozen() === null) return 'The signer signs';
  const { isLevel, count } = await recoverRefunds(world);
  await explainLost(world);
  if (isLevel) signer.unfreeze();
  return `The operator recovers ${count} refunds from the signer’s journal${isLevel ? ' and unfreezes it' : ''}`;
}

export const RESTORE_FAULTS: readonly Action[] = [
  { name: 'a backup is made', weight: 4, act: backUp },
  { name: 'the backup is restored', weight: 4, act: restore },
  { name: 'a failover loses the last moments', weight: 2, act: failOver },
  {
    name: 'the operator looks at a frozen signer',
    weight: 2,
    act: ({ world }) =>
      world.lost.sentRefunds.size > 0 && world.harness.signer.frozen() !== null ? tendSigner(world) : null,
  },
];
