// The slots and blocks of the local Solana chain: which block is the newest, which are confirmed and which are final, and what remains
// after a dropped fork. The newest block is open; the others change only if their fork is dropped. Finality never goes back, and a slot
// number is never reused.

import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export type Block = {
  readonly slot: number;
  readonly parentSlot: number;
  /** Number of blocks before this one; lower than the slot, because slots are skipped. */
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  /** In the order of execution. */
  readonly signatures: string[];
};

/** A block is confirmed as soon as another one builds on it. */
const CONFIRMATION_LAG = 1;
/** 31 or more blocks on top make a block final. No fork deeper than this can be dropped. */
export const FINALITY_LAG = 32;
/** Blocks for which a transaction may still name a blockhash. */
export const BLOCKHASH_LIFETIME = 150;
/** Every n-th slot has no block, as when a leader is offline. The fixed pattern makes failures reproducible. */
const SKIPPED_EVERY = 16;
const SKIPPED_AT = 11;
/** How far back empty blocks can be read: about four hours. Real nodes prune as well. */
const KEPT_SLOTS = 60_000;
const KEPT_BLOCKHASHES = 2 * BLOCKHASH_LIFETIME;

export class Blocks {
  readonly genesisHash = newHash();
  readonly firstSlot: number;
  readonly #bySlot = new Map<number, Block>();
  readonly #byHash = new Map<string, Block>();
  /** Blocks that are not final yet, oldest first; never empty after the first `produce`. */
  readonly #pending: Block[] = [];
  /** Slots that must not become final for now. */
  readonly #held = new Set<number>();
  #root: Block;
  #newestSlot: number;
  #firstKept: number;

  /** Starts with one empty block at `firstSlot`, which is final, and an open one on it. */
  constructor(firstSlot: number, time: number) {
    this.firstSlot = firstSlot;
    this.#firstKept = firstSlot;
    this.#newestSlot = firstSlot;
    this.#root = {
      slot: firstSlot,
      parentSlot: firstSlot - 1,
      height: 0,
      time,
      blockhash: newHash(),
      previousBlockhash: this.genesisHash,
      signatures: [],
    };
    this.#keep(this.#root);
    this.produce(time);
  }

  /** Closes the open block and opens the next one. */
  produce(time: number): Block {
    const parent = this.newest;
    const slot = this.#nextSlot();
    const block: Block = {
      slot,
      parentSlot: parent.slot,
      height: parent.height + 1,
      time: Math.max(time, parent.time),
      blockhash: newHash(),
      previousBlockhash: parent.blockhash,
      signatures: [],
    };
    this.#newestSlot = slot;
    this.#keep(block);
    this.#pending.push(block);
    const mostFinal = Math.min(...this.#held) - 1;
    for (;;) {
      const [oldest] = this.#pending;
      if (this.#pending.length <= FINALITY_LAG || !oldest || oldest.slot > mostFinal) return block;
      this.#root = oldest;
      this.#pending.shift();
    }
  }

  get newest(): Block {
    return this.#pending.at(-1) ?? this.#root;
  }

  /** The newest block of a commitment. */
  at(commitment: Commitment): Block {
    switch (commitment) {
      case 'processed':
        return this.newest;
      case 'confirmed':
        return this.#pending.at(-1 - CONFIRMATION_LAG) ?? this.#root;
      case 'finalized':
        return this.#root;
    }
    return commitment satisfies never;
  }

  /** The commitment of the block of a slot. */
  commitmentOf(slot: number): Commitment {
    if (slot <= this.at('finalized').slot) return 'finalized';
    return slot <= this.at('confirmed').slot ? 'confirmed' : 'processed';
  }

  /** The block of a slot; null when the slot was skipped, is in the future, or was pruned. */
  bySlot(slot: number): Block | null {
    return this.#bySlot.get(slot) ?? null;
  }

  /** Slots from `from` to `to` that have a block, in order. */
  *slots(from: number, to: number): Generator<number> {
    const last = Math.min(to, this.newest.slot);
    for (let slot = Math.max(from, this.#firstKept); slot <= last; slot++) if (this.#bySlot.has(slot)) yield slot;
  }

  /** The oldest slot that is guaranteed to be readable when it has a block. */
  get firstKeptSlot(): number {
    return this.#firstKept;
  }

  /** Whether the newest block still accepts a transaction with this blockhash, seen from a commitment. */
  takesBlockhash(blockhash: string, commitment: Commitment): boolean {
    const block = this.#byHash.get(blockhash);
    if (!block || block.slot > this.at(commitment).slot) return false;
    return this.newest.height - block.height <= BLOCKHASH_LIFETIME;
  }

  /** Keeps a slot from becoming final, so that its fork can be dropped; returns the function that releases it. */
  hold(slot: number): () => void {
    this.#held.add(slot);
    return () => this.#held.delete(slot);
  }

  /** The most blocks that can be dropped: those that are not final. */
  get droppable(): number {
    return this.#pending.length;
  }

  /** How many blocks there are from a slot on. */
  depthOf(slot: number): number {
    return this.#pending.filter((block) => block.slot >= slot).length;
  }

  /** Drops the newest blocks and returns them, oldest first; their slots stay empty. Throws when some are final. */
  drop(depth: number): Block[] {
    if (depth > this.droppable) throw new RangeError(`only ${this.droppable} blocks are not final`);
    const dropped = this.#pending.splice(this.#pending.length - depth, depth);
    for (const block of dropped) {
      this.#bySlot.delete(block.slot);
      this.#byHash.delete(block.blockhash);
    }
    return dropped;
  }

  /** Prunes an old block after its transactions were pruned. */
  forget(slot: number): void {
    if (slot < this.#root.slot) this.#bySlot.delete(slot);
  }

  #nextSlot(): number {
    const next = this.#newestSlot + 1;
    return next % SKIPPED_EVERY === SKIPPED_AT ? next + 1 : next;
  }

  #keep(block: Block): void {
    this.#bySlot.set(block.slot, block);
    this.#byHash.set(block.blockhash, block);
    for (const [hash, old] of this.#byHash) {
      if (block.height - old.height <= KEPT_BLOCKHASHES) break;
      this.#byHash.delete(hash);
    }
    for (; this.#firstKept < block.slot - KEPT_SLOTS; this.#firstKept++) {
      if (this.#bySlot.get(this.#firstKept)?.signatures.length === 0) this.#bySlot.delete(this.#firstKept);
    }
  }
}

const newHash = (): string => base58.encode(randomBytes(32));
