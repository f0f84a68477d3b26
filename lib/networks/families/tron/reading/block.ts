// Blocks with the results of all their transactions, from one side of one node: complete, or an error. No single answer contains
// both, so two answers are compared transaction by transaction.

import type { z } from 'zod';
import { ChainError, type BlockRef } from '@/lib/networks/chain';
import type { Side } from '@/lib/networks/families/tron/http';
import { ApiMissingError, TooMuchError } from '@/lib/networks/families/tron/http-faults';
import { checkId, type TronNode } from '@/lib/networks/families/tron/node';
import * as shapes from '@/lib/networks/families/tron/shapes';
import type { Call, Info, ListedBlock } from '@/lib/networks/families/tron/shapes';

/** `calls`: the contract calls among the block's transactions, by transaction id. */
export type WholeBlock = {
  readonly block: BlockRef;
  readonly infos: readonly Info[];
  readonly calls: ReadonlyMap<string, Call>;
};

/** Blocks of one side of a node, `from` to `to`, both included. */
export type Span = { readonly side: Side; readonly from: number; readonly to: number };

/** Blocks read together; each can be some megabytes. */
export const MAX_AT_ONCE = 5;

/**
 * One URL may serve many nodes, and some lag a moment behind the one that named the blocks. Two short waits are cheaper than
 * giving up the whole window.
 */
const TRIES = 3;
const RETRY_MS = 400;

/** Reads up to MAX_AT_ONCE blocks whole. Throws `unavailable` while the node lacks any block or any part of one. */
export async function readWholeBlocks(node: TronNode, span: Span): Promise<WholeBlock[]> {
  let lacks = '';
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await node.wait(RETRY_MS);
    const read = await tryToRead(node, span);
    if (typeof read !== 'string') return read;
    lacks = read;
  }
  throw new ChainError('unavailable', `${node.name} ${lacks}`);
}

/** The blocks, or a description of what the node still lacks. */
async function tryToRead(node: TronNode, span: Span): Promise<WholeBlock[] | string> {
  const numbers = numbersOf(span);
  const [listed, infos] = await Promise.all([
    readListed(node, span),
    Promise.all(numbers.map((number) => readInfos(node, span.side, number))),
  ]);
  const read: WholeBlock[] = [];
  for (const [index, number] of numbers.entries()) {
    const whole = join(node, number, listed[index] ?? null, infos[index] ?? []);
    if (typeof whole === 'string') return whole;
    read.push(whole);
  }
  return read;
}

const numbersOf = ({ from, to }: Span): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** The blocks with their listed transactions. */
export const readListed = (node: TronNode, span: Span): Promise<(ListedBlock | null)[]> =>
  readInRange(node, span, { one: shapes.block, many: shapes.blocks });

type Shapes<T> = { readonly one: z.ZodType<T | null>; readonly many: z.ZodType<T[]> };

/** The blocks of a span; in one request if the node offers that and its answer is readable. */
export async function readInRange<T>(
  node: TronNode,
  { side, from, to }: Span,
  { one, many }: Shapes<T>,
): Promise<(T | null)[]> {
  if (from < to && node.rangesOffered) {
    const body = { startNum: from, endNum: to + 1 };
    try {
      return await node.client.request({ side, api: 'getblockbylimitnext', body, shape: many });
    } catch (error) {
      if (!(error instanceof ApiMissingError || error instanceof TooMuchError)) throw error;
      node.rangesOffered = false;
    }
  }
  const single = (num: number) => node.client.request({ side, api: 'getblockbynum', body: { num }, shape: one });
  return Promise.all(numbersOf({ side, from, to }).map(single));
}

/** The results of one block's transactions, unchecked. */
export const readInfos = (node: TronNode, side: Side, num: number): Promise<Info[]> =>
  node.client.request({ side, api: 'gettransactioninfobyblocknum', body: { num }, shape: shapes.infos });

/**
 * The block with its results, or a description of what the node still lacks. Throws `contradiction` if they belong to different
 * blocks.
 */
function join(node: TronNode, number: number, listed: ListedBlock | null, infos: Info[]): WholeBlock | string {
  if (!listed) return `does not have block ${number}`;
  const block = checkId(node, listed.block);
  if (block.number !== number) {
    throw new ChainError('contradiction', `${node.name} gave block ${block.number} for block ${number}`);
  }
  // Block 0 has no results: its transactions create the chain, and no node records them.
  if (number === 0) return { block, infos: [], calls: new Map() };
  checkInfos(node, listed, infos);
  if (infos.length === listed.transactions.length) return { block, infos, calls: callsOf(listed) };
  return `has the results of ${infos.length} of the ${listed.transactions.length} transactions of block ${number}`;
}

const callsOf = ({ transactions }: ListedBlock): ReadonlyMap<string, Call> =>
  new Map(transactions.flatMap(({ id, call }) => (call ? [[id, call] as const] : [])));

/**
 * Every result must belong to this very block: its height, its time to the millisecond, one of its transactions, no duplicates,
 * and the outcome in the block for that transaction.
 */
function checkInfos(node: TronNode, { block, timestamp, transactions }: ListedBlock, infos: readonly Info[]): void {
  const fail = (what: string) =>
    new ChainError('contradiction', `${node.name} gave results for block ${block.number} that ${what}`);
  const open = new Map(transactions.map(({ id, contractRet }) => [id, contractRet]));
  if (open.size !== transactions.length) throw fail('are ambiguous, since the block lists a transaction twice');
  for (const info of infos) {
    const contractRet = open.get(info.id);
    if (contractRet === undefined) throw fail('name a transaction twice, or one that it does not hold');
    open.delete(info.id);
    if (info.blockNumber !== block.number || info.blockTimeStamp !== timestamp) throw fail('belong to another block');
    if (!agrees(info, contractRet)) throw fail(`tell of another outcome of ${info.id} than the block`);
  }
}

/** Plain transfers have no receipt of their own; if there is one, it says SUCCESS exactly when the block does. */
function agrees({ receipt, result }: Info, contractRet: string | null): boolean {
  if (result !== undefined) return contractRet !== 'SUCCESS' && receipt.result !== 'SUCCESS';
  return receipt.result === undefined || (receipt.result === 'SUCCESS') === (contractRet === 'SUCCESS');
}
