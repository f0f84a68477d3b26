// How current the operator's list of exchange wallets is, per network. Exchanges start using new wallets all the time, so an old
// list does not prove that a sender is a person.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { offers } from '@/lib/networks/registry';

const DAY_MILLISECONDS = 86_400_000;

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** Whether a list of the network was loaded and is not older than EXCHANGE_LIST_DAYS. */
export async function isListFresh({ pool, clock, config }: Deps, network: string): Promise<boolean> {
  const { rows } = await pool.query<{ as_of: Date }>({
    name: 'held-list-age',
    text: 'SELECT as_of FROM exchange_wallet_lists WHERE network = $1',
    values: [network],
  });
  const [row] = rows;
  return (
    row !== undefined && row.as_of.getTime() + config.EXCHANGE_LIST_DAYS * DAY_MILLISECONDS > clock.now().getTime()
  );
}

/** The configured networks whose refunds all wait for the customer because there is no current list of exchange wallets. */
export async function networksWithoutList(deps: Deps): Promise<readonly string[]> {
  const concerned = offers(deps.config).filter(({ spec }) => spec.chain === 'mainnet' && spec.isPaidFromExchanges);
  const names = concerned.map(({ spec }) => spec.network);
  const isFresh = await Promise.all(names.map((network) => isListFresh(deps, network)));
  return names.filter((_, index) => isFresh[index] !== true);
}

/** The date of each list that was loaded, as YYYY-MM-DD. */
export async function listDates(db: Db): Promise<readonly { readonly network: string; readonly asOf: string }[]> {
  const { rows } = await db.query<{ network: string; asOf: string }>(
    `SELECT network, to_char(as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS "asOf" FROM exchange_wallet_lists ORDER BY network`,
  );
  return rows;
}

/** Records the date of the list for these networks. An older list never replaces a newer one. */
export async function recordListDates(
  db: Db,
  networks: readonly string[],
  { asOf, now }: { readonly asOf: Date; readonly now: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO exchange_wallet_lists (network, as_of, loaded_at) SELECT network, $2, $3 FROM unnest($1::text[]) AS it (network)
     ON CONFLICT (network) DO UPDATE SET as_of = greatest(exchange_wallet_lists.as_of, EXCLUDED.as_of), loaded_at = EXCLUDED.loaded_at`,
    [[...new Set(networks)], asOf, now],
  );
}
