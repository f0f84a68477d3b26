// How the database fails: one statement of a round, or every write until an action ends it.

import type { Action, Scene } from '@/simulation/actions/action';
import { allRan, runAll } from '@/simulation/actions/product';
import { STATEMENT_FAULTS, type ServerState, type StatementFault } from './simulated-pool';

const STATEMENT_WORDS: Readonly<Record<StatementFault, string>> = {
  crash_before: 'The worker is killed before a statement',
  crash_after: 'The worker is killed right after a statement',
  lost_before: 'The connection is lost before a statement',
  lost_after: 'The connection is lost after a statement that had its effect',
  conflict: 'A transaction loses a race',
  deadlock: 'A transaction is the victim of a deadlock',
  canceled: 'A statement takes too long',
  too_many: 'The server takes no more connections for a moment',
};
const SERVER_WORDS: Readonly<Record<Exclude<ServerState, 'well'>, string>> = {
  read_only: 'The database takes no writes',
  full: 'The disk of the database is full',
  away: 'The database is away',
};

/** Plans a fault of the database and runs all steps, so that it strikes somewhere. */
async function failStatement({ world, random }: Scene, kind: StatementFault): Promise<string> {
  const { pool } = world.harness;
  const counts = random.chance(50) ? 'commits' : 'statements';
  const at = random.int(1, counts === 'commits' ? 12 : 90);
  pool.plan(kind, at, counts);
  const failed = await runAll(world);
  if (!pool.hasStruck()) return allRan(failed);
  const where = counts === 'commits' ? 'commit' : 'statement';
  return `${STATEMENT_WORDS[kind]} (${where} ${at} of a round; failed: ${failed.join(', ') || 'nothing'})`;
}

export const DATABASE_FAULTS: readonly Action[] = [
  ...STATEMENT_FAULTS.map((kind) => ({
    name: `database ${kind}`,
    weight: 2,
    act: (scene: Scene) => failStatement(scene, kind),
  })),
  ...(Object.keys(SERVER_WORDS) as (keyof typeof SERVER_WORDS)[]).map((state) => ({
    name: `database ${state}`,
    weight: 1,
    act: ({ world: { harness } }: Scene) => {
      if (harness.pool.server() !== 'well') return null;
      harness.pool.setServer(state);
      return SERVER_WORDS[state];
    },
  })),
];
