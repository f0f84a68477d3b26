// Blocks of the local TRON chain: a header like the real ones, whose SHA-256 with the height in its first eight bytes is the
// block's id, a Merkle root over the transactions, and the signature of the witness that made it.

import { computeAddress, hexlify, randomBytes, SigningKey } from 'ethers';
import { fromEvm, sha256, toBase58 } from './address';
import type { Mark } from './journal';
import { BLOCK_HEADER, type Outcome } from './messages';
import { encode, type Message } from './protobuf';
import { signedJson, transactionBytes, type Transaction } from './transaction';

export type Witness = { readonly key: SigningKey; readonly address: string };
/** A transaction in a block, with its receipt (transactionInfo in views.ts adds its position). */
export type Entry = { readonly transaction: Transaction; readonly outcome: Outcome; readonly receipt: Message };
export type Block = {
  readonly number: number;
  /** 64 hex digits; the first 16 are the number. */
  readonly id: string;
  readonly parent: string;
  /** Unix milliseconds. */
  readonly time: number;
  readonly witness: Witness;
  readonly root: string;
  readonly entries: readonly Entry[];
  /** The state before its first transaction. */
  readonly mark: Mark;
};

const EMPTY_ROOT = '0'.repeat(64);
const VERSION = 34;

export function newWitness(): Witness {
  const key = new SigningKey(hexlify(randomBytes(32)));
  return { key, address: fromEvm(computeAddress(key)) };
}

/**
 * The first block. Its id is unique, so that a restart is detected as a new chain, except for the last four bytes, which are the
 * chain id as on every TRON network.
 */
export function genesisBlock(chainId: number, time: number): Block {
  const random = hexlify(randomBytes(20)).slice(2);
  const id = `${'0'.repeat(16)}${random}${chainId.toString(16).padStart(8, '0')}`;
  return { number: 0, id, parent: EMPTY_ROOT, time, witness: newWitness(), root: EMPTY_ROOT, entries: [], mark: 0 };
}

export type Draft = Pick<Block, 'time' | 'witness' | 'entries' | 'mark'>;

/** The block after `parent`. */
export function nextBlock(parent: Block, draft: Draft): Block {
  const unnamed = { ...draft, number: parent.number + 1, parent: parent.id, root: rootOf(draft.entries) };
  const hash = sha256(headerBytes(unnamed));
  hash.writeBigUInt64BE(BigInt(unnamed.number));
  return { ...unnamed, id: hash.toString('hex') };
}

/** Hashes of the whole transactions, joined in pairs; an unpaired one moves up unchanged. */
function rootOf(entries: readonly Entry[]): string {
  let layer = entries.map(({ transaction, outcome }) => sha256(transactionBytes(transaction, outcome)));
  if (layer.length === 0) return EMPTY_ROOT;
  while (layer.length > 1) {
    const upper: Buffer[] = [];
    for (let at = 0; at < layer.length; at += 2) {
      const pair = layer.slice(at, at + 2);
      upper.push(pair.length === 2 ? sha256(Buffer.concat(pair)) : (pair[0] as Buffer));
    }
    layer = upper;
  }
  return (layer[0] as Buffer).toString('hex');
}

const headerOf = ({ number, parent, time, witness, root }: Omit<Block, 'id'>) => ({
  number,
  txTrieRoot: root,
  witness_address: witness.address,
  parentHash: parent,
  version: VERSION,
  timestamp: time,
});

const headerBytes = (block: Omit<Block, 'id'>): Buffer => encode(BLOCK_HEADER, headerOf(block));

/** The block as nodes return it; `detail` false omits the transactions. */
export function blockJson(block: Block, { visible = false, detail = true } = {}): Record<string, unknown> {
  const { number, witness_address: witness, ...header } = headerOf(block);
  const signature = block.number === 0 ? undefined : witnessSignature(block);
  const transactions = block.entries.map(({ transaction, outcome }) => signedJson(transaction, outcome, visible));
  return {
    blockID: block.id,
    block_header: {
      raw_data: {
        ...(number > 0 ? { number } : {}),
        ...header,
        witness_address: visible ? toBase58(witness) : witness,
      },
      ...(signature ? { witness_signature: signature } : {}),
    },
    ...(detail && transactions.length > 0 ? { transactions } : {}),
  };
}

/** Computed on request: most blocks are empty and never read. */
function witnessSignature(block: Block): string {
  const { r, s, v } = block.witness.key.sign(`0x${sha256(headerBytes(block)).toString('hex')}`);
  return `${r.slice(2)}${s.slice(2)}${(v - 27).toString(16).padStart(2, '0')}`;
}
