// The states of accounts at the slots that are not final yet. A read at a commitment returns the state of that commitment, and a
// dropped fork restores the state before it. Accounts without a change since the final slot are absent.

import type { Address, EncodedAccount } from '@solana/kit';

/** An account that does not exist is null. */
export type AccountState = EncodedAccount | null;

type Version = { readonly slot: number; readonly state: AccountState };

/** The slot of an account's state before its first recorded change. */
const BEFORE_ALL = -1;

export class AccountHistory {
  /** Oldest first. */
  readonly #versions = new Map<Address, Version[]>();

  /** Records that a transaction in the slot changed the account from one state to another. */
  record(address: Address, slot: number, before: AccountState, after: AccountState): void {
    const versions = this.#versions.get(address) ?? [{ slot: BEFORE_ALL, state: before }];
    if (versions.at(-1)?.slot === slot) versions.pop();
    versions.push({ slot, state: after });
    this.#versions.set(address, versions);
  }

  /** The state at the end of a slot; undefined when it is the current one. */
  at(address: Address, slot: number): AccountState | undefined {
    return this.#versions.get(address)?.findLast((version) => version.slot <= slot)?.state;
  }

  /** Accounts that changed after the final slot. Some may not exist any more. */
  addresses(): Iterable<Address> {
    return this.#versions.keys();
  }

  /** Deletes what no commitment reads any more. */
  forgetBefore(finalSlot: number): void {
    for (const [address, versions] of this.#versions) {
      const needed = versions.findLastIndex((version) => version.slot <= finalSlot);
      if (needed === versions.length - 1) this.#versions.delete(address);
      else if (needed > 0) versions.splice(0, needed);
    }
  }

  /** Deletes everything after a slot, and returns the restored states of the affected accounts. */
  rollBackTo(slot: number): Map<Address, AccountState> {
    const restored = new Map<Address, AccountState>();
    for (const [address, versions] of this.#versions) {
      const last = versions.findLastIndex((version) => version.slot <= slot);
      if (last === versions.length - 1) continue;
      versions.splice(last + 1);
      restored.set(address, versions.at(-1)?.state ?? null);
    }
    return restored;
  }
}
