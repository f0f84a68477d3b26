// Why nothing is swept on a network now, and the wallets of its sweeps: one row per network for operators, alarms and the doctor.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { EnergyReading, SignerSweeps } from './context';
import type { SweepHold } from './reasons';

type Place = { readonly environment: Environment; readonly network: string };

/** `delegates`: the last one, and those of former treasuries. */
export type StoredState = {
  readonly isPaused: boolean;
  readonly coinReadAt: Date | null;
  readonly delegates: readonly string[];
};

export async function readState(db: Db, { environment, network }: Place): Promise<StoredState> {
  const { rows } = await db.query<{ paused: boolean; read_at: Date; coin: string | null; delegates: string[] }>({
    name: 'sweep-state',
    text: `SELECT paused_at IS NOT NULL AS paused, read_at, coin, delegate || former_delegates AS delegates
           FROM sweep_states WHERE environment = $1::"Environment" AND network = $2`,
    values: [environment, network],
  });
  const [row] = rows;
  const coinReadAt = row && row.coin !== null ? row.read_at : null;
  return { isPaused: row?.paused ?? false, coinReadAt, delegates: row?.delegates ?? [] };
}

/** The tokens whose issuer blocks the treasury (lib/treasury/own-wallets): what is swept there may stay there. */
export async function blockedTokens(db: Db, { environment, network }: Place): Promise<readonly string[]> {
  const { rows } = await db.query<{ currency: string }>({
    name: 'sweep-treasury-blocked',
    text: `SELECT DISTINCT unnest(blocked) AS currency FROM own_wallets WHERE environment = $1::"Environment" AND network = $2
             AND gone_at IS NULL AND 'treasury' = ANY (roles)`,
    values: [environment, network],
  });
  return rows.map(({ currency }) => currency);
}

/** A reason that leaves what is known about the wallets as it is. */
export async function storeHold(db: Db, { environment, network }: Place, hold: SweepHold): Promise<void> {
  await db.query({
    name: 'sweep-state-hold',
    text: `UPDATE sweep_states SET hold = $3
           WHERE environment = $1::"Environment" AND network = $2 AND hold IS DISTINCT FROM $3`,
    values: [environment, network, hold],
  });
}

/** `coin`: of the sponsor, in its smallest unit, or null if it was not read now. The energy is stored with it. */
export async function storeState(
  db: Db,
  { environment, network }: Place,
  state: {
    readonly wallets: SignerSweeps;
    readonly coin: bigint | null;
    /** Null where it is not read. */
    readonly energy: EnergyReading | null;
    readonly hold: SweepHold | null;
    readonly now: Date;
  },
): Promise<void> {
  const { wallets, coin, energy, hold, now } = state;
  await db.query({
    name: 'sweep-state-store',
    text: `INSERT INTO sweep_states AS s (environment, network, treasury, sponsor, delegate, coin, fees_per_hour, fees_last_hour, hold, read_at,
             energy, energy_read_at)
           VALUES ($1::"Environment", $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
           ON CONFLICT (environment, network) DO UPDATE SET treasury = EXCLUDED.treasury, sponsor = EXCLUDED.sponsor,
             delegate = EXCLUDED.delegate,
             former_delegates = CASE WHEN s.delegate IS NOT DISTINCT FROM EXCLUDED.delegate THEN s.former_delegates
               ELSE array_remove(array_remove(s.former_delegates, EXCLUDED.delegate) || s.delegate, NULL) END,
             coin = coalesce(EXCLUDED.coin, CASE WHEN s.sponsor = EXCLUDED.sponsor THEN s.coin END),
             energy = coalesce(EXCLUDED.energy, CASE WHEN s.sponsor = EXCLUDED.sponsor THEN s.energy END),
             energy_read_at = coalesce(EXCLUDED.energy_read_at, CASE WHEN s.sponsor = EXCLUDED.sponsor THEN s.energy_read_at END),
             fees_per_hour = EXCLUDED.fees_per_hour, fees_last_hour = EXCLUDED.fees_last_hour, hold = EXCLUDED.hold,
             read_at = CASE WHEN EXCLUDED.coin IS NULL THEN s.read_at ELSE EXCLUDED.read_at END
           WHERE EXCLUDED.coin IS NOT NULL OR (s.hold, s.treasury, s.sponsor, s.delegate, s.fees_last_hour)
             IS DISTINCT FROM (EXCLUDED.hold, EXCLUDED.treasury, EXCLUDED.sponsor, EXCLUDED.delegate, EXCLUDED.fees_last_hour)`,
    values: [
      environment,
      network,
      wallets.treasury,
      wallets.active,
      wallets.delegate,
      coin?.toString() ?? null,
      wallets.feesPerHour,
      wallets.feesLastHour,
      hold,
      now,
      energy?.left.toString() ?? null,
      energy?.readAt ?? null,
    ],
  });
}
