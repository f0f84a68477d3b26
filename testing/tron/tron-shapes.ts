// java-tron's responses for the blocks and transactions of a fake chain, in its own format (docs/network-facts.md#tron). Zero and
// empty fields are omitted, hex has no 0x, and times are in milliseconds.

import { createHash } from 'node:crypto';
import { addressBytes } from '@/lib/networks/families/tron/address';

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export type TronLog = { address: string; topics?: string[]; data?: string };
export type TronTransaction = {
  logs?: TronLog[];
  id?: string;
  /** `receipt.result`; SUCCESS by default. Null: none, as in a plain transfer of coins. */
  result?: string | null;
  /** The result in the block; by default the receipt's result. Null: omitted. */
  contractRet?: string | null;
  /** The first word that the call returned; USDT returns nothing, which reads as zeros. */
  contractResult?: string;
  /** The sender and the called contract as written (T…), and the contract type. By default omitted from the block. */
  owner?: string;
  contract?: string;
  type?: string;
  /** Further fields of the contract, as the node writes them. */
  value?: object;
};
type Order = 'owner' | 'contract' | 'type' | 'value';
export type TronMined = Required<Omit<TronTransaction, Order>> & Pick<TronTransaction, Order>;
export type TronBlock = {
  number: number;
  id: string;
  parentHash: string;
  /** Milliseconds. */
  time: number;
  transactions: TronMined[];
};

const word = (hex: string) => hex.padStart(64, '0');
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A token transfer's log; addresses as written (T…). */
export const transferLog = (contract: string, from: string, to: string, amount: bigint): TronLog => ({
  address: addressBytes(contract),
  topics: [TRANSFER, word(addressBytes(from)), word(addressBytes(to))],
  data: word(amount.toString(16)),
});

/** A block's id: its height in the first eight bytes. */
export const blockId = (number: number, seed: string): string =>
  `${number.toString(16).padStart(16, '0')}${sha256(seed).slice(16)}`;

export const mined = (given: TronTransaction, id: string): TronMined => {
  const result = given.result === undefined ? 'SUCCESS' : given.result;
  return {
    id: given.id ?? id,
    logs: given.logs ?? [],
    result,
    contractRet: given.contractRet === undefined ? (result ?? 'SUCCESS') : given.contractRet,
    contractResult: given.contractResult ?? word('0'),
    ...(given.owner === undefined ? {} : { owner: given.owner }),
    ...(given.contract === undefined ? {} : { contract: given.contract }),
    ...(given.type === undefined ? {} : { type: given.type }),
    ...(given.value === undefined ? {} : { value: given.value }),
  };
};

export const headerOf = (block: TronBlock): object => ({
  blockID: block.id,
  block_header: {
    raw_data: {
      ...(block.number > 0 ? { number: block.number } : {}),
      txTrieRoot: sha256(block.transactions.map(({ id }) => id).join()),
      witness_address: '41e7860196ad5b5718c1d6326babab039b70b8c1cd',
      parentHash: block.parentHash,
      version: 34,
      timestamp: block.time,
    },
    witness_signature: '55a2'.repeat(32),
  },
});

export const transactionOf = ({ id, contractRet, owner, contract, type, value }: TronMined): object => ({
  ret: [contractRet === null ? {} : { contractRet }],
  signature: ['99'.repeat(65)],
  txID: id,
  raw_data: {
    contract: [
      {
        type: type ?? 'TriggerSmartContract',
        ...(owner === undefined
          ? {}
          : { parameter: { value: { owner_address: hexOf(owner), ...called(contract), ...value } } }),
      },
    ],
    timestamp: 1,
  },
  raw_data_hex: '0a02',
});

export const hexOf = (address: string): string => `41${addressBytes(address)}`;
const called = (contract: string | undefined): object =>
  contract === undefined ? {} : { contract_address: hexOf(contract) };

export const blockOf = (block: TronBlock): object => ({
  ...headerOf(block),
  ...(block.transactions.length > 0 ? { transactions: block.transactions.map(transactionOf) } : {}),
});

export function infoOf(block: TronBlock, transaction: TronMined): object {
  const { id, logs, result, contractResult } = transaction;
  const failed = result !== null && result !== 'SUCCESS';
  return {
    id,
    fee: 345000,
    blockNumber: block.number,
    blockTimeStamp: block.time,
    contractResult: [result === null || failed ? '' : contractResult],
    receipt: { net_usage: 345, ...(result === null ? {} : { energy_usage_total: 64285, result }) },
    ...(failed ? { result: 'FAILED', resMessage: '4e6f7420656e6f75676820656e65726779' } : {}),
    ...(logs.length > 0 && !failed ? { log: logs } : {}),
  };
}

export const infosOf = (block: TronBlock): object[] => block.transactions.map((one) => infoOf(block, one));

/** An account that signed something names the time of the block before its newest transaction. */
export function accountOf(blocks: readonly TronBlock[], requested: unknown): object {
  const at = blocks.findLastIndex(({ transactions }) =>
    transactions.some(({ owner }) => owner !== undefined && hexOf(owner) === requested),
  );
  return at > 0 ? { address: requested, latest_opration_time: blocks[at - 1]?.time } : {};
}
