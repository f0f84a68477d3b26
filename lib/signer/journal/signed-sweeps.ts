// The newest transactions that were signed for sweeps, so that a database that was restored, and has forgotten them, does not take them for a
// theft. Records of closed segments are not read for this: such a transaction is old by then.

/** More than are signed within the hour that a sweep can wait for its block. */
const KEPT = 10_000;

export class SignedSweeps {
  readonly #hashes = new Set<string>();

  add(hash: string): void {
    this.#hashes.add(hash);
    const [oldest] = this.#hashes;
    if (this.#hashes.size > KEPT && oldest !== undefined) this.#hashes.delete(oldest);
  }

  among(hashes: readonly string[]): string[] {
    return hashes.filter((hash) => this.#hashes.has(hash));
  }
}
