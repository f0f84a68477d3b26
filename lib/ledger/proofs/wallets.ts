// What the installation's own wallets of a network hold at one block. TRON and Solana report no balance at a block of the past, so the
// wallets are read before and after the books: if no amount changed and the block of the books lies between both readings, it is the
// amount at that block.

import { ChainError } from '@/lib/networks/chain';
import type { BalanceReader } from '@/lib/networks/endpoints/balances-reader';
import { FAMILIES } from '@/lib/networks/families/family';
import { directWallets } from '@/lib/networks/direct-settlement';
import type { FollowedChain } from '@/lib/networks/registry';
import { resolveTreasuries, treasuryWallets, type RefundWallets } from '@/lib/networks/treasury-wallets';
import { coldWallets, isSameChain } from '@/lib/networks/wallet-levels';
import { formerWallets, readWalletReadings } from '@/lib/ledger/reconciliation/former-wallets';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { ChainBlock } from './books';

type Place = 'refund_wallet' | 'treasury' | 'cold';
export type Wallet = { readonly place: Place; readonly address: string };

/** `amounts`: base units by token, for each wallet. All are of blocks from `from` to `through`. */
export type Reading = {
  readonly from: number;
  readonly through: number;
  readonly amounts: ReadonlyMap<string, Readonly<Partial<Record<Place, bigint>>>>;
};

/**
 * Why the wallets of a network are not in a proof. `unreachable`: too few endpoints answered. `behind`: the watcher has not read up to the
 * block of the wallets. `moving`: an amount changed, or endpoints disagree about it. `not_followed`: the installation does not read it.
 */
export type Unread = 'unreachable' | 'behind' | 'moving' | 'not_followed';

export type ChainReader = { readonly chain: FollowedChain; readonly reader: Pick<BalanceReader, 'tokens'> };

/**
 * The wallets of a network; one that has two purposes is named once, and one that is the merchant's own is not. `former`: refund wallets of
 * before that still count (readFormer).
 */
export function walletsOf(
  config: Pick<Config, 'DIRECT_SETTLEMENT' | 'TREASURY_WALLETS' | 'COLD_WALLETS' | 'TEST_CHAINS'>,
  { spec }: Pick<FollowedChain, 'spec'>,
  refundWallets: RefundWallets,
  former: readonly string[] = [],
): readonly Wallet[] {
  const named = treasuryWallets(config.TREASURY_WALLETS).filter((one) => isSameChain(one.spec, spec));
  const treasury = resolveTreasuries(named, refundWallets).find(({ isRefundWallet }) => !isRefundWallet);
  const cold = coldWallets(config.COLD_WALLETS).find((one) => isSameChain(one.spec, spec));
  const all: readonly (Wallet | null)[] = [
    {
      place: 'refund_wallet',
      address: FAMILIES[spec.family].storedAddress(refundWallets[spec.environment][spec.family]),
    },
    treasury && !isDirect(config, spec) ? { place: 'treasury', address: treasury.address } : null,
    cold ? { place: 'cold', address: cold.address } : null,
    ...former.map((address) => ({ place: 'refund_wallet' as const, address })),
  ];
  const wallets = all.filter((one) => one !== null);
  return wallets.filter(({ address }, at) => wallets.findIndex((one) => one.address === address) === at);
}

/** Addresses of former refund wallets that still hold a token, or that money of the cold wallet goes to. */
export async function readFormer(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  { chainId, spec }: { readonly chainId: number; readonly spec: FollowedChain['spec'] },
  refundWallets: RefundWallets,
): Promise<readonly string[]> {
  const { storedAddress } = FAMILIES[spec.family];
  const present = refundWallets[spec.environment][spec.family];
  const found = new Set<string>();
  for (const currency of Object.keys(spec.tokens)) {
    const readings = await readWalletReadings(pool, { chainId, currency });
    for (const { address } of formerWallets(readings, present, { config, spec })) found.add(storedAddress(address));
  }
  return [...found];
}

/** Whether what is swept on the network is the merchant's from then on. */
export const isDirect = (
  config: Parameters<typeof directWallets>[0],
  { environment, network }: FollowedChain['spec'],
): boolean => directWallets(config, environment).some((one) => one.network === network);

/** The present reading, or why the wallets could not be read. */
export async function readWallets(
  { chain, reader }: ChainReader,
  wallets: readonly Wallet[],
  genesis: string,
): Promise<Reading | Unread> {
  const amounts = new Map<string, Partial<Record<Place, bigint>>>();
  const blocks: number[] = [];
  const throughs: number[] = [];
  try {
    // Another chain behind the same endpoints, such as a local one that was started anew.
    if ((await chain.adapter.genesis()) !== genesis) return 'behind';
    for (const currency of Object.keys(chain.spec.tokens)) {
      const found = await reader.tokens(
        wallets.map(({ address }) => ({ address })),
        currency,
      );
      const held: Partial<Record<Place, bigint>> = {};
      for (const { place, address } of wallets) {
        const one = found.get(address);
        if (!one) return 'moving';
        held[place] = (held[place] ?? 0n) + one.amount;
        blocks.push(one.from.number);
        throughs.push(one.through.number);
      }
      amounts.set(currency, held);
    }
  } catch (error) {
    if (error instanceof ChainError) return 'unreachable';
    throw error;
  }
  return { from: Math.min(...blocks), through: Math.max(...throughs), amounts };
}

/**
 * The amounts at the block of the books, by two readings: one from before the books, one from after them. The blocks of a reading are a
 * range, and an amount may be of any block in it, so the block of the books must not lie inside either range.
 */
export function amountsAt(
  { number }: Pick<ChainBlock, 'number'>,
  before: Reading | Unread,
  after: Reading | Unread,
): Reading['amounts'] | Unread {
  if (typeof before === 'string') return before;
  if (typeof after === 'string') return after;
  if (number < before.through || number > after.from) return 'behind';
  const isStill = [...before.amounts].every(([currency, held]) =>
    Object.entries(held).every(([place, amount]) => after.amounts.get(currency)?.[place as Place] === amount),
  );
  return isStill ? after.amounts : 'moving';
}
