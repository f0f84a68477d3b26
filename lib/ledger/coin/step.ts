// The worker's step that books coins: what each transaction of ours cost, what top-ups moved, what rented energy cost, and what our wallets
// have staked. It books what is not booked yet, so it needs no place in the sending of transactions, and reaches those from before it existed. Then it compares what
// our wallets hold with the ledger.

import { NETWORKS } from '@/lib/networks/networks';
import type { Context, Step } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { compareCoins } from './compare';
import { BOOK_ALLOWANCES, BOOK_ATTEMPTS, BOOK_RENTALS, BOOK_STAKES, BOOK_SWEEPS, MOST_AT_ONCE } from './facts';

/** How soon the cost of a transaction is in the ledger. Only operators see it. */
export const COINS_MILLISECONDS = 15_000;

/** The coin of each network that this version knows, on whichever chain. */
const COIN_OF = new Map(NETWORKS.map(({ network, coin }) => [network, coin]));

export const coinStep: Step = async (context) => {
  const more = await bookCoins(context);
  if (!more) await compareCoins(context, COIN_OF);
  return { more };
};

const STATEMENTS = [
  { name: 'coin-book-attempts', text: BOOK_ATTEMPTS },
  { name: 'coin-book-sweeps', text: BOOK_SWEEPS },
  { name: 'coin-book-allowances', text: BOOK_ALLOWANCES },
  { name: 'coin-book-rentals', text: BOOK_RENTALS },
  { name: 'coin-book-stakes', text: BOOK_STAKES },
];

/** Books a batch of each kind. True when there may be more. A kind that cannot be booked delays no other. */
async function bookCoins({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<boolean> {
  const values = [[...COIN_OF.keys()], [...COIN_OF.values()].map(({ symbol }) => symbol), clock.now()];
  const errors: unknown[] = [];
  let more = false;
  for (const { name, text } of STATEMENTS)
    await booked(pool, name, text, values).then(
      (count) => void (more ||= count === MOST_AT_ONCE),
      (error: unknown) => void errors.push(error),
    );
  if (errors.length > 0) throw errors[0];
  return more;
}

async function booked(db: Db, name: string, text: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ taken: number }>({ name, text, values });
  return rows[0]?.taken ?? 0;
}
