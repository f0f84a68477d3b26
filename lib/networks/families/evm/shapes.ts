// Schemas of the JSON-RPC answers for the EVM adapter; every answer passes one before use. Hex becomes lower case; quantities
// become safe integers (block numbers, times and positions only).

import { z } from 'zod';
import type { BlockRef } from '@/lib/networks/chain';

const lowerHex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase());

/** 32 bytes. */
export const hash = lowerHex(/^0x[0-9a-fA-F]{64}$/);
export const address = lowerHex(/^0x[0-9a-fA-F]{40}$/);
const bytes = lowerHex(/^0x(?:[0-9a-fA-F]{2})*$/);

/** An integer that a double holds exactly; 14 digits keep larger text from being rounded before the check. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,14}$/)
  .transform((text) => Number.parseInt(text, 16))
  .refine((value) => Number.isSafeInteger(value));

/** A 256-bit word as eth_call returns it, as an integer; null for the empty answer of an address without a contract. */
export const wordOrNothing = lowerHex(/^0x(?:[0-9a-fA-F]{64})?$/).transform((text) =>
  text === '0x' ? null : BigInt(text),
);

export const headerFields = { number: quantity, hash, parentHash: hash, timestamp: quantity };
type HeaderFields = { number: number; hash: string; parentHash: string; timestamp: number };

export const blockRef = ({ number, hash: own, parentHash, timestamp }: HeaderFields): BlockRef => ({
  number,
  hash: own,
  parentHash,
  time: timestamp,
});

/** A block's header; null if the node has no such block. */
export const header = z.object(headerFields).transform(blockRef).nullable();

/** A block's header with the hashes of its transactions; null if the node has no such block. */
export const headerWithTransactions = z
  .object({ ...headerFields, transactions: z.array(hash) })
  .transform((block) => ({ block: blockRef(block), transactions: block.transactions }))
  .nullable();

const log = z.object({
  address,
  topics: z.array(hash).max(4),
  data: bytes,
  blockNumber: quantity,
  blockHash: hash,
  transactionHash: hash,
  logIndex: quantity,
  // True only in subscriptions; a removed log in an answer is a contradiction.
  removed: z.literal(false).optional(),
});
export type Log = z.output<typeof log>;

/** Wei, or gas. Invalid numbers are dropped: the value only measures what a refund cost, and a payment counts without it. */
const wei = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,32}$/)
  .transform(BigInt)
  .nullish()
  .catch(null);

/** A transaction's receipt; any status other than success or failure is invalid. */
const receiptFields = z.object({
  transactionHash: hash,
  blockHash: hash,
  blockNumber: quantity,
  status: z.enum(['0x0', '0x1']),
  logs: z.array(log),
  // The signer of the transaction and its target. Without them a transfer counts, but its payer is not refunded automatically.
  from: address.nullish(),
  to: address.nullish(),
  gasUsed: wei,
  effectiveGasPrice: wei,
  // What an OP Stack network charged for the transaction's data apart from gas.
  l1Fee: wei,
});
export type Receipt = z.output<typeof receiptFields>;
/** A transaction, reduced to whether it is in a block; null if the node does not know it. */
export const transaction = z.object({ hash, blockHash: hash.nullish() }).nullable();
/** Null: the node does not know the transaction as mined. */
export const receipt = receiptFields.nullable();
export const logs = z.array(log);
export const receipts = z.array(receiptFields).nullable();
