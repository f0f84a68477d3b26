// The state of the local TRON chain: accounts, code and storage in journaled maps. The EVM uses it as its state manager; a TRX
// balance and a balance that a contract sees are the same.

import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { OriginalStorageCache } from '@ethereumjs/statemanager';
import { Account as EvmAccount, KECCAK256_NULL, type Address } from '@ethereumjs/util';
import { getBytes, keccak256 } from 'ethers';
import { BLANK_ACCOUNT, type Account, type Resource } from './account';
import { fromEvm } from './address';
import { Journal, type Mark } from './journal';

const NOTHING = new Uint8Array(0);
/** That of the main network since 2025-08-29. */
const ENERGY_PRICE = 100n;

export class TronState implements StateManagerInterface {
  readonly journal = new Journal();
  readonly originalStorageCache = new OriginalStorageCache((address, key) => this.getStorage(address, key));
  /** Time of the block whose transactions are being executed; Unix milliseconds. */
  time = 0;
  /** Sun for a unit of energy. Governance changes it, so it belongs to no block. */
  energyPrice = ENERGY_PRICE;
  readonly #accounts = this.journal.map<Account>();
  readonly #code = this.journal.map<Uint8Array>();
  readonly #storage = this.journal.map<Uint8Array>();
  /** Sun lent by one account to another, by `delegationKey`. */
  readonly delegations = this.journal.map<bigint>();
  readonly #checkpoints: Mark[] = [];

  /** The account of a 41… address; a blank one when it was never used. */
  account(address: string): Account {
    return this.#accounts.get(address) ?? BLANK_ACCOUNT;
  }

  /** Changes some fields of an account. */
  update(address: string, change: Partial<Account>): void {
    this.#accounts.set(address, { ...this.account(address), ...change });
  }

  isActive(address: string): boolean {
    return this.account(address).createdAt !== null;
  }

  activate(address: string): void {
    if (!this.isActive(address)) this.update(address, { createdAt: this.time });
  }

  /** Adds sun, or subtracts it when negative. The caller has checked that there is enough. */
  addBalance(address: string, sun: bigint): void {
    const balance = this.account(address).balance + sun;
    if (balance < 0n) throw new Error(`the balance of ${address} would be below zero`);
    this.update(address, { balance });
  }

  // The EVM's state manager interface begins here.

  async getAccount(address: Address): Promise<EvmAccount | undefined> {
    const found = this.#accounts.get(fromEvm(address.toString()));
    if (!found) return undefined;
    return new EvmAccount(found.nonce, found.balance, undefined, found.codeHash ?? KECCAK256_NULL);
  }

  async putAccount(address: Address, account?: EvmAccount): Promise<void> {
    if (!account) return this.deleteAccount(address);
    const key = fromEvm(address.toString());
    this.update(key, { nonce: account.nonce, balance: account.balance });
    // Money from a contract activates an account as a transfer does.
    if (account.balance > 0n) this.activate(key);
  }

  async deleteAccount(address: Address): Promise<void> {
    const key = fromEvm(address.toString());
    if (this.isActive(key)) this.update(key, { nonce: 0n, balance: 0n, codeHash: null });
    else this.#accounts.set(key, undefined);
  }

  async modifyAccountFields(address: Address, { nonce, balance }: AccountFields): Promise<void> {
    const key = fromEvm(address.toString());
    this.update(key, { ...(nonce === undefined ? {} : { nonce }), ...(balance === undefined ? {} : { balance }) });
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const key = fromEvm(address.toString());
    this.#code.set(key, code);
    // A contract that another one created has no description, and is a contract all the same.
    const contract = this.account(key).contract ?? { origin_address: key, contract_address: key };
    this.update(key, { codeHash: getBytes(keccak256(code)), contract });
    this.activate(key);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#code.get(fromEvm(address.toString())) ?? NOTHING;
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.#storage.get(slotOf(address, key)) ?? NOTHING;
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.#storage.set(slotOf(address, key), value.length > 0 ? value : undefined);
  }

  async clearStorage(address: Address): Promise<void> {
    const prefix = slotOf(address, NOTHING);
    for (const slot of [...this.#storage.keys()]) if (slot.startsWith(prefix)) this.#storage.set(slot, undefined);
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.journal.mark());
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  async revert(): Promise<void> {
    const mark = this.#checkpoints.pop();
    if (mark !== undefined) this.journal.rollBack(mark);
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  // There is one state and no trie above it.

  getStateRoot(): Promise<Uint8Array> {
    throw new Error('this state has no root');
  }

  setStateRoot(): Promise<void> {
    throw new Error('this state has no root');
  }

  hasStateRoot(): Promise<boolean> {
    return Promise.resolve(false);
  }

  shallowCopy(): StateManagerInterface {
    throw new Error('there is one state only');
  }
}

export const delegationKey = (owner: string, receiver: string, resource: Resource): string =>
  `${owner}/${receiver}/${resource}`;

const slotOf = (address: Address, key: Uint8Array): string =>
  `${address.toString()}/${Buffer.from(key).toString('hex')}`;
