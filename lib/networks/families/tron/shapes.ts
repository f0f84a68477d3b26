// Schemas of java-tron's answers for the adapter; every answer passes one before use. Its JSON comes from protobuf, so zero and
// empty fields are omitted; hex has no 0x; 64-bit integers are numbers.

import { z } from 'zod';
import type { BlockRef } from '@/lib/networks/chain';

const lowerHex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase());

/** 32 bytes. */
const hash = lowerHex(/^[0-9a-fA-F]{64}$/);
const bytes = lowerHex(/^(?:[0-9a-fA-F]{2})*$/);
/** Block numbers and times. zod's integers are those that a double holds exactly. */
const integer = z.number().int().nonnegative();

/** A node's answer if it has no such block or transaction. */
const nothing = z.strictObject({}).transform(() => null);

const headerFields = {
  blockID: hash,
  block_header: z.object({
    raw_data: z.object({ number: integer.default(0), parentHash: hash, timestamp: integer.default(0) }),
  }),
};

type HeaderFields = {
  blockID: string;
  block_header: { raw_data: { number: number; parentHash: string; timestamp: number } };
};

const blockRef = ({ blockID, block_header: { raw_data: raw } }: HeaderFields): BlockRef => ({
  number: raw.number,
  hash: blockID,
  parentHash: raw.parentHash,
  // TRON counts in milliseconds.
  time: Math.floor(raw.timestamp / 1000),
});

/** A block's header; null if the node has no such block. */
export const header = z.union([nothing, z.object(headerFields).transform(blockRef)]);

/** An address with the leading 41 that transactions use; the output is its twenty bytes. */
const prefixedAddress = lowerHex(/^41[0-9a-fA-F]{40}$/).transform((text) => text.slice(2));

/**
 * The owner of a transaction and its contract call, in twenty-byte addresses. `call` is null for every other kind of transaction;
 * `owner` is null for kinds that name none, such as shielded ones.
 */
const orders = z
  .object({
    contract: z.tuple([
      z.object({
        type: z.string(),
        parameter: z.object({
          value: z.object({
            owner_address: prefixedAddress,
            contract_address: prefixedAddress.optional().catch(undefined),
          }),
        }),
      }),
    ]),
  })
  .transform(({ contract: [{ type, parameter }] }) => {
    const { owner_address: owner, contract_address: contract } = parameter.value;
    return { owner, call: type === 'TriggerSmartContract' && contract !== undefined ? { owner, contract } : null };
  })
  .nullable()
  .catch(null);
export type Call = NonNullable<NonNullable<z.output<typeof orders>>['call']>;

/** A transaction as its block lists it, with the outcome that the network agreed on in that block. */
const listed = z
  .object({
    txID: hash,
    ret: z.array(z.object({ contractRet: z.string().optional() })).optional(),
    raw_data: orders,
  })
  .transform(({ txID, ret, raw_data: contract }) => ({
    id: txID,
    contractRet: ret?.[0]?.contractRet ?? null,
    owner: contract?.owner ?? null,
    call: contract?.call ?? null,
  }));

const listedBlock = z.object({ ...headerFields, transactions: z.array(listed).default([]) }).transform((read) => ({
  block: blockRef(read),
  timestamp: read.block_header.raw_data.timestamp,
  transactions: read.transactions,
}));
/** A block with its transactions. `timestamp` is in milliseconds. */
export type ListedBlock = z.output<typeof listedBlock>;
/** Null if the node has no such block. */
export const block = z.union([nothing, listedBlock]);
/** Several blocks by height, as far as the node has them; `{}` if it has none. */
export const blocks = z.object({ block: z.array(listedBlock).default([]) }).transform((read) => read.block);

/** Sun. A value above 2^53 is rounded, which no wallet has. */
const sun = z
  .number()
  .nonnegative()
  .default(0)
  .transform((value) => BigInt(Math.trunc(value)));
const namedAddress = prefixedAddress.nullish().catch(null).default(null);

/** The contract of a transaction, in twenty-byte addresses. Null for kinds that name no owner, such as shielded ones. */
const transactionContract = z
  .object({
    contract: z.tuple([
      z.object({
        type: z.string(),
        parameter: z.object({
          value: z.object({
            owner_address: prefixedAddress,
            to_address: namedAddress,
            account_address: namedAddress,
            contract_address: namedAddress,
            amount: sun,
            call_value: sun,
          }),
        }),
      }),
    ]),
  })
  .transform(({ contract: [{ type, parameter }] }) => {
    const { value } = parameter;
    const to = value.to_address ?? value.account_address;
    return {
      ...{ type, owner: value.owner_address, to, amount: value.amount },
      ...{ called: value.contract_address, callValue: value.call_value },
    };
  })
  .nullable()
  .catch(null);
export type TransactionContract = NonNullable<z.output<typeof transactionContract>>;

const contractFields = z
  .object({
    ...headerFields,
    transactions: z.array(z.object({ txID: hash, raw_data: transactionContract })).default([]),
  })
  .transform((read) => ({
    block: blockRef(read),
    transactions: read.transactions.map(({ txID, raw_data: contract }) => ({ id: txID, contract })),
  }));
/** A block with the contracts of its transactions. */
export type BlockWithContracts = z.output<typeof contractFields>;
/** As `block` and `blocks`. */
export const blockWithContracts = z.union([nothing, contractFields]);
export const blocksWithContracts = z
  .object({ block: z.array(contractFields).default([]) })
  .transform((read) => read.block);

const log = z.object({
  /** Twenty bytes, without the 41 that addresses begin with elsewhere. */
  address: lowerHex(/^[0-9a-fA-F]{40}$/),
  topics: z.array(hash).max(4).default([]),
  data: bytes.default(''),
});
export type Log = z.output<typeof log>;

const infoFields = z.object({
  id: hash,
  blockNumber: integer.default(0),
  blockTimeStamp: integer.default(0),
  /** Sun burned for energy and bandwidth, and for a newly created account. */
  fee: integer.default(0).catch(0),
  /** Present only if the transaction failed. */
  result: z.string().optional(),
  receipt: z.object({ result: z.string().optional() }).default({}),
  log: z.array(log).default([]),
});
/** The result of a transaction (TransactionInfo): TRON's receipt. */
export type Info = z.output<typeof infoFields>;

/** Null: unknown, or in no block yet. */
export const info = z.union([nothing, infoFields]);
/** All results of a block; `{}` for block 0. */
export const infos = z.union([z.array(infoFields), z.strictObject({}).transform((): Info[] => [])]);

/** A transaction by its id, in a block or in the pool; null if unknown. */
export const transaction = z.union([nothing, z.object({ txID: hash }).transform(({ txID }) => txID)]);

/** The answer to a constant call. `message` may be text or hex-encoded text. */
export const constantCall = z.object({
  result: z.object({ code: z.string().optional(), message: z.string().optional() }),
  constant_result: z.array(bytes).default([]),
});

// The part of java-tron's JSON-RPC that the adapter uses. It writes hex with 0x and addresses as their last twenty bytes.

const prefixed = (digits: string) => lowerHex(new RegExp(`^0x${digits}$`)).transform((text) => text.slice(2));
const quantity = lowerHex(/^0x[0-9a-fA-F]{1,12}$/).transform(Number);
const prefixedHash = prefixed('[0-9a-fA-F]{64}');

export const chainId = quantity;

/** Logs, reduced to a transfer and its block; `from` and `to` are twenty bytes. A log without two addresses is not a transfer. */
export const transferLogs = z.array(
  z
    .object({
      address: prefixed('[0-9a-fA-F]{40}'),
      topics: z.array(prefixedHash).min(3).max(4),
      blockNumber: quantity,
      blockHash: prefixedHash,
      transactionHash: prefixedHash,
      removed: z.literal(false).optional(),
    })
    .transform(({ address, topics, blockNumber, blockHash, transactionHash }) => ({
      contract: address,
      topic: topics[0] ?? '',
      from: topics[1]?.slice(-40) ?? '',
      to: topics[2]?.slice(-40) ?? '',
      blockNumber,
      blockHash,
      id: transactionHash,
    })),
);
export type LoggedTransfer = z.output<typeof transferLogs>[number];
