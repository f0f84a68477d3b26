// Final token balances on Solana: the associated account of each owner and its other known accounts, a hundred accounts per
// request, as of a slot that the node reports.

import { z } from 'zod';
import {
  balancesOf,
  type BalanceOptions,
  type BalanceReader,
  type BalanceRequest,
  type Vote,
} from '@/lib/networks/endpoints/balances-reader';
import { ChainError, type BlockRef } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SendOptions } from '@/lib/networks/sending/endpoints';
import { readStates, type AccountState, type WatchedAccount } from './accounts';
import { openAccountDeriver, type AccountDeriver } from '@/lib/networks/families/solana/address';
import { accountsOfOwner } from './auxiliary';
import { mapBounded } from '@/lib/networks/families/solana/map-bounded';
import { readHead, requireBlock, type Commitment, type SolanaNode } from '@/lib/networks/families/solana/node';
import { openSolanaSendNodes } from '@/lib/networks/families/solana/sending/nodes';

/** Two requests if each owner has one account besides the usual one. */
const MAX = 100;
/**
 * Limit where the accounts of each owner are listed: ten seconds of requests on a plan of ten per second, so that other steps are not
 * delayed.
 */
const MAX_LISTED = 20;

const lamports = z.object({ value: z.number().int().nonnegative() });

/**
 * Opens the reader. No request is sent before the first call. `forCompleteness` lists each owner's token accounts, one request
 * per owner and token, so that money in an unknown account counts too.
 */
export function openSolanaBalances(options: SendOptions & BalanceOptions): BalanceReader {
  const { spec } = options;
  const currencies = Object.keys(spec.tokens);
  const deriver = openAccountDeriver(Object.values(spec.tokens).map(({ contract }) => contract));
  const endpoints = openSolanaSendNodes(options);
  return {
    most: options.forCompleteness ? MAX_LISTED : MAX,
    async tokens(holdings, currency) {
      const mint = spec.tokens[currency]?.contract;
      if (mint === undefined) throw new Error(`${spec.network} has no ${currency}`);
      const place = currencies.indexOf(currency);
      const accounts = await accountsOf(deriver, { holdings, currency, mint, place });
      const listed = options.forCompleteness ? { spec, mint } : null;
      const votes = await endpoints.all((node) => readTokens(node, holdings, accounts, listed), options);
      return balancesOf(votes, endpoints.needed, options);
    },
    feeCoin: (address) =>
      endpoints.draft(async (node) => {
        const params = [address, { commitment: 'finalized' }];
        const { value } = await node.rpc.call({ method: 'getBalance', params, shape: lamports });
        return { amount: BigInt(value), stake: null };
      }),
  };
}

type RequestFacts = {
  readonly holdings: readonly BalanceRequest[];
  readonly currency: string;
  readonly mint: string;
  /** Position of the token among those that accounts are derived for. */
  readonly place: number;
};

/** The accounts to read, without duplicates. Throws an Error for an invalid address. */
async function accountsOf(
  deriver: AccountDeriver,
  { holdings, currency, mint, place }: RequestFacts,
): Promise<WatchedAccount[]> {
  const derived = await deriver.accountsOf(holdings.map(({ address }) => address));
  const found = new Map<string, WatchedAccount>();
  for (const { address: owner, accounts = [] } of holdings) {
    const usual = derived.get(owner)?.[place];
    if (usual === undefined) throw new Error('not a Solana address');
    for (const account of [usual, ...accounts]) found.set(account, { account, owner, mint, currency, cursor: null });
  }
  return [...found.values()];
}

async function readTokens(
  node: SolanaNode,
  holdings: readonly BalanceRequest[],
  known: readonly WatchedAccount[],
  listed: { readonly spec: NetworkSpec; readonly mint: string } | null,
): Promise<ReadonlyMap<string, Vote>> {
  const { final } = await readHead(node);
  const at = { commitment: 'finalized', minSlot: final.number } as const;
  const own = listed ? await listedAccounts(node, holdings, listed, at) : [];
  const amounts = new Map(own.map(({ watched, amount }) => [watched.account, amount]));
  const all = [...own.map(({ watched }) => watched), ...known];
  const accounts = [...new Map(all.map((one) => [one.account, one])).values()];
  const states = await readStates(node, accounts, at);
  const last = states.reduce((slot, one) => Math.max(slot, one.slot), final.number);
  const through: BlockRef = await requireBlock(node, last, 'finalized');
  const sums = new Map(holdings.map(({ address }) => [address, 0n]));
  for (const { watched, amount } of states) {
    // Two methods of the node read it; one reports what the other hides.
    const held = max(amount, amounts.get(watched.account) ?? 0n);
    sums.set(watched.owner, (sums.get(watched.owner) ?? 0n) + held);
  }
  if (states.length !== accounts.length)
    throw new ChainError('unavailable', `${node.name} does not report every balance`);
  return new Map([...sums].map(([address, amount]) => [address, { amount, from: final, through, by: node.name }]));
}

async function listedAccounts(
  node: SolanaNode,
  holdings: readonly BalanceRequest[],
  { spec, mint }: { readonly spec: NetworkSpec; readonly mint: string },
  at: { readonly commitment: Commitment; readonly minSlot: number },
): Promise<AccountState[]> {
  const found = await mapBounded(holdings, ({ address }) => accountsOfOwner(node, spec, address, at));
  return found.flat().filter(({ watched }) => watched.mint === mint);
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
