// The page Reserves: what the chains hold beside what is owed, for each token of each network, as decimal texts.

import { heldTotal, readReserves, type Held, type Reserve } from '@/lib/ledger/reserves';
import { minorUnitsToText } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
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
  readonly treasury: At | null;
  /** By the ledger. */
  readonly cold: string;
  readonly held: string;
  readonly owed: string;
  /** What is missing to cover what is owed; null if nothing is. */
  readonly missing: string | null;
};

export async function readReserveRows(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  environment: Environment,
): Promise<readonly ReserveRow[]> {
  const reserves = await readReserves(pool, environment);
  return reserves.flatMap((one) => {
    const decimals = networkSpec(environment, one.network, config.TEST_CHAINS)?.tokens[one.currency]?.decimals;
    return decimals === undefined ? [] : [rowOf(one, decimals)];
  });
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
    cold: text(cold),
    held: text(held),
    owed: text(owed),
    missing: held < owed ? minorUnitsToText(owed - held, decimals) : null,
  };
}
