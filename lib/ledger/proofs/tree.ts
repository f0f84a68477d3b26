// A Merkle sum tree: each node commits to a hash and to the sum of the leaves below it. A node hashes the hashes and the sums of both
// children (Maxwell's tree as corrected by Hu, Zhang and Guo: a node that commits only to the total could claim less than its children
// hold). Amounts are unsigned, so no leaf can hide another one by being negative. Pure.

import { sha256 } from '@/lib/platform/crypto';

const HASH_BYTES = 32;
const SUM_BYTES = 32;
export const NODE_BYTES = HASH_BYTES + SUM_BYTES;
const LARGEST = (1n << 255n) - 1n;
/** A leaf and a node never hash the same bytes. */
const LEAF = Buffer.of(0);
const INNER = Buffer.of(1);

export type Leaf = { readonly hash: Buffer; readonly amount: bigint };

/**
 * `nodes`: NODE_BYTES for each node, hash and sum. Node 1 is the root, the children of node n are 2n and 2n + 1, and the leaves are the
 * last 2 to the power of `depth`. Node 0 does not exist.
 */
export type SumTree = { readonly root: string; readonly sum: bigint; readonly depth: number; readonly nodes: Buffer };

/** The hash of a leaf: its salt and the text that says whose it is and how much. */
export const leafHash = (salt: Uint8Array, text: string): Buffer =>
  sha256(Buffer.concat([LEAF, salt, Buffer.from(text)]));

/** `leaves`: a power of two of them. Throws for an amount that is negative or too large. */
export function sumTree(leaves: readonly Leaf[]): SumTree {
  const depth = Math.log2(leaves.length);
  if (!Number.isInteger(depth)) throw new Error(`${leaves.length} leaves are not a power of two`);
  const nodes = Buffer.alloc(2 * leaves.length * NODE_BYTES);
  leaves.forEach(({ hash, amount }, at) => writeNode(nodes, leaves.length + at, { hash, sum: amount }));
  for (let node = leaves.length - 1; node > 0; node--) {
    const children = nodes.subarray(2 * node * NODE_BYTES, (2 * node + 2) * NODE_BYTES);
    const sum = sumAt(nodes, 2 * node) + sumAt(nodes, 2 * node + 1);
    writeNode(nodes, node, { hash: sha256(Buffer.concat([INNER, children])), sum });
  }
  const root = nodes.subarray(NODE_BYTES, NODE_BYTES + HASH_BYTES).toString('hex');
  return { root, sum: sumAt(nodes, 1), depth, nodes };
}

/** The nodes beside the way from a leaf to the root, from the bottom. */
export function siblingsOf(leaf: number, depth: number): readonly number[] {
  const node = 2 ** depth + leaf;
  return Array.from({ length: depth }, (_, level) => Math.floor(node / 2 ** level) ^ 1);
}

/** A node of a tree as a document has it. */
export const nodeFrom = (bytes: Buffer): { readonly hash: string; readonly sum: string } => ({
  hash: bytes.subarray(0, HASH_BYTES).toString('hex'),
  sum: sumAt(bytes, 0).toString(),
});

function writeNode(nodes: Buffer, node: number, { hash, sum }: { readonly hash: Buffer; readonly sum: bigint }): void {
  if (sum < 0n || sum > LARGEST) throw new Error('an amount of a tree is negative or too large');
  hash.copy(nodes, node * NODE_BYTES);
  nodes.write(sum.toString(16).padStart(2 * SUM_BYTES, '0'), node * NODE_BYTES + HASH_BYTES, 'hex');
}

const sumAt = (nodes: Buffer, node: number): bigint =>
  BigInt(`0x${nodes.toString('hex', node * NODE_BYTES + HASH_BYTES, (node + 1) * NODE_BYTES)}`);
