// The local TRON chain itself: pending transactions, consecutive blocks, the solid head nineteen blocks behind, and forks above
// it. All reads and writes of the state are serialized, so no caller sees half a block.

import type { Clock } from '@/lib/platform/clock';
import { WorkQueue } from '../work-queue';
import { acceptTransaction } from './accept';
import { genesisBlock, newWitness, nextBlock, type Block, type Entry } from './block';
import { Machine, type Ran, type Run } from './evm';
import { executeTransaction, type Engine } from './execute';
import { Rejected } from './rejected';
import { TronState } from './state';
import type { Reference, Transaction } from './transaction';

/** A block is solid when 19 of the 27 witnesses have built on it. */
export const SOLID_LAG = 19;

/** An accepted transaction; in a block when it has an entry. */
export type Known = {
  readonly transaction: Transaction;
  readonly included: { readonly entry: Entry; readonly block: number } | null;
};
export type ChainOptions = {
  readonly chainId: number;
  readonly clock: Clock;
};

export class TronChain {
  readonly state: TronState;
  readonly chainId: number;
  readonly #clock: Clock;
  readonly #engine: Engine;
  readonly #penalties: Map<string, number>;
  readonly #blocks: Block[];
  readonly #turns = new WorkQueue();
  readonly #known = new Map<string, Known>();
  #pending: Transaction[] = [];
  #witness = newWitness();
  #solid = 0;
  /** Numbers of blocks that must not become solid, because a reorg will remove them. */
  readonly #held = new Set<number>();

  private constructor(
    { chainId, clock }: ChainOptions,
    state: TronState,
    machine: Machine,
    penalties: Map<string, number>,
  ) {
    [this.chainId, this.#clock, this.state] = [chainId, clock, state];
    this.#penalties = penalties;
    this.#engine = { state, machine, penalties: this.#penalties };
    this.#blocks = [genesisBlock(chainId, clock.now().getTime())];
    state.time = this.head().time;
  }

  static async open(options: ChainOptions): Promise<TronChain> {
    const state = new TronState();
    const penalties = new Map<string, number>();
    return new TronChain(options, state, await Machine.open(state, options.chainId, penalties), penalties);
  }

  /** Runs the work after all earlier work. */
  exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#turns.take(work);
  }

  // The methods below are for serialized work only.

  get engine(): Engine {
    return this.#engine;
  }

  get pending(): readonly Transaction[] {
    return this.#pending;
  }

  head(): Block {
    return this.#blocks.at(-1) as Block;
  }

  solid(): Block {
    return this.#blocks[this.#solid] as Block;
  }

  block(number: number): Block | undefined {
    return this.#blocks[number];
  }

  known(id: string): Known | undefined {
    return this.#known.get(id);
  }

  /** The newest block whose number ends with these four hex digits, which is how a transaction refers to it. */
  referredBlock(bytes: string): Block | undefined {
    const head = this.head().number;
    return this.block(head - ((head - parseInt(bytes, 16)) & 0xffff));
  }

  /** The solid head as a reference. No fork invalidates a transaction that refers to it. */
  reference(): Reference {
    const { id } = this.solid();
    return { ref_block_bytes: id.slice(12, 16), ref_block_hash: id.slice(16, 32) };
  }

  /** Machine time in Unix milliseconds. */
  now(): number {
    return this.#clock.now().getTime();
  }

  /** Raises the cost of a contract's calls by so many parts of ten thousand. */
  setPenalty(contract: string, parts: number): void {
    this.#penalties.set(contract, parts);
  }

  /** Changes the price of energy, in sun for a unit, as governance does. */
  setEnergyPrice(sun: bigint): void {
    this.state.energyPrice = sun;
  }

  /** Queues a transaction for one of the next blocks. Throws Rejected. */
  accept(transaction: Transaction): void {
    acceptTransaction(this, transaction);
    this.#known.set(transaction.id, { transaction, included: null });
    this.#pending.push(transaction);
  }

  /** Makes a block of all pending transactions. Those that cannot be executed any more are dropped. */
  async produce(): Promise<Block> {
    const waiting = this.#pending;
    this.#pending = [];
    return this.#append(Math.max(this.now(), this.head().time + 1), waiting);
  }

  /** Runs a call on the present state and reverts it. */
  async dryRun(run: Run): Promise<Ran> {
    const mark = this.state.journal.mark();
    try {
      return await this.#engine.machine.call(run, this.#contextOf(this.head().number, this.head().time));
    } finally {
      this.state.journal.rollBack(mark);
    }
  }

  /** Reads in the state of the solid head. */
  atSolid<T>(read: () => T | Promise<T>): Promise<T> {
    const next = this.block(this.#solid + 1);
    return next ? this.state.journal.rewound(next.mark, read) : Promise.resolve(read());
  }

  /** A held block does not become solid until it is released. */
  hold(number: number): void {
    this.#held.add(number);
  }

  release(number: number): void {
    this.#held.delete(number);
  }

  /** The number of newest blocks that are not solid yet. */
  forkableDepth(): number {
    return this.head().number - this.#solid;
  }

  /**
   * Replaces the last `depth` blocks with another witness's, one more than there were. Transactions that are not kept are lost, the others
   * are executed again at their former height. The depth must not reach the solid head.
   */
  async fork(depth: number, keeps: (transaction: Transaction) => boolean): Promise<void> {
    if (depth < 1 || depth > this.forkableDepth())
      throw new Error(`a fork of ${depth} blocks would reach the solid head`);
    const cut = this.#blocks.splice(-depth);
    this.state.journal.rollBack((cut[0] as Block).mark);
    this.#witness = newWitness();
    for (const { time, entries } of cut) {
      const transactions = entries.map(({ transaction }) => transaction);
      for (const { id } of transactions) this.#known.delete(id);
      const kept = transactions.filter(keeps);
      for (const transaction of kept) this.#known.set(transaction.id, { transaction, included: null });
      await this.#append(Math.max(time, this.head().time + 1), kept);
    }
    await this.produce();
  }

  async #append(time: number, transactions: readonly Transaction[]): Promise<Block> {
    const { journal } = this.state;
    const [number, mark] = [this.head().number + 1, journal.mark()];
    this.state.time = time;
    const entries: Entry[] = [];
    for (const transaction of transactions) {
      const entry = await this.#execute(transaction, number, time);
      if (entry) entries.push(entry);
      else this.#known.delete(transaction.id);
    }
    const block = nextBlock(this.head(), { time, witness: this.#witness, entries, mark });
    this.#blocks.push(block);
    for (const entry of entries) {
      this.#known.set(entry.transaction.id, { transaction: entry.transaction, included: { entry, block: number } });
    }
    this.#solid = Math.max(this.#solid, Math.min(number - SOLID_LAG, Math.min(...this.#held) - 1));
    const forkable = this.block(this.#solid + 1);
    if (forkable) journal.forget(forkable.mark);
    return block;
  }

  async #execute(transaction: Transaction, number: number, time: number): Promise<Entry | null> {
    const mark = this.state.journal.mark();
    if (transaction.expiration <= time) return null;
    try {
      return await executeTransaction(this.#engine, transaction, this.#contextOf(number, time));
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      this.state.journal.rollBack(mark);
      return null;
    }
  }

  #contextOf(number: number, time: number) {
    return { number, time, headTime: this.head().time, witness: this.#witness.address };
  }
}
