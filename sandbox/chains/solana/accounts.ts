// The accounts of the chain at any slot since finality, and the token accounts of an owner.

import type { Address, EncodedAccount } from '@solana/kit';
import { AccountHistory, type AccountState } from './account-history';
import { readMint, readTokenAccount, TOKEN_PROGRAMS, type TokenAccount } from './token-data';
import type { Vm } from './vm';

export type Holding = { readonly account: EncodedAccount; readonly token: TokenAccount };

export class Accounts {
  readonly #vm: Vm;
  readonly #history = new AccountHistory();
  /** Every token account that an owner ever had. The account itself says whether the owner still has it. */
  readonly #owned = new Map<Address, Set<Address>>();

  constructor(vm: Vm) {
    this.#vm = vm;
  }

  /** The newest state, which the next transaction uses. */
  now(address: Address): AccountState {
    return this.#vm.account(address);
  }

  /** The state at the end of a slot. */
  at(address: Address, slot: number): AccountState {
    const remembered = this.#history.at(address, slot);
    return remembered === undefined ? this.#vm.account(address) : remembered;
  }

  /** Accounts that belonged to a program at a slot. */
  ofProgram(program: Address, slot: number): EncodedAccount[] {
    const addresses = new Set(this.#vm.accountsOf(program).map(({ address }) => address));
    for (const address of this.#history.addresses()) addresses.add(address);
    return [...addresses]
      .map((address) => this.at(address, slot))
      .filter((state): state is EncodedAccount => state?.programAddress === program);
  }

  /** Token accounts that an address owned at a slot, of either token program. */
  holdingsOf(owner: Address, slot: number): Holding[] {
    return [...(this.#owned.get(owner) ?? [])].flatMap((address): Holding[] => {
      const account = this.at(address, slot);
      const token = readTokenAccount(account);
      return account && token?.owner === owner ? [{ account, token }] : [];
    });
  }

  /** Decimals of a mint at a slot; 0 when there is no such mint. */
  decimalsOf(mint: Address, slot: number): number {
    return readMint(this.at(mint, slot))?.decimals ?? 0;
  }

  /** Places an account without a transaction, as the chain's set-up does. */
  put(address: Address, state: AccountState, slot: number): void {
    const before = this.now(address);
    this.#vm.put(address, state);
    this.changed(address, slot, before);
  }

  /** Records that a transaction in the slot may have changed an account that was `before`. */
  changed(address: Address, slot: number, before: AccountState): void {
    const after = this.now(address);
    if (isSame(before, after)) return;
    this.#history.record(address, slot, before, after);
    this.#index(address, after);
  }

  /** Deletes what only slots before finality need. */
  settle(finalSlot: number): void {
    this.#history.forgetBefore(finalSlot);
  }

  /** Restores every account to its state at the end of a slot. */
  rollBackTo(slot: number): void {
    for (const [address, state] of this.#history.rollBackTo(slot)) this.#vm.put(address, state);
  }

  #index(address: Address, state: AccountState): void {
    if (!state || !TOKEN_PROGRAMS.includes(state.programAddress)) return;
    const owner = readTokenAccount(state)?.owner;
    if (!owner) return;
    const owned = this.#owned.get(owner);
    if (owned) owned.add(address);
    else this.#owned.set(owner, new Set([address]));
  }
}

function isSame(one: AccountState, other: AccountState): boolean {
  if (!one || !other) return one === other;
  return (
    one.lamports === other.lamports &&
    one.programAddress === other.programAddress &&
    Buffer.from(one.data).equals(Buffer.from(other.data))
  );
}
