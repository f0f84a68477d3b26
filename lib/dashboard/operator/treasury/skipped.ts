// Deposit addresses that the last sweep did not move: why, and when the next one may try. A few of each chain, the most serious first.

import { displayAddress } from '@/lib/networks/payment-uri';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { Context } from '@/lib/platform/context';
import type { SweepReport } from '@/lib/sweeps/report/read';

export type SkippedAddress = {
  readonly chainId: number;
  readonly address: string;
  readonly currency: string;
  /** Decimal text. */
  readonly amount: string;
  /** A code of lib/sweeps/reasons.ts. */
  readonly reason: string;
  /** Sweeps in a row that did not move it. */
  readonly skips: number;
  readonly nextAt: Date | null;
  readonly storeId: string;
  readonly sessionId: string;
};

/** Of each chain. */
const SKIPPED_SHOWN = 20;

type Row = Omit<SkippedAddress, 'amount'> & { readonly amount: string; readonly decimals: number };

export async function readSkipped(
  { pool }: Pick<Context, 'pool'>,
  reports: readonly Pick<SweepReport, 'chainId' | 'spec'>[],
): Promise<readonly SkippedAddress[]> {
  const followed = reports.flatMap(({ chainId, spec }) => (chainId === null ? [] : [{ chainId, spec }]));
  if (followed.length === 0) return [];
  const { rows } = await pool.query<Row>({
    name: 'operator-skipped-addresses',
    text: `SELECT d.chain_id AS "chainId", d.address, d.currency, d.decimals, d.amount::text AS amount, d.skip_reason AS reason, d.skips,
             d.not_before AS "nextAt", s.store_id AS "storeId", d.session_id AS "sessionId"
           FROM unnest($1::int[]) AS w (chain_id) CROSS JOIN LATERAL (
             SELECT * FROM deposit_balances b WHERE b.chain_id = w.chain_id AND b.skip_reason IS NOT NULL AND b.amount > 0
             ORDER BY b.skip_reason <> 'foreign_delegation', b.amount DESC, b.address LIMIT ${SKIPPED_SHOWN}) d
           JOIN sessions s ON s.id = d.session_id
           ORDER BY d.chain_id, d.skip_reason <> 'foreign_delegation', d.amount DESC, d.address`,
    values: [followed.map(({ chainId }) => chainId)],
  });
  return rows.map(({ decimals, ...row }) => {
    const family = followed.find(({ chainId }) => chainId === row.chainId)?.spec.family ?? 'evm';
    return {
      ...row,
      address: displayAddress(family, row.address),
      amount: minorUnitsToText(BigInt(row.amount), decimals),
    };
  });
}
