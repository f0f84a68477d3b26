// Reads a session for its merchant: one statement spends the nonce and looks up the session.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isSessionId } from '@/lib/platform/ids';
import type { SessionStatus } from '@/prisma/generated/enums';
import { MONEY_COLUMNS, moneyFacts, type MoneyFacts, type MoneyRow } from './money';
import type { SessionFacts } from './view';

/** The columns that `sessionFacts` reads, of a table called `s`. */
export const SESSION_COLUMNS = `s.id, s.order_id, s.status, s.amount_total, s.amount_due, s.currency, s.currencies,
  s.exchange_rate, s.created_at, s.expires_at, s.line_items,
  s.tax_amount, s.shipping_amount, s.metadata`;

// Do not reveal that a session belongs to another store or environment.
const READ_SESSION_SQL = `
WITH ${SPEND_NONCE}
SELECT ${SPENT_COLUMNS}, ${SESSION_COLUMNS}, ${MONEY_COLUMNS}
FROM (VALUES (1)) AS one LEFT JOIN sessions s ON s.id = $3 AND s.store_id = $4 AND s.environment = $5::"Environment"`;

export type SessionRow = {
  id: string;
  order_id: string;
  status: SessionStatus;
  amount_total: string;
  amount_due: string;
  currency: string;
  currencies: string[];
  exchange_rate: string | null;
  created_at: Date;
  expires_at: Date;
  line_items: SessionFacts['lineItems'];
  tax_amount: string | null;
  shipping_amount: string | null;
  metadata: SessionFacts['metadata'];
};

/** A session with its money, as read and list return it. */
export type ReadSession = SessionFacts & MoneyFacts;
export const readFacts = (row: SessionRow & MoneyRow): ReadSession => ({ ...sessionFacts(row), ...moneyFacts(row) });

/** The statement with its values, named so that it is planned once per connection. */
export const readStatement = (
  { key, nonce }: Caller,
  sessionId: string,
): { name: string; text: string; values: unknown[] } => ({
  name: 'read-session',
  text: READ_SESSION_SQL,
  // A malformed session id never reaches an index, but the nonce is spent all the same.
  values: [key.id, nonce, isSessionId(sessionId) ? sessionId : null, key.storeId, key.environment],
});

/** The statement always returns one row. */
type FoundRow = SpentRow & ({ id: null } | (SessionRow & MoneyRow));

/** Throws SESSION_NOT_FOUND, or when the nonce cannot be spent. */
export async function readSession(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  sessionId: string,
): Promise<ReadSession> {
  const { rows } = await pool.query<FoundRow>(readStatement(caller, sessionId));
  const row = rows[0] as FoundRow;
  checkSpent(row, caller);
  if (row.id === null) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
  return readFacts(row);
}

/** A session of this store and environment, locked until the transaction ends. Throws SESSION_NOT_FOUND. */
export async function lockSession(
  tx: Db,
  { key }: { readonly key: Pick<Caller['key'], 'storeId' | 'environment'> },
  sessionId: string,
): Promise<SessionFacts & { readonly settlementCurrency: string }> {
  const { rows } = await tx.query<SessionRow & { settlement_currency: string }>({
    name: 'lock-session',
    text: `SELECT ${SESSION_COLUMNS}, (SELECT settlement_currency FROM stores WHERE id = s.store_id) FROM sessions s WHERE s.id = $1 AND s.store_id = $2 AND s.environment = $3::"Environment" FOR UPDATE`,
    values: [isSessionId(sessionId) ? sessionId : null, key.storeId, key.environment],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
  return { ...sessionFacts(row), settlementCurrency: row.settlement_currency };
}

const sessionFacts = (row: SessionRow): SessionFacts => ({
  id: row.id,
  orderId: row.order_id,
  status: row.status,
  amountTotal: BigInt(row.amount_total),
  amountDue: BigInt(row.amount_due),
  currency: row.currency,
  currencies: row.currencies,
  exchangeRate: row.exchange_rate,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lineItems: row.line_items,
  taxAmount: row.tax_amount === null ? null : BigInt(row.tax_amount),
  shippingAmount: row.shipping_amount === null ? null : BigInt(row.shipping_amount),
  metadata: row.metadata,
});
