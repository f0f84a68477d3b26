// Makes MACs anew under the first key of EVIDENCE_KEY, where a former key of the ring verifies what is stored. A MAC that no key verifies
// stays as it is: it stays refused. Running processes and a second run may write meanwhile, as in reseal.ts.

import { isRowFault, type Pool } from '@/lib/platform/database/db';
import type { MacKeys } from '@/lib/platform/crypto';
import { KEPT_MACS, type KeptMac, type Row } from './kept-macs';
import { MAX_NAMED, type FailedRow } from './reseal';

const PAGE = 1000;

type MacCount = {
  readonly table: string;
  readonly column: string;
  /** Rows under the key that makes MACs, under another key of the ring, and under none. */
  readonly current: number;
  readonly former: number;
  readonly refused: number;
};
export type Counted = {
  readonly columns: readonly MacCount[];
  /** The first rows under no key. */
  readonly refused: readonly FailedRow[];
};

/** `failed` are the first rows that could not be written; the others are done nevertheless. */
export async function remakeMacs(
  pool: Pool,
  keys: MacKeys,
): Promise<{ readonly remade: number; readonly failed: readonly FailedRow[] }> {
  let remade = 0;
  const failed: FailedRow[] = [];
  for (const kept of KEPT_MACS) {
    for await (const row of rowsOf(pool, kept)) {
      if (stateOf(kept, row, keys) !== 'former') continue;
      try {
        if (await remake(pool, { kept, row, keys })) remade++;
      } catch (error) {
        if (!isRowFault(error)) throw error;
        nameIn(failed, kept, row, (error as Error).message);
      }
    }
  }
  return { remade, failed };
}

export async function countMacs(pool: Pool, keys: MacKeys): Promise<Counted> {
  const columns: MacCount[] = [];
  const refused: FailedRow[] = [];
  for (const kept of KEPT_MACS) {
    const count = { table: kept.table, column: kept.column, current: 0, former: 0, refused: 0 };
    for await (const row of rowsOf(pool, kept)) {
      const state = stateOf(kept, row, keys);
      count[state]++;
      if (state === 'refused') nameIn(refused, kept, row, 'no key of EVIDENCE_KEY verifies it, so it stays refused');
    }
    columns.push(count);
  }
  return { columns, refused };
}

function nameIn(named: FailedRow[], { table, column }: KeptMac, { id }: Row, reason: string): void {
  if (named.length < MAX_NAMED) named.push({ table, column, id, reason });
}

type State = 'current' | 'former' | 'refused';

/** A row that the service cannot have stored, such as one with a time that is no date, is refused as one with a wrong MAC. */
function stateOf(kept: KeptMac, row: Row, keys: MacKeys): State {
  try {
    const covered = kept.coveredBy(row);
    if (covered?.isUnder([keys[0]])) return 'current';
    return covered?.isUnder(keys) ? 'former' : 'refused';
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) return 'refused';
    throw error;
  }
}

async function* rowsOf(pool: Pool, { read }: KeptMac): AsyncGenerator<Row> {
  for (let after: string | null = null; ;) {
    const { rows }: { rows: Row[] } = await pool.query<Row>(`${read} LIMIT ${PAGE}`, [after]);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** False when the row has changed since it was read. */
async function remake(pool: Pool, { kept, row, keys }: { kept: KeptMac; row: Row; keys: MacKeys }): Promise<boolean> {
  const mac = kept.coveredBy(row)?.made(keys);
  const { rowCount } = await pool.query(kept.write, [row.id, row.mac, mac]);
  return rowCount === 1;
}
