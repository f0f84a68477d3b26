// Final token balances on Solana: the associated account of each owner and whichever other accounts are known of it, a hundred
// accounts a request, as of a slot that the node tells.

import { z } from 'zod';
import { agreeOnBalances, type BalanceReader, type Held, type Holding } from '../balances-reader';
import { ChainError, type BlockRef } from '../chain';
import type { SendOptions } from '../send-endpoints';
import { readStates, type WatchedAccount } from './accounts';
import { openAccountDeriver, type AccountDeriver } from './address';
import { readHead, requireBlock, type SolanaNode } from './node';
import { openSolanaSendNodes } from './send-nodes';

/** Two requests when each owner has another account besides the usual one. */
const MOST = 100;

const lamports = z.object({ value: z.number().int().nonnegative() });

/** Opens the reader. Nothing is asked of the endpoints before the first call. */
export function openSolanaBalances(options: SendOptions): BalanceReader {
  const { spec } = options;
  const currencies = Object.keys(spec.tokens);
  const deriver = openAccountDeriver(Object.values(spec.tokens).map(({ contract }) => contract));
  const endpoints = openSolanaSendNodes(options);
  return {
    most: MOST,
    async tokens(holdings, currency) {
      const mint = spec.tokens[currency]?.contract;
      if (mint === undefined) throw new Error(`${spec.network} has no ${currency}`);
      const place = currencies.indexOf(currency);
      const accounts = await accountsOf(deriver, { holdings, currency, mint, place });
      const votes = await endpoints.all((node) => readTokens(node, holdings, accounts));
      return agreeOnBalances(votes, endpoints.needed);
    },
    feeCoin: (address) =>
      endpoints.draft(async (node) => {
        const params = [address, { commitment: 'finalized' }];
        return BigInt((await node.rpc.call({ method: 'getBalance', params, shape: lamports })).value);
      }),
  };
}

type Asked = {
  readonly holdings: readonly Holding[];
  readonly currency: string;
  readonly mint: string;
  /** Of the token among those that accounts are derived for. */
  readonly place: number;
};

/** The accounts to read, each once. Throws an Error for an address that is none. */
async function accountsOf(
  deriver: AccountDeriver,
  { holdings, currency, mint, place }: Asked,
): Promise<WatchedAccount[]> {
  const derived = await deriver.accountsOf(holdings.map(({ address }) => address));
  const found = new Map<string, WatchedAccount>();
  for (const { address: owner, accounts = [] } of holdings) {
    const usual = derived.get(owner)?.[place];
    if (usual === undefined) throw new Error('not a Solana address');
    for (const account of [usual, ...accounts]) found.set(account, { account, owner, mint, currency, mark: null });
  }
  return [...found.values()];
}

async function readTokens(
  node: SolanaNode,
  holdings: readonly Holding[],
  accounts: readonly WatchedAccount[],
): Promise<ReadonlyMap<string, Held>> {
  const { final } = await readHead(node);
  const states = await readStates(node, accounts, { commitment: 'finalized', minSlot: final.number });
  const last = states.reduce((slot, one) => Math.max(slot, one.slot), final.number);
  const through: BlockRef = await requireBlock(node, last, 'finalized');
  const sums = new Map(holdings.map(({ address }) => [address, 0n]));
  for (const { watched, amount } of states) sums.set(watched.owner, (sums.get(watched.owner) ?? 0n) + amount);
  if (states.length !== accounts.length)
    throw new ChainError('unavailable', `${node.name} does not tell every balance`);
  return new Map([...sums].map(([address, amount]) => [address, { amount, from: final, through }]));
}
