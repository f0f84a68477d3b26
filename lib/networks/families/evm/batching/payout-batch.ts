// The contract that pays many payouts by one transaction (payout-batch.sol): its address, its deployment and its call. The address
// follows from the code alone and is the same on every EVM chain, so the signer knows it and accepts it from no other process. Pure and
// free of chain SDKs, because the signer loads it.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { abiWord } from '@/lib/networks/families/evm/transfer-data';
import { CREATE2_FACTORY } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { PAYOUT_BATCH_CODE } from './payout-batch-code';

/** A payee in lower case with 0x, and base units of the token. */
export type BatchItem = { readonly to: string; readonly amount: bigint };
export type BatchCall = { readonly token: string; readonly gasEach: bigint; readonly items: readonly BatchItem[] };

/**
 * The most payouts of one transaction. More save next to nothing, and the journal of the signer keeps a signed transaction of at most
 * 4,096 characters.
 */
export const MAX_BATCH = 50;
/** The first four bytes of the hash of pay(address,uint256,uint256[]), hex. */
const PAY_SELECTOR = '42f85ce5';
/** keccak256 of Skipped(uint256). */
export const SKIPPED_TOPIC = '0x70e372b9f878cb6163a573a08b812dd10806ebed4d3b3c034d501fe64b2064b8';
const SALT = '0'.repeat(64);
const [WORD, ADDRESS] = [64, 40];
const MOST_AMOUNT = 1n << 96n;
/** Token, gas of each item, where the items begin, and how many there are. */
const HEAD_WORDS = 4;
const ITEMS_AT = 96n;

/** The data of the call to the factory that deploys the contract, hex with 0x. */
export const payoutBatchDeployment = (): string => `0x${SALT}${PAYOUT_BATCH_CODE.slice(2)}`;

/** The contract's address on every EVM chain, in lower case. */
export const PAYOUT_BATCH = addressOfContract();

function addressOfContract(): string {
  const hash = Buffer.from(keccak_256(Buffer.from(PAYOUT_BATCH_CODE.slice(2), 'hex'))).toString('hex');
  const place = Buffer.from(`ff${CREATE2_FACTORY.slice(2)}${SALT}${hash}`, 'hex');
  return `0x${Buffer.from(keccak_256(place)).subarray(12).toString('hex')}`;
}

/** The data of the call that pays these items, hex without 0x. Throws for an amount that an item cannot hold. */
export function batchData({ token, gasEach, items }: BatchCall): string {
  const words = items.map(({ to, amount }) => {
    if (amount <= 0n || amount >= MOST_AMOUNT) throw new Error('the amount of an item is out of bounds');
    return abiWord((amount << 160n) | BigInt(to));
  });
  const head = [abiWord(token.slice(2)), abiWord(gasEach), abiWord(ITEMS_AT), abiWord(BigInt(items.length))];
  return PAY_SELECTOR + [...head, ...words].join('');
}

/** The call in this data, hex without 0x; null for any other data. */
export function readBatchData(data: string): BatchCall | null {
  const words = data.slice(PAY_SELECTOR.length).match(/.{64}/g) ?? [];
  const [token = '', gasEach = '', , count = ''] = words;
  if (!data.startsWith(PAY_SELECTOR) || words.length <= HEAD_WORDS || words.length > HEAD_WORDS + MAX_BATCH)
    return null;
  const items = words.slice(HEAD_WORDS).map((word) => ({
    to: `0x${word.slice(WORD - ADDRESS)}`,
    amount: BigInt(`0x${word}`) >> 160n,
  }));
  if (BigInt(`0x${count}`) !== BigInt(items.length) || items.some(({ amount }) => amount === 0n)) return null;
  const call = { token: `0x${token.slice(WORD - ADDRESS)}`, gasEach: BigInt(`0x${gasEach}`), items };
  // Written again and compared, so that the data cannot contain anything that was not read.
  return batchData(call) === data ? call : null;
}

/** Intrinsic gas with the words of the head, and what the call costs apart from its items. */
const GAS_OF_CALL = 40_000n;
/** For each item: its word, the loop, the check of the remaining gas, and the event if it does not move. */
const GAS_OF_ITEM = 4000n;
/** What the contract keeps before each call (payout-batch.sol). */
export const GAS_KEPT = 10_000n;

/**
 * A gas limit with which no item can keep the other ones from moving, even if all of them burn their gas. With a shorter one nothing
 * moves at all if it does not suffice.
 */
export const batchGasLimit = (items: number, gasEach: bigint): bigint =>
  GAS_OF_CALL + BigInt(items) * (GAS_OF_ITEM + gasEach) + gasEach / 63n + GAS_KEPT;
