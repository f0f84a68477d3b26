// The chain itself: executes transactions in the open block, makes blocks, drops forks, and finds every transaction by its signature and by
// the accounts that it names. All state is in memory and is lost when the process ends.

import type { Address } from '@solana/kit';
import { unixSeconds, type Clock } from '@/lib/platform/clock';
import { Accounts } from './accounts';
import { Blocks, type Block, type Commitment } from './blocks';
import { holdsNonce } from './durable-nonce';
import { balancesOf, type Landed } from './landed';
import { ALREADY_PROCESSED, BLOCKHASH_NOT_FOUND, isTakenIntoBlock, type TransactionError } from './transaction-error';
import { Vm, type Simulation } from './vm';
import { feeOf, isWritable, keysOf, type WireTransaction } from './wire';

/** A record is a few kilobytes, so this is about a hundred megabytes at most. The oldest are deleted first. */
const KEPT_TRANSACTIONS = 30_000;
/** How many past blocks programs can read. */
const SLOT_HASHES = 512;

export class Ledger {
  readonly vm = new Vm();
  readonly accounts = new Accounts(this.vm);
  readonly blocks: Blocks;
  readonly #clock: Clock;
  /** In the order of execution. */
  readonly #landed = new Map<string, Landed>();
  readonly #byAddress = new Map<Address, string[]>();
  readonly #listeners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.blocks = new Blocks(this.vm.firstSlot, this.#now());
  }

  /** Why the transaction would not be executed at all, seen from a commitment; null when it would be. */
  refusal(wire: WireTransaction, commitment: Commitment): TransactionError | null {
    if (this.#landed.has(wire.signatures[0] as string)) return ALREADY_PROCESSED;
    const known = this.blocks.takesBlockhash(wire.message.blockhash, commitment);
    return known || holdsNonce(wire.message, (address) => this.accounts.now(address)) ? null : BLOCKHASH_NOT_FOUND;
  }

  /** Executes the transaction in the open block. Null when it is dropped, for example because it cannot pay its fee. */
  submit(wire: WireTransaction): Landed | null {
    return this.refusal(wire, 'processed') ? null : this.#take(wire);
  }

  simulate(wire: WireTransaction, verify: boolean): Simulation {
    this.#entered();
    return this.vm.simulate(wire, verify);
  }

  /** Makes blocks. */
  tick(blocks = 1): void {
    for (let made = 0; made < blocks; made++) {
      this.blocks.produce(this.#now());
      this.accounts.settle(this.blocks.at('finalized').slot);
    }
    this.#tell();
  }

  /**
   * Drops the newest blocks as a losing fork, and puts as many new ones in their place. Dropped transactions that `keeps` approves are
   * executed again, the others are lost. Those executed again may name a blockhash of the dropped fork; on the real network their senders
   * would have to sign again. Throws when a final block would be dropped.
   */
  dropFork(depth: number, keeps: (signature: string) => boolean = () => false): void {
    const dropped = this.blocks.drop(depth).flatMap((block) => block.signatures);
    const again = dropped.filter(keeps).flatMap((signature) => this.find(signature)?.wire ?? []);
    for (const signature of dropped) this.#forget(signature, 'newest');
    this.accounts.rollBackTo(this.blocks.newest.slot);
    this.blocks.produce(this.#now());
    for (const wire of again) this.#take(wire);
    this.tick(depth - 1);
  }

  find(signature: string): Landed | null {
    return this.#landed.get(signature) ?? null;
  }

  /** Signatures of the transactions that name the account, oldest first. */
  signaturesOf(address: Address): readonly string[] {
    return this.#byAddress.get(address) ?? [];
  }

  get transactionCount(): number {
    return this.#landed.size;
  }

  /** Calls `listener` after every change; returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #entered(): Block {
    const block = this.blocks.newest;
    this.vm.enter(block, () =>
      [...this.blocks.slots(block.slot - SLOT_HASHES, block.slot - 1)]
        .toReversed()
        .flatMap((slot) => this.blocks.bySlot(slot) ?? []),
    );
    return block;
  }

  #take(wire: WireTransaction): Landed | null {
    const block = this.#entered();
    const keys = keysOf(wire.message, (address) => this.accounts.now(address));
    const before = balancesOf(this.accounts, keys, block.slot);
    const writable = keys.all.filter((_, at) => isWritable(wire.message, keys, at));
    const states = writable.map((address) => this.accounts.now(address));
    const execution = this.vm.execute(wire);
    if (execution.error && !isTakenIntoBlock(execution.error)) return null;
    writable.forEach((address, at) => this.accounts.changed(address, block.slot, states[at] ?? null));
    const after = balancesOf(this.accounts, keys, block.slot);
    const [signature] = wire.signatures as [string];
    const fee = Number(feeOf(wire.message));
    const { slot, time } = block;
    const landed: Landed = { signature, slot, time, wire, keys, fee, before, after, execution };
    this.#remember(landed, block);
    this.#tell();
    return landed;
  }

  #remember(landed: Landed, block: Block): void {
    this.#landed.set(landed.signature, landed);
    block.signatures.push(landed.signature);
    for (const address of new Set(landed.keys.all)) {
      const signatures = this.#byAddress.get(address);
      if (signatures) signatures.push(landed.signature);
      else this.#byAddress.set(address, [landed.signature]);
    }
    const [oldest] = this.#landed.values();
    if (this.#landed.size <= KEPT_TRANSACTIONS || !oldest) return;
    this.#forget(oldest.signature, 'oldest');
    this.blocks.forget(oldest.slot);
  }

  #forget(signature: string, which: 'oldest' | 'newest'): void {
    const landed = this.#landed.get(signature);
    this.#landed.delete(signature);
    for (const address of new Set(landed?.keys.all)) {
      const signatures = this.#byAddress.get(address) ?? [];
      const at = which === 'oldest' ? signatures.indexOf(signature) : signatures.lastIndexOf(signature);
      if (at >= 0) signatures.splice(at, 1);
      if (signatures.length === 0) this.#byAddress.delete(address);
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #now(): number {
    return unixSeconds(this.#clock.now());
  }
}
