// Reads which coin our wallets send, from one TRON endpoint. An account stores the time of its newest transaction, which is that of the block
// before it (own-transactions.ts). Payments from others do not change it. The blocks are read only where it has changed.

import { z } from 'zod';
import { ChainError, type FoundTransfer } from '@/lib/networks/chain';
import { NO_ADDRESS, type CoinActivity, type CoinCursor, type CoinSearch } from '@/lib/networks/coin-reader';
import type { NetworkSpec } from '@/lib/networks/networks';
import { addressBytes, requestAddress, tronAddress } from '@/lib/networks/families/tron/address';
import { checkId, readBlock, type TronNode } from '@/lib/networks/families/tron/node';
import {
  blockWithContracts,
  blocksWithContracts,
  type TransactionContract,
  type BlockWithContracts,
} from '@/lib/networks/families/tron/shapes';
import { MAX_AT_ONCE, readInRange } from './block';

/** The misspelling is java-tron's. Absent for an account that never signed anything. */
const account = z.object({ latest_opration_time: z.number().int().nonnegative().default(0) });

/** Contracts that move no coin to others: stakes, votes, and names. A change of permissions is compared elsewhere (own-wallets). */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['FreezeBalanceContract', 'UnfreezeBalanceContract', 'FreezeBalanceV2Contract', 'UnfreezeBalanceV2Contract'],
  ...[
    'WithdrawExpireUnfreezeContract',
    'CancelAllUnfreezeV2Contract',
    'WithdrawBalanceContract',
    'VoteWitnessContract',
  ],
  ...['DelegateResourceContract', 'UnDelegateResourceContract', 'AccountUpdateContract', 'SetAccountIdContract'],
  'AccountPermissionUpdateContract',
]);

/** The blocks in which the wallets may have signed something, as CoinReader.activity says. */
export async function tronActivity(node: TronNode, { window, wallets, cursor }: CoinSearch): Promise<CoinActivity> {
  // After a reorg the endpoint may be behind its own cursor.
  const last = cursor && cursor.block <= window.to ? cursor : await cursorBefore(node, window.from);
  const states = new Map<string, number>();
  for (const wallet of wallets) states.set(wallet, await readNewest(node, wallet));
  // The account also reflects the node's pool: what is as new as the last block may be in the one after it.
  const hasMoved = [...states].some(
    ([wallet, time]) => time !== (last.states.get(wallet) ?? time) || time >= last.time,
  );
  // One URL may serve many nodes, and some lag behind the one that named the blocks, so those that the window overlaps are read again.
  const first = Math.max(1, window.from);
  const blocks = hasMoved ? Array.from({ length: window.to - first + 1 }, (_, n) => first + n) : [];
  return { blocks, hashes: [], cursor: { block: window.to, time: window.time, states } };
}

/** As if the last reading had ended before the window, with whatever the accounts were then. */
async function cursorBefore(node: TronNode, from: number): Promise<CoinCursor> {
  const number = Math.max(0, from - 1);
  const block = await readBlock(node, 'wallet', number);
  if (block) return { block: number, time: block.time, states: new Map() };
  throw new ChainError('unavailable', `${node.name} does not have block ${number}`);
}

/** Unix seconds; 0 when the account never signed anything. */
async function readNewest(node: TronNode, wallet: string): Promise<number> {
  const body = { address: requestAddress(wallet) };
  const read = await node.client.request({ side: 'wallet', api: 'getaccount', body, shape: account });
  return Math.floor(read.latest_opration_time / 1000);
}

/** What the wallets send in these blocks, as CoinReader.sent says. */
export async function tronSent(
  node: TronNode,
  spec: NetworkSpec,
  blocks: readonly number[],
  wallets: readonly string[],
): Promise<readonly FoundTransfer[]> {
  const owners = new Map(wallets.map((wallet) => [addressBytes(wallet), wallet]));
  const found: FoundTransfer[] = [];
  for (let at = 0; at < blocks.length;) {
    const from = blocks[at] as number;
    let count = 1;
    while (count < MAX_AT_ONCE && blocks[at + count] === from + count) count++;
    const span = { side: 'wallet', from, to: from + count - 1 } as const;
    const read = await readInRange(node, span, { one: blockWithContracts, many: blocksWithContracts });
    for (let n = 0; n < count; n++)
      found.push(...sentIn(node, spec, { number: from + n, read: read[n] ?? null, owners }));
    at += count;
  }
  return found;
}

type Given = {
  readonly number: number;
  readonly read: BlockWithContracts | null;
  readonly owners: ReadonlyMap<string, string>;
};

function sentIn(node: TronNode, spec: NetworkSpec, { number, read, owners }: Given): readonly FoundTransfer[] {
  if (!read) throw new ChainError('unavailable', `${node.name} does not have block ${number}`);
  const block = checkId(node, read.block);
  if (block.number !== number)
    throw new ChainError('contradiction', `${node.name} gave block ${block.number} for block ${number}`);
  return read.transactions.flatMap(({ id, contract }) => {
    const payer = contract && owners.get(contract.owner);
    const sent = contract && payer !== undefined ? coinOf(contract) : null;
    if (payer === undefined || payer === null || !sent) return [];
    return {
      ...{ transactionHash: id, ordinal: 0, payer, ...sent, currency: spec.coin.symbol, contract: '', isPlain: true },
      ...{ blockNumber: block.number, blockHash: block.hash, blockTime: block.time },
    };
  });
}

/** Null: it moves no coin. A type that is not known here may move some. */
function coinOf({
  type,
  to,
  amount,
  called,
  callValue,
}: TransactionContract): Pick<FoundTransfer, 'recipient' | 'amount'> | null {
  if (HARMLESS.has(type)) return null;
  switch (type) {
    case 'TransferContract':
    case 'AccountCreateContract':
      return { recipient: to === null ? NO_ADDRESS : tronAddress(to), amount };
    case 'TriggerSmartContract':
      return callValue === 0n
        ? null
        : { recipient: called === null ? NO_ADDRESS : tronAddress(called), amount: callValue };
    default:
      return { recipient: NO_ADDRESS, amount };
  }
}
