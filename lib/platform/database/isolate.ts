// Does work on many rows at once and, if the database refuses it, in halves until the rows that it refuses stand alone. One
// bad row then costs a few statements more, and never the other rows.

import { isLostRace, type Tx } from './db';

/** `failed`: the items whose work failed even by themselves. `results`: what the work answered for all others. */
export type Outcome<Item, Result> = {
  readonly results: readonly Result[];
  readonly failed: readonly { readonly item: Item; readonly error: unknown }[];
};

/** Does work on items; `work` may be called several times, each time with some of them. */
export type Apply = <Item, Result>(
  items: readonly Item[],
  work: (some: readonly Item[]) => Promise<Result>,
) => Promise<Outcome<Item, Result>>;

/** All at once; an error is the caller's. */
export const atOnce: Apply = async (items, work) => ({
  results: items.length === 0 ? [] : [await work(items)],
  failed: [],
});

/** All at once, and in halves where that throws. */
export const inHalves: Apply = async (items, work) => {
  if (items.length === 0) return { results: [], failed: [] };
  try {
    return { results: [await work(items)], failed: [] };
  } catch (error) {
    const [first, ...others] = items;
    if (others.length === 0) return { results: [], failed: [{ item: first as (typeof items)[number], error }] };
  }
  const middle = Math.ceil(items.length / 2);
  const [one, other] = [await inHalves(items.slice(0, middle), work), await inHalves(items.slice(middle), work)];
  return { results: [...one.results, ...other.results], failed: [...one.failed, ...other.failed] };
};

/**
 * The same inside one transaction, where every try has a savepoint. Deferred constraints are checked at once from now on, so
 * that they fail the row that breaks them and not the commit. A lost race is the transaction's, which tries again.
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

/** If the work throws, takes back what it did and keeps the rest of the transaction usable. */
export async function inSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await tx.query('SAVEPOINT apart');
  try {
    const result = await work();
    await tx.query('RELEASE SAVEPOINT apart');
    return result;
  } catch (error) {
    await tx.query('ROLLBACK TO SAVEPOINT apart; RELEASE SAVEPOINT apart');
    throw error;
  }
}
