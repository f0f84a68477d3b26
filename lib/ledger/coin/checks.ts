// What operators see of the comparison of coins (compare.ts).

import type { Db } from '@/lib/platform/database/db';

/** Since the first comparison, in the coin's smallest unit. */
export type CoinCheck = {
  readonly chainId: number;
  readonly address: string;
  readonly since: Date;
  /** What came to the wallet and what left it without a transaction of ours. */
  readonly came: bigint;
  readonly went: bigint;
};

export async function readCoinChecks(db: Db): Promise<readonly CoinCheck[]> {
  const { rows } = await db.query<Omit<CoinCheck, 'came' | 'went'> & { readonly came: string; readonly went: string }>({
    name: 'coin-checks',
    text: `SELECT k.chain_id AS "chainId", k.address, k.since, k.came::text AS came, k.went::text AS went
           FROM coin_checks k JOIN chains c ON c.id = k.chain_id AND c.retired_at IS NULL ORDER BY k.chain_id, k.address`,
    values: [],
  });
  return rows.map((row) => ({ ...row, came: BigInt(row.came), went: BigInt(row.went) }));
}
