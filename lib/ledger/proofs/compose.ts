// The text that the worker signs: for each network the block, and for each token what the chains hold, what is owed to all stores, and the
// root of the tree that commits to each store's part. docs/snippets/verify-reserves.mjs reads it.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Environment } from '@/lib/platform/ids';
import type { AssetBooks, Books, ChainBlock } from './books';
import { commitTo, FORMAT, type StoreLeaves } from './liabilities';
import type { SumTree } from './tree';
import type { Reading, Unread, Wallet } from './wallets';

/** Amounts are base units as text. Null: the network has no such wallet. */
type HeldText = {
  readonly deposits: string;
  readonly refund_wallet: string;
  readonly treasury: string | null;
  readonly cold: string | null;
  readonly total: string;
};
export type TokenText = {
  readonly currency: string;
  /** Null for a token of a network that this installation no longer knows. */
  readonly decimals: number | null;
  readonly owed: string;
  readonly root: string;
  readonly depth: number;
  /** Null while the network could not be read. */
  readonly held: HeldText | null;
};
export type NetworkText = {
  readonly network: string;
  readonly chain: string | null;
  readonly block: { readonly number: number; readonly hash: string } | null;
  readonly unread: Unread | null;
  /** The treasury is the merchant's own wallet: what was swept to it has arrived, and counts whatever the wallet still holds. */
  readonly direct_settlement?: true;
  /** The addresses behind the amounts that are held, except for deposit addresses. Empty while the network could not be read. */
  readonly wallets: readonly Wallet[];
  readonly tokens: readonly TokenText[];
};
export type Statement = {
  readonly format: typeof FORMAT;
  readonly environment: Environment;
  readonly made_at: string;
  readonly networks: readonly NetworkText[];
};

export type Commitment = {
  readonly network: string;
  readonly currency: string;
  readonly tree: SumTree;
  readonly stores: readonly StoreLeaves[];
};

export type NetworkFacts = {
  readonly spec: NetworkSpec | null;
  readonly network: string;
  readonly block: ChainBlock | null;
  readonly wallets: Reading['amounts'] | Unread;
  /** The wallets that were read. */
  readonly places: readonly Wallet[];
  readonly isDirect: boolean;
};

/** `commitments`: the trees with the stores' leaves, in the order of the text. */
export async function composeStatement(
  environment: Environment,
  { at, assets }: Books,
  networks: readonly NetworkFacts[],
): Promise<{ readonly statement: Statement; readonly commitments: readonly Commitment[] }> {
  const commitments: Commitment[] = [];
  const texts: NetworkText[] = [];
  for (const facts of networks) {
    const tokens: TokenText[] = [];
    for (const books of tokensOf(facts, assets)) {
      // A tree of thousands of stores takes a while, and other steps run in this process.
      await new Promise(setImmediate);
      const { network, currency } = books;
      const { tree, stores } = commitTo({ environment, network, currency }, books.debts);
      commitments.push({ network, currency, tree, stores });
      tokens.push({
        currency,
        decimals: facts.spec?.tokens[currency]?.decimals ?? null,
        owed: tree.sum.toString(),
        root: tree.root,
        depth: tree.depth,
        held: typeof facts.wallets === 'string' ? null : heldText(books, facts.wallets, facts.isDirect),
      });
    }
    const isUnread = typeof facts.wallets === 'string';
    texts.push({
      network: facts.network,
      chain: facts.spec?.chain ?? null,
      block: isUnread || !facts.block ? null : { number: facts.block.number, hash: facts.block.hash },
      unread: isUnread ? facts.wallets : null,
      ...(facts.isDirect && { direct_settlement: true }),
      wallets: isUnread ? [] : facts.places,
      tokens,
    });
  }
  const statement: Statement = { format: FORMAT, environment, made_at: at.toISOString(), networks: texts };
  return { statement, commitments };
}

/** The network's own tokens, and others that are still owed. */
function tokensOf({ spec, network }: NetworkFacts, assets: readonly AssetBooks[]): readonly AssetBooks[] {
  const here = assets.filter((one) => one.network === network);
  const currencies = new Set([...Object.keys(spec?.tokens ?? {}), ...here.map(({ currency }) => currency)]);
  return [...currencies].map(
    (currency) =>
      here.find((one) => one.currency === currency) ?? { network, currency, deposits: 0n, delivered: 0n, debts: [] },
  );
}

function heldText(
  { currency, deposits, delivered }: AssetBooks,
  amounts: Reading['amounts'],
  isDirect: boolean,
): HeldText {
  const { refund_wallet: refundWallet = 0n, cold, ...read } = amounts.get(currency) ?? {};
  const treasury = isDirect ? delivered : read.treasury;
  return {
    deposits: deposits.toString(),
    refund_wallet: refundWallet.toString(),
    treasury: treasury?.toString() ?? null,
    cold: cold?.toString() ?? null,
    total: (deposits + refundWallet + (treasury ?? 0n) + (cold ?? 0n)).toString(),
  };
}
