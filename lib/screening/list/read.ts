// Reads the loaded sanctions list: which addresses it names, and how old it is.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { Clock } from '@/lib/platform/clock';
import type { Config } from '@/lib/platform/config/config';
import type { Db } from '@/lib/platform/database/db';
import type { Answer } from '@/lib/screening/sources/answer';

/** The age from which a list is stale: OFAC adds addresses every few weeks, on any day. */
const FRESH_DAYS = 7;
const DAY_MILLISECONDS = 86_400_000;

type Deps = { readonly pool: Db; readonly clock: Clock; readonly config: Pick<Config, 'SCREENING_STALE_LIST'> };

/** The list's answers about addresses of a family, in their order. */
export async function askList(
  { pool, clock, config }: Deps,
  family: NetworkFamily,
  addresses: readonly string[],
): Promise<readonly Answer[]> {
  // One statement, so that the date and the entries are of the same list.
  const { rows } = await pool.query<{ address: string; entity: string | null; asOf: Date | null }>({
    name: 'screening-list',
    text: `SELECT given.address, a.entity, (SELECT as_of FROM sanctions_lists WHERE id = 1) AS "asOf"
           FROM unnest($2::text[]) AS given (address)
             LEFT JOIN sanctioned_addresses a ON a.family = $1 AND a.address = given.address`,
    values: [family, addresses],
  });
  const found = new Map(rows.map((row) => [row.address, row]));
  return addresses.map((address) => {
    const row = found.get(address);
    if (!row?.asOf) return { verdict: 'unknown', reason: 'no sanctions list is loaded' };
    if (row.entity !== null) return { verdict: 'hit', entity: row.entity };
    if (config.SCREENING_STALE_LIST === 'wait' && isStale(row.asOf, clock.now()))
      return { verdict: 'unknown', reason: `the sanctions list is older than ${FRESH_DAYS} days` };
    return { verdict: 'clear' };
  });
}

export type ListState = { readonly asOf: Date | null; readonly entries: number; readonly isStale: boolean };

export async function readListState({ pool, clock }: Pick<Deps, 'pool' | 'clock'>): Promise<ListState> {
  const { rows } = await pool.query<{ asOf: Date; entries: number }>({
    name: 'screening-list-state',
    text: 'SELECT as_of AS "asOf", (SELECT count(*)::int FROM sanctioned_addresses) AS entries FROM sanctions_lists WHERE id = 1',
    values: [],
  });
  const [row] = rows;
  if (!row) return { asOf: null, entries: 0, isStale: true };
  return { ...row, isStale: isStale(row.asOf, clock.now()) };
}

const isStale = (asOf: Date, now: Date): boolean => now.getTime() - asOf.getTime() > FRESH_DAYS * DAY_MILLISECONDS;
