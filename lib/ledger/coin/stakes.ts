// The stakes of our wallets as they were read last. The coin step books their changes (facts.ts), because the operator stakes with the
// wallet's key elsewhere: there is no row of a transaction. One endpoint reports a stake, as it reports the coin. A false report shows a
// wrong stake and moves coin between two accounts of the same wallet until the next reading, and touches no token.

import type { Stake } from '@/lib/networks/endpoints/balances-reader';
import type { Db } from '@/lib/platform/database/db';

/** A wallet that is not read for this long is no longer one of ours. */
const SHOWN = `interval '1 day'`;

export type StakeReading = {
  readonly chainId: number;
  readonly address: string;
  /** In the coin's smallest unit. */
  readonly stake: Stake;
  /** When it was read, to the millisecond: the reading of the wallet's coin from the same response has the same time. */
  readonly readAt: Date;
};

/** Stores a reading, unless a newer one is there. */
export async function storeStake(db: Db, { chainId, address, stake, readAt }: StakeReading): Promise<void> {
  await db.query({
    name: 'coin-stake-store',
    text: `INSERT INTO coin_stakes AS s (chain_id, address, staked, unstaking, withdrawable_at, read_at) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (chain_id, address) DO UPDATE SET staked = EXCLUDED.staked, unstaking = EXCLUDED.unstaking,
             withdrawable_at = EXCLUDED.withdrawable_at, read_at = EXCLUDED.read_at WHERE EXCLUDED.read_at > s.read_at`,
    values: [
      ...[chainId, address, stake.staked.toString(), stake.unstaking.toString()],
      ...[stake.withdrawableAt, readAt],
    ],
  });
}

/** Of the wallets that have staked or unstaked something, and are still read. */
export async function readStakes(db: Db, now: Date): Promise<readonly Omit<StakeReading, 'readAt'>[]> {
  const { rows } = await db.query<{
    chain_id: number;
    address: string;
    staked: string;
    unstaking: string;
    withdrawable_at: Date | null;
  }>({
    name: 'coin-stakes',
    text: `SELECT s.chain_id, s.address, s.staked::text AS staked, s.unstaking::text AS unstaking, s.withdrawable_at
           FROM coin_stakes s JOIN chains c ON c.id = s.chain_id AND c.retired_at IS NULL
           WHERE s.staked + s.unstaking > 0 AND s.read_at > $1::timestamptz - ${SHOWN} ORDER BY s.chain_id, s.address`,
    values: [now],
  });
  return rows.map(({ chain_id: chainId, address, staked, unstaking, withdrawable_at: withdrawableAt }) => ({
    ...{ chainId, address },
    stake: { staked: BigInt(staked), unstaking: BigInt(unstaking), withdrawableAt },
  }));
}
