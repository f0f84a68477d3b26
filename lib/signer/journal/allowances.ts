// The transactions that changed the allowance of the contract of batches, as the journal has them: the last one of each wallet on each
// chain, and how many account nonces they used.

import type { Allowance, AllowanceChange } from './record';

export class Allowances {
  readonly #last = new Map<string, Allowance>();

  get all(): readonly Allowance[] {
    return [...this.#last.values()];
  }

  /** The last change by a wallet on a chain such as `ethereum@mainnet`; null for none. */
  last(chain: string, wallet: string): Allowance | null {
    return this.#last.get(nameOf(chain, wallet)) ?? null;
  }

  /** Adds a change. True when it uses a new account nonce, false when it replaces the last one. */
  take(change: AllowanceChange, at: number): boolean {
    const before = this.last(change.chain, change.from);
    const isNew = before?.params.nonce !== change.params.nonce;
    this.#put({ ...change, at, nonces: (before?.nonces ?? 0) + (isNew ? 1 : 0) });
    return isNew;
  }

  restore(all: readonly Allowance[]): void {
    this.#last.clear();
    for (const one of all) this.#put(one);
  }

  #put(allowance: Allowance): void {
    this.#last.set(nameOf(allowance.chain, allowance.from), allowance);
  }
}

const nameOf = (chain: string, wallet: string): string => `${chain} ${wallet}`;
