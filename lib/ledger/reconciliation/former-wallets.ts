// Former refund wallets. The books have one account for each network and token, not for each wallet, so a former wallet counts beside the
// present one until it is empty. Its rows in `wallet_balances` keep the time at which it was the present one: the newest names the present.

import type { FinalBalance } from '@/lib/networks/endpoints/balances-reader';
import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkSpec } from '@/lib/networks/networks';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { coldWallets, isSameChain } from '@/lib/networks/wallet-levels';
import type { Config } from '@/lib/platform/config/config';
import type { Db, Tx } from '@/lib/platform/database/db';

/**
 * A reading of a wallet that was the refund wallet at some time. `isAwaited`: a transfer from the cold wallet goes to it, or has arrived since,
 * so it counts also if it was empty.
 */
type Reading = { readonly address: string; readonly amount: string; readonly isAwaited?: boolean };

/**
 * Of `readings`, those of former wallets that are not empty, or that a transfer from the cold wallet goes to. An address that is the
 * treasury or the cold wallet by now has an account of its own. Addresses are compared as they are stored: a signer may spell the same one
 * otherwise.
 */
export function formerWallets<One extends Reading>(
  readings: readonly One[],
  wallet: string,
  { config, spec }: { readonly config: Pick<Config, 'TREASURY_WALLETS' | 'COLD_WALLETS'>; readonly spec: NetworkSpec },
): readonly One[] {
  const { storedAddress } = FAMILIES[spec.family];
  const others = namedWallets(config, spec).map(({ address }) => address);
  const seen = new Set([storedAddress(wallet), ...others]);
  return readings.filter(({ address, amount, isAwaited = false }) => {
    const stored = storedAddress(address);
    const isFormer = (BigInt(amount) > 0n || isAwaited) && !seen.has(stored);
    seen.add(stored);
    return isFormer;
  });
}

/** A former refund wallet that a setting names for another purpose. */
export type NamedWallet = { readonly address: string; readonly setting: 'TREASURY_WALLETS' | 'COLD_WALLETS' };

/** Of `readings`, the former wallets that were not empty and that the settings name as the treasury or the cold wallet by now. */
export function namedTooEarly(
  readings: readonly Reading[],
  wallet: string,
  { config, spec }: { readonly config: Pick<Config, 'TREASURY_WALLETS' | 'COLD_WALLETS'>; readonly spec: NetworkSpec },
): readonly NamedWallet[] {
  const { storedAddress } = FAMILIES[spec.family];
  const named = namedWallets(config, spec);
  return readings.flatMap(({ address, amount }) => {
    const setting = named.find((one) => one.address === storedAddress(address))?.setting;
    const isFormer = storedAddress(address) !== storedAddress(wallet) && BigInt(amount) > 0n;
    return setting && isFormer ? [{ address, setting }] : [];
  });
}

/** What the operator has to do about wallets that were named too early. */
export const namedFinding = (named: readonly NamedWallet[]): { readonly message: string; readonly todo: string } => ({
  message: `${named.map(({ address, setting }) => `${setting} names the former refund wallet ${address}`).join(', and ')}, which was not empty`,
  todo: 'Take it out of that setting and restart the worker, until you have moved its tokens to the refund wallet.',
});

function namedWallets(
  { TREASURY_WALLETS, COLD_WALLETS }: Pick<Config, 'TREASURY_WALLETS' | 'COLD_WALLETS'>,
  spec: NetworkSpec,
): readonly NamedWallet[] {
  const all = [
    ...treasuryWallets(TREASURY_WALLETS).map((one) => ({ ...one, setting: 'TREASURY_WALLETS' as const })),
    ...coldWallets(COLD_WALLETS).map((one) => ({ ...one, setting: 'COLD_WALLETS' as const })),
  ];
  return all.filter((one) => isSameChain(one.spec, spec)).map(({ address, setting }) => ({ address, setting }));
}

/** What was last read of all wallets of a chain, the newest first. */
export async function readWalletReadings(
  db: Db,
  { chainId, currency }: { readonly chainId: number; readonly currency: string },
): Promise<readonly Reading[]> {
  const { rows } = await db.query<Reading>({
    name: 'wallet-readings',
    text: `SELECT w.address, w.amount::text AS amount, EXISTS (SELECT FROM cold_returns r
             WHERE r.chain_id = w.chain_id AND r.recipient = w.address AND r.currency = w.asset
               AND (r.signed_at IS NOT NULL OR r.account IS NOT NULL) AND (r.ended_at IS NULL OR (r.outcome = 'landed' AND r.ended_at > w.read_at)))
             AS "isAwaited"
           FROM wallet_balances w WHERE w.chain_id = $1 AND w.asset = $2 ORDER BY w.read_at DESC`,
    values: [chainId, currency],
  });
  return rows;
}

/** The wallets as one balance, of the blocks from the first through the last reading. Null if one of them could not be read. */
export function heldTogether(
  found: ReadonlyMap<string, FinalBalance>,
  wallets: readonly string[],
): FinalBalance | null {
  const held = wallets.flatMap((address) => found.get(address) ?? []);
  if (held.length < wallets.length) return null;
  return held.reduce((sum, one) => ({
    amount: sum.amount + one.amount,
    from: sum.from.number <= one.from.number ? sum.from : one.from,
    through: sum.through.number >= one.through.number ? sum.through : one.through,
  }));
}

/** Stores what a former wallet holds. One that is empty is not read again. */
export async function storeFormer(
  tx: Tx,
  { chainId, currency }: { readonly chainId: number; readonly currency: string },
  { address, amount, through }: Pick<FinalBalance, 'amount' | 'through'> & { readonly address: string },
): Promise<void> {
  await tx.query({
    name: 'wallet-former-keep',
    text: `UPDATE wallet_balances SET amount = $4, block_number = $5, unexplained = 0 WHERE chain_id = $1 AND asset = $2 AND address = $3`,
    values: [chainId, currency, address, amount.toString(), through.number],
  });
}
