// Decodes logs and receipts into proven transfers, without I/O. A movement is one log of an allow-listed token. A transfer is a
// movement confirmed by its transaction's receipt, less what the address returned or received in the same transaction.

import { ChainError, type BlockRef, type BlockSpan, type FoundTransfer } from '@/lib/networks/chain';
import { netGains, netLosses } from '@/lib/networks/net-gains';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { topicAddress } from '@/lib/networks/families/evm/address';
import type { Log, Receipt } from '@/lib/networks/families/evm/shapes';

/** keccak256 of Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WORD_LENGTH = 66;

export type Movement = {
  readonly currency: string;
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
};

/**
 * The movement in a log, or null if it is not a transfer of an allow-listed token. A value of zero or a transfer from an address
 * to itself moves nothing.
 */
export function readMovement(spec: NetworkSpec, log: Log): Movement | null {
  const found = tokenOf(spec, log.address);
  const moved = found && readTransferLog(log);
  if (!moved || moved.from === moved.to || moved.value === 0n) return null;
  return { currency: found.currency, ...moved };
}

/** The transfer in a log of any contract, or null if it is not an ERC-20 transfer: three topics, one word of data. */
export function readTransferLog(log: Log): Omit<Movement, 'currency'> | null {
  const [topic, payer, recipient] = log.topics;
  if (log.topics.length !== 3 || payer === undefined || recipient === undefined) return null;
  if (topic !== TRANSFER_TOPIC || log.data.length !== WORD_LENGTH) return null;
  const from = topicAddress(payer);
  const to = topicAddress(recipient);
  return from === null || to === null ? null : { contract: log.address, from, to, value: BigInt(log.data) };
}

/** Whether the log indexes of one transaction or block increase strictly. */
export const areInOrder = (logs: readonly Log[]): boolean =>
  logs.every(({ logIndex }, n) => n === 0 || logIndex > (logs[n - 1]?.logIndex ?? 0));

/** Throws `contradiction` if an answer to eth_getLogs does not match the query or is inconsistent. */
export function checkLogs(
  spec: NetworkSpec,
  window: BlockSpan,
  edges: readonly BlockRef[],
  logs: readonly Log[],
): void {
  const hashes = new Map(edges.map(({ number, hash }) => [number, hash]));
  const places = new Set<string>();
  for (const { address, topics, blockNumber, blockHash, logIndex } of logs) {
    const wasRequested = blockNumber >= window.from && blockNumber <= window.to && topics[0] === TRANSFER_TOPIC;
    if (!wasRequested || !tokenOf(spec, address))
      throw new ChainError('contradiction', 'the logs contain blocks or contracts that were not requested');
    const known = hashes.get(blockNumber);
    if (known !== undefined && known !== blockHash) {
      throw new ChainError('contradiction', `the logs of block ${blockNumber} belong to two different blocks`);
    }
    hashes.set(blockNumber, blockHash);
    const place = `${blockNumber}:${logIndex}`;
    if (places.has(place)) throw new ChainError('contradiction', `block ${blockNumber} has two logs at one place`);
    places.add(place);
  }
}

/** The transfers of one transaction to watched addresses, and out of them. */
export type ProvenTransaction = {
  readonly transfers: readonly FoundTransfer[];
  readonly outgoing: readonly FoundTransfer[];
};

/**
 * The transfers of one transaction to watched addresses and out of them. `found` are its logs about them from the scan. The receipt must be a success in the given canonical block and contain exactly these logs. Throws `contradiction`
 * otherwise.
 */
export function proveTransaction(proof: {
  spec: NetworkSpec;
  receipt: Receipt;
  block: BlockRef;
  found: readonly Log[];
  watched: ReadonlySet<string>;
}): ProvenTransaction {
  const { spec, receipt, block, found, watched } = proof;
  const fail = (what: string) => new ChainError('contradiction', `transaction ${receipt.transactionHash} ${what}`);
  if (receipt.status !== '0x1') throw fail('failed, and yet a transfer of it was listed');
  const places = [receipt, ...found];
  if (places.some(({ blockHash, blockNumber }) => blockHash !== block.hash || blockNumber !== block.number)) {
    throw fail('is in another block');
  }
  if (!areInOrder(receipt.logs)) throw fail('has logs in its receipt that no block could number so');
  const movements = receipt.logs.flatMap((log, ordinal) => {
    const movement = readMovement(spec, log);
    return movement ? [{ ...movement, ordinal, log }] : [];
  });
  const incoming = movements.filter(({ to }) => watched.has(to));
  const outgoing = movements.filter(({ from }) => watched.has(from));
  const expected = new Set([...incoming, ...outgoing]);
  const claimed = new Map(found.map((log) => [log.logIndex, log]));
  if (claimed.size !== expected.size) throw fail('has other transfers in its receipt than were listed');
  for (const { log } of expected) {
    if (!sameLog(log, claimed.get(log.logIndex))) throw fail('has other transfers in its receipt than were listed');
  }
  const transferOf = ({ currency, contract, from, to, ordinal, value }: Movement & { readonly ordinal: number }) => ({
    transactionHash: receipt.transactionHash,
    ordinal,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTime: block.time,
    currency,
    contract,
    payer: from,
    recipient: to,
    amount: value,
    isPlain: receipt.from === from && receipt.to === contract,
  });
  return {
    transfers: netGains(incoming, movements).map(transferOf),
    outgoing: netLosses(outgoing, movements).map(transferOf),
  };
}

const sameLog = (one: Log, other: Log | undefined): boolean =>
  other !== undefined &&
  one.address === other.address &&
  one.data === other.data &&
  one.blockHash === other.blockHash &&
  one.transactionHash === other.transactionHash &&
  one.topics.join() === other.topics.join();
