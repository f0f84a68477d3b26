// Works on many rows at once. If the database refuses, it retries in halves until the refused rows stand alone. One bad row
// then costs a few more statements but does not affect the other rows.

import { isDatabaseAway } from './away';
import { isLostRace, openTransaction, sqlState, type Tx } from './db';

/** `failed`: the items whose work failed even alone. `results`: what the work returned for all others. */
type Outcome<Item, Result> = {
  readonly results: readonly Result[];
  readonly failed: readonly { readonly item: Item; readonly error: unknown }[];
};

/** Works on items. `work` may be called several times, each time with some of the items. */
export type Apply = <Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<Result>,
) => Promise<Outcome<Item, Result>>;

/** All at once. An error goes to the caller. */
export const atOnce: Apply = async (items, work) => ({
  results: items.length === 0 ? [] : [await work(items)],
  failed: [],
});

/**
 * A lost race, too little memory or room for a sort, and a statement that took too long: fewer items may pass where all together did not.
 * A page of the disk that cannot be read (58) is that of one row.
 */
const MAY_BE_THE_ITEMS = /^(?:40[0-9A-Z]{3}|53200|53400|57014|58[0-9A-Z]{3})$/;

/** All at once, and in halves when that throws. While the database is away no item is to blame: that error goes to the caller. */
export const inHalves: Apply = async (items, work) => {
  if (items.length === 0) return { results: [], failed: [] };
  try {
    return { results: [await work(items)], failed: [] };
  } catch (error) {
    const state = sqlState(error);
    if (isDatabaseAway(error, state) && !MAY_BE_THE_ITEMS.test(state ?? '')) throw error;
    const [first, ...others] = items;
    if (others.length === 0) return { results: [], failed: [{ item: first as (typeof items)[number], error }] };
  }
  const middle = Math.ceil(items.length / 2);
  const [one, other] = [await inHalves(items.slice(0, middle), work), await inHalves(items.slice(middle), work)];
  return { results: [...one.results, ...other.results], failed: [...one.failed, ...other.failed] };
};

/**
 * Like `inHalves`, inside one transaction with a savepoint for every try. It makes deferred constraints immediate, so that they
 * fail the row that breaks them and not the commit. A lost race goes to the transaction, which retries.
 */
export const inSavepoints =
  (tx: Tx): Apply =>
  async (items, work) => {
    await tx.query('SET CONSTRAINTS ALL IMMEDIATE');
    return inHalves(items, (some) => inSavepoint(tx, () => work(some))).then((outcome) => {
      const lost = outcome.failed.find(({ error }) => isLostRace(error));
      if (lost) throw lost.error;
      return outcome;
    });
  };

/** Rolls back to a savepoint when the work throws, so that the rest of the transaction stays usable. */
export async function inSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await tx.query('SAVEPOINT apart');
  const committed = openTransaction(tx)?.committed ?? [];
  const before = committed.length;
  try {
    const result = await work();
    await tx.query('RELEASE SAVEPOINT apart');
    return result;
  } catch (error) {
    await tx.query('ROLLBACK TO SAVEPOINT apart; RELEASE SAVEPOINT apart');
    committed.length = before;
    throw error;
  }
}
