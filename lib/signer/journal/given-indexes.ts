// The indexes of deposit addresses: the highest one that was given, and by how much it rose within a day. An index that is skipped is never
// given, so a caller that skips as it likes would end all deposit addresses of the wallet. Only records of the journal change this.

import { INDEX_LIMIT } from '@/lib/treasury/wallets/derivation';
import type { Meters } from './meters';

/** The name in checkpoints. */
const METER = 'indexes';

/**
 * A request skips indexes only while the highest one has risen by less than this in a day. A restored database or a failover skips a
 * million, so this is enough for nineteen of them in a day, and a caller that skips all it can needs more than a hundred days to the end.
 */
const MAX_RISE_PER_DAY = 20_000_000n;
/** No installation that lost its journal is beyond this. Above it are a thousand million indexes. */
const MAX_ANYWHERE = Math.floor(INDEX_LIMIT / 2);

export class GivenIndexes {
  readonly #rises: Meters;
  #highest = -1;
  /** Whether the next request may start anywhere: the journal may lack the last indexes. */
  #isUnknown = true;

  constructor(rises: Meters) {
    this.#rises = rises;
  }

  /** The highest index ever given or skipped; -1 for none. */
  get highest(): number {
    return this.#highest;
  }

  /** Whether a request for a range from `from` to `last`, above the highest index, skips no more than it may. */
  mayGive({ from, last }: { readonly from: number; readonly last: number }, now: number): boolean {
    if (from === this.#highest + 1 || (this.#isUnknown && last < MAX_ANYWHERE)) return true;
    return this.#rises.before(METER, now).day + BigInt(last - this.#highest) <= MAX_RISE_PER_DAY;
  }

  take(highest: number, at: number): void {
    if (highest <= this.#highest) return;
    if (!this.#isUnknown) this.#rises.spend(METER, { at, cents: BigInt(highest - this.#highest) });
    this.#highest = highest;
    this.#isUnknown = false;
  }

  /** A person unfroze the signer. Its journal may be an older one, as after a restore. */
  unfreeze(): void {
    this.#isUnknown = true;
  }

  restore(highest: number): void {
    this.#highest = highest;
    this.#isUnknown = false;
  }
}
