// Decodes transaction results into transfers, without I/O. A movement is one log of an allow-listed token in a successful
// transaction. A transfer is a movement to or from a watched address, less what that address returned or received in the same
// transaction.

import type { BlockRef, FoundTransfer, Scan } from '@/lib/networks/chain';
import { netGains, netLosses, type Move } from '@/lib/networks/net-gains';
import type { NetworkSpec } from '@/lib/networks/networks';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import type { Call, Info, Log } from '@/lib/networks/families/tron/shapes';

/** keccak256 of Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WORD_LENGTH = 64;
const ADDRESS_LENGTH = 40;

/** The allow-listed tokens, keyed by the twenty bytes of their contracts. */
export type Tokens = ReadonlyMap<string, { readonly currency: string; readonly contract: string }>;

/** One log's transfer of any token; addresses are twenty bytes in hex. */
export type TokenTransfer = Move & { readonly ordinal: number };
export type Movement = TokenTransfer & { readonly currency: string };

/**
 * A transaction with at least one movement of an allow-listed token. `call`: the contract call it makes; null if it calls no
 * contract.
 */
export type Moved = {
  readonly id: string;
  readonly block: BlockRef;
  readonly movements: readonly Movement[];
  readonly call: Call | null;
};

export const tokensOf = (spec: NetworkSpec): Tokens =>
  new Map(
    Object.entries(spec.tokens).map(([currency, { contract }]) => [addressBytes(contract), { currency, contract }]),
  );

/**
 * Whether the transaction succeeded: the exact result in its receipt, and no failure beside it. `contractResult` is ignored,
 * because the genuine USDT returns nothing.
 */
export const succeeded = (info: Info): boolean => info.receipt.result === 'SUCCESS' && info.result === undefined;

/** Every token transfer that the transaction logged, of any token, in order; none if it failed. */
export function tokenTransfers(info: Info): TokenTransfer[] {
  if (!succeeded(info)) return [];
  return info.log.flatMap((log, ordinal) => {
    const read = readTransfer(log);
    return read ? [{ ...read, ordinal }] : [];
  });
}

/** The transaction's movements of allow-listed tokens. A value of zero or a transfer from an address to itself moves nothing. */
export function movementsOf(tokens: Tokens, info: Info): Movement[] {
  return tokenTransfers(info).flatMap((transfer) => {
    const token = tokens.get(transfer.contract);
    return token && transfer.value > 0n && transfer.from !== transfer.to ? [{ ...transfer, ...token }] : [];
  });
}

/**
 * The transfer in a log, or null if it is not one of a fungible token: three topics and one word of data. Only the low twenty
 * bytes of a topic are the address, as everywhere on TRON.
 */
function readTransfer(log: Log): Move | null {
  const [topic, payer, recipient] = log.topics;
  if (log.topics.length !== 3 || payer === undefined || recipient === undefined) return null;
  if (topic !== TRANSFER_TOPIC || log.data.length !== WORD_LENGTH) return null;
  const [from, to] = [payer, recipient].map((word) => word.slice(-ADDRESS_LENGTH)) as [string, string];
  return { contract: log.address, from, to, value: BigInt(`0x${log.data}`) };
}

/** The gains and losses of watched addresses. `watched` holds base58check addresses (T…). */
export function transfersOf(
  moved: readonly Moved[],
  watched: ReadonlySet<string>,
): Required<Pick<Scan, 'transfers' | 'outgoing'>> {
  const ours = new Set([...watched].map(addressBytes));
  const transfers: FoundTransfer[] = [];
  const outgoing: FoundTransfer[] = [];
  for (const one of moved) {
    const { movements } = one;
    const gains = netGains(
      movements.filter(({ to }) => ours.has(to)),
      movements,
    );
    transfers.push(...gains.map((movement) => transferOf(one, movement)));
    const losses = netLosses(
      movements.filter(({ from }) => ours.has(from)),
      movements,
    );
    outgoing.push(...losses.map((movement) => transferOf(one, movement)));
  }
  return { transfers, outgoing };
}

const transferOf = (
  { id, block, call }: Moved,
  { currency, contract, from, to, ordinal, value }: Movement,
): FoundTransfer => ({
  transactionHash: id,
  ordinal,
  blockNumber: block.number,
  blockHash: block.hash,
  blockTime: block.time,
  currency,
  contract,
  payer: tronAddress(from),
  recipient: tronAddress(to),
  amount: value,
  isPlain: call?.owner === from && call.contract === addressBytes(contract),
});
