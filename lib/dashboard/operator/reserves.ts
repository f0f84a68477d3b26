// The page Reserves: what the chains hold beside what is owed, for each token of each network, as decimal texts.

import { heldTotal, readReserves, type Held, type Reserve } from '@/lib/ledger/proofs/reserves';
import { minorUnitsToText } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { coldWallets, type ColdWallet } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { shortAmount } from './amounts';

/** An amount with the block up to which it was read. */
type At = { readonly amount: string; readonly block: number };

export type ReserveRow = {
  readonly network: string;
  readonly currency: string;
  readonly deposits: At;
  /** Null: not read yet. */
  readonly refundWallet: At | null;
  /** 'none': the network has no treasury wallet but the refund wallet. */
  readonly treasury: At | 'none' | null;
  /** 'none': the network has no cold wallet. */
  readonly cold: At | 'none' | null;
  readonly held: string;
  readonly owed: string;
  /** What is missing to cover what is owed; null if nothing is. */
  readonly missing: string | null;
};

export async function readReserveRows(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  environment: Environment,
): Promise<readonly ReserveRow[]> {
  const reserves = await readReserves(pool, environment, config);
  const unread = unreadPlaces(config, environment);
  return reserves.flatMap((one) => {
    const decimals = networkSpec(environment, one.network, config.TEST_CHAINS)?.tokens[one.currency]?.decimals;
    if (decimals === undefined) return [];
    const [row, places] = [rowOf(one, decimals), unread(one.network)];
    return [{ ...row, treasury: row.treasury ?? places.treasury, cold: row.cold ?? places.cold }];
  });
}

/** What a network shows of these wallets before they were read. */
export function unreadPlaces(
  config: Context['config'],
  environment: Environment,
): (network: string) => { readonly treasury: null | 'none'; readonly cold: null | 'none' } {
  const treasuries = treasuryWallets(config.TREASURY_WALLETS).filter(({ address }) => address !== REFUND_WALLET_NAME);
  // One that is the treasury too is read as that.
  const cold = coldWallets(config.COLD_WALLETS).filter(
    (one) => !treasuries.some(({ address }) => address === one.address),
  );
  const unread = (named: readonly Pick<ColdWallet, 'spec'>[], network: string): null | 'none' =>
    named.some(({ spec }) => spec.environment === environment && spec.network === network) ? null : 'none';
  return (network) => ({ treasury: unread(treasuries, network), cold: unread(cold, network) });
}

function rowOf(reserve: Reserve, decimals: number): ReserveRow {
  const { network, currency, deposits, refundWallet, treasury, cold, owed } = reserve;
  const text = (amount: bigint): string => shortAmount(amount, decimals);
  const at = (held: Held): At | null => held && { amount: text(held.amount), block: held.block };
  const held = heldTotal(reserve);
  return {
    network,
    currency,
    deposits: { amount: text(deposits.amount), block: deposits.block },
    refundWallet: at(refundWallet),
    treasury: at(treasury),
    cold: at(cold),
    held: text(held),
    owed: text(owed),
    missing: held < owed ? minorUnitsToText(owed - held, decimals) : null,
  };
}
