// Discrepancies between the ledger and a chain: stored when found, and closed when they no longer exist or an operator
// has explained them. At most one is open per chain, address and token.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { postFunding } from '@/lib/ledger/post-refund';
import type { Place } from '@/lib/ledger/reconciliation/report-discrepancy';

export type Discrepancy = {
  readonly id: string;
  readonly environment: Environment;
  readonly network: string;
  readonly chainId: number;
  readonly currency: string;
  /** The refund wallet or a deposit address. */
  readonly address: string;
  /** Base units according to the ledger and on the chain. */
  readonly expected: bigint;
  readonly found: bigint;
  readonly foundAt: Date;
  readonly endedAt: Date | null;
  readonly note: string | null;
};

/** Operators read these, newest first. */
const MAX_READ = 200;
const LONGEST_NOTE = 500;

const COLUMNS = `id, environment, network, chain_id, currency, address, expected, found, found_at, ended_at, note`;

/**
 * Closes the open discrepancy of an address and token. True when there was one. A discrepancy that holds a session
 * (sessions/expire/balance-hold) is closed only by the session's own reading: on Solana it covers accounts of the
 * address that others do not read.
 */
export async function closeDiscrepancy(db: Db, { chainId, address, currency }: Place, now: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'difference-end',
    text: `UPDATE discrepancies SET ended_at = $4, note = 'gone'
           WHERE chain_id = $1 AND address = $2 AND currency = $3 AND ended_at IS NULL
             AND NOT EXISTS (SELECT FROM balance_checks b JOIN sessions s ON s.id = b.session_id AND s.status = 'pending'
               WHERE b.chain_id = $1 AND b.state = 'differs' AND $2 IN (s.evm_address, s.tron_address, s.solana_address))`,
    values: [chainId, address, currency, now],
  });
  return rowCount === 1;
}

/** The newest discrepancies, all or only the open ones. */
export async function readDiscrepancies(
  { pool }: Pick<Context, 'pool'>,
  { isOpenOnly }: { readonly isOpenOnly: boolean },
): Promise<Discrepancy[]> {
  const { rows } = await pool.query<Row>({
    name: 'discrepancies-read',
    text: `SELECT ${COLUMNS} FROM discrepancies WHERE NOT $1 OR ended_at IS NULL ORDER BY id DESC LIMIT ${MAX_READ}`,
    values: [isOpenOnly],
  });
  return rows.map(discrepancyFrom);
}

/** `by`: `user:<id>`, or the service itself by default. `address`: the IP address of the request. */
export type Explanation = {
  readonly id: string;
  readonly note: string;
  readonly by?: string;
  readonly address?: string;
};

/**
 * Stores an operator's explanation of an open discrepancy. This closes a discrepancy of a deposit address. One of the
 * refund wallet is closed when the worker has posted it (postExplained). Signing stays frozen until a person unfreezes
 * the signer. Null when it is not open or was explained before.
 */
export async function explainDiscrepancy(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, note, by = 'system', address = '' }: Explanation,
): Promise<Discrepancy | null> {
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>({
      name: 'difference-explain',
      text: `UPDATE discrepancies d SET explained_at = $2::timestamptz, note = $3, ended_at = CASE WHEN EXISTS (SELECT FROM wallet_balances w
                 WHERE w.chain_id = d.chain_id AND w.address = d.address AND w.asset = d.currency) THEN NULL ELSE $2::timestamptz END
             WHERE id = $1 AND ended_at IS NULL AND explained_at IS NULL RETURNING ${COLUMNS}`,
      values: [id, now, note.slice(0, LONGEST_NOTE)],
    });
    const [row] = rows;
    if (!row) return null;
    const discrepancy = discrepancyFrom(row);
    const { network, currency, expected, found } = discrepancy;
    const details = { network, currency, expected: expected.toString(), found: found.toString(), note };
    const entry = { actor: by, storeId: null, action: 'difference.explain', target: `difference/${id}` };
    await recordAudit(tx, { ...entry, details, address, now });
    return discrepancy;
  });
}

/**
 * Posts the explained discrepancies of the refund wallet as operator deposits or withdrawals, and closes them: the
 * ledger then matches the chain. The web process has no right to write funding, so the worker does this.
 */
export async function postExplained(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { chainId, address }: Pick<Place, 'chainId' | 'address'>,
): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>({
      name: 'discrepancies-explained',
      text: `UPDATE discrepancies SET ended_at = $3 WHERE chain_id = $1 AND address = $2 AND ended_at IS NULL
               AND explained_at IS NOT NULL RETURNING ${COLUMNS}`,
      values: [chainId, address, clock.now()],
    });
    for (const { environment, network, currency, expected, found } of rows.map(discrepancyFrom)) {
      if (found !== expected) {
        await postFunding(tx, environment, { network, currency, amount: found - expected });
      }
    }
  });
}

type Row = {
  id: string;
  environment: Environment;
  network: string;
  chain_id: number;
  currency: string;
  address: string;
  expected: string;
  found: string;
  found_at: Date;
  ended_at: Date | null;
  note: string | null;
};

const discrepancyFrom = (row: Row): Discrepancy => ({
  id: row.id,
  environment: row.environment,
  network: row.network,
  chainId: row.chain_id,
  currency: row.currency,
  address: row.address,
  expected: BigInt(row.expected),
  found: BigInt(row.found),
  foundAt: row.found_at,
  endedAt: row.ended_at,
  note: row.note,
});
