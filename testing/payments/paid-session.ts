// Paid sessions for tests of refunds: put into the database, the ledger included, in the state that settling leaves.

import { randomUUID } from 'node:crypto';
import { networkSpec } from '@/lib/networks/networks';
import { randomText, type Environment } from '@/lib/platform/ids';
import { RECEIVED, storeAccount } from '@/lib/ledger/postings';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { TestDatabase } from '@/testing/database/database';
import { depositKeys } from '@/testing/refunds/deposit-keys';

export type PaidSession = {
  readonly storeId: string;
  readonly closedAt: Date;
  /** The price, and the amount received by default. */
  readonly cents: number;
  readonly received?: number;
  readonly network?: string;
  readonly currency?: string;
  readonly environment?: Environment;
  /** A status other than `completed` posts nothing in the ledger. */
  readonly status?: SessionStatus;
};

// Separate from the indexes of other scenes.
let index = 7_000_000;

/** Returns the session's id; its order_id is the same text. */
export async function makePaidSession({ pool }: Pick<TestDatabase, 'pool'>, given: PaidSession): Promise<string> {
  const { network = 'ethereum', currency = 'USDT', environment = 'test', status = 'completed', storeId } = given;
  const id = `cs_${environment}_${randomText()}`;
  const at = depositKeys.addressesAt(++index);
  await pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, status, closed_at,
       completed_network, completed_currency, completed_transaction)
     VALUES ($1, $2, $3::"Environment", $1, $4, 'USD', $4, ARRAY[$5], ARRAY[$6], $7, $7, $8, $11, $12, $13, $10::"SessionStatus",
       CASE WHEN $10 = 'pending' THEN NULL ELSE $7::timestamptz END,
       CASE WHEN $10 = 'completed' THEN $6 END, CASE WHEN $10 = 'completed' THEN $5 END, CASE WHEN $10 = 'completed' THEN $9 END)`,
    [
      id,
      storeId,
      environment,
      given.cents,
      currency,
      network,
      given.closedAt,
      at.index,
      randomUUID(),
      status,
      at.evm,
      at.tron,
      at.solana,
    ],
  );
  if (status !== 'completed') return id;
  const decimals = networkSpec(environment, network, 'local')?.tokens[currency]?.decimals ?? 6;
  const units = centsToBaseUnits(BigInt(given.received ?? given.cents), decimals);
  await pool.query(
    `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id)
       VALUES ('transfer', $1, $2::"Environment", $3) RETURNING id)
     INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
     SELECT entry.id, line.account, $4, $5, line.amount FROM entry,
       (VALUES ($6, $7::numeric), ($8, -$7::numeric)) AS line (account, amount)`,
    [storeId, environment, id, network, currency, RECEIVED, units.toString(), storeAccount(storeId)],
  );
  return id;
}
