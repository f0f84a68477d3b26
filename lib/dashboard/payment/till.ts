// The till of a store. A sale is a session whose order id the till's page chose, so a press that is resent after a lost answer
// is the same sale. The latest sales are listed below the keypad.

import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isSessionId } from '@/lib/platform/ids';
import { createSessionByStore, findSessionOfOrder, type SessionSide } from '@/lib/payments/sessions/by-store';
import { TILL_ORDERS as TILL } from '@/lib/refunds/destination/payer-browser';
import type { SessionStatus } from '@/prisma/generated/enums';
import { priceText, type StoreScope } from '@/lib/dashboard/lists/payments';

/** Seconds that a customer at the counter has to pay. */
const PAY_SECONDS = 900;

/** A charge. `name`: chosen by the page for this press alone. `amount`: minor units of the currency. */
export type Charge = {
  readonly name: string;
  readonly amount: number;
  readonly currency: string;
  readonly note: string | null;
};

/** Creates the sale's session, or finds the one of this charge. Throws what `createSessionByStore` throws. */
export async function chargeAtTill(context: Context, side: SessionSide, charge: Charge): Promise<{ id: string }> {
  const { amount, currency, note } = charge;
  const orderId = `${TILL}${charge.name}`;
  try {
    const id = await createSessionByStore(context, side, {
      amount,
      currency,
      order_id: orderId,
      expires_in: PAY_SECONDS,
      metadata: { made_at: 'till', ...(note === null ? {} : { note }) },
      ...(note === null ? {} : { description: note }),
    });
    return { id };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_ORDER_ID') throw error;
    const earlier = await findSessionOfOrder(context.pool, side, orderId);
    const isSame = earlier?.amountTotal === BigInt(amount) && earlier.currency === currency.toUpperCase();
    if (!earlier || !isSame) throw error;
    return { id: earlier.id };
  }
}

/** A sale of the store's till, as the page shows it. */
export type Sale = {
  readonly id: string;
  /** Exact decimal text, and its currency. */
  readonly amount: string;
  readonly currency: string;
  readonly note: string | null;
  readonly status: SessionStatus;
  readonly createdAt: Date;
};

/** One sale; null unless it is a sale of the store's till in this environment. */
export async function readSale({ pool }: Deps, of: StoreScope, sessionId: string): Promise<Sale | null> {
  if (!isSessionId(sessionId)) return null;
  const { rows } = await pool.query<Row>({
    name: 'till-sale',
    text: `SELECT ${COLUMNS} FROM sessions s WHERE s.id = $1 AND s.store_id = $2 AND s.environment = $3::"Environment"
             AND starts_with(s.order_id, '${TILL}')`,
    values: [sessionId, of.storeId, of.environment],
  });
  return rows[0] ? saleOf(rows[0]) : null;
}

/** Number of sales that fit below a keypad. */
const SHOWN = 8;
/** Sessions of the store that are searched for sales. The limit bounds the cost for a busy shop. */
const SEARCHED_SESSIONS = 500;
const DAY_MILLISECONDS = 86_400_000;

/** The sales of the last 24 hours, newest first. */
export async function latestSales({ pool, clock }: Deps & Pick<Context, 'clock'>, of: StoreScope): Promise<Sale[]> {
  const { rows } = await pool.query<Row>({
    name: 'till-latest',
    text: `SELECT ${COLUMNS} FROM (SELECT * FROM sessions WHERE store_id = $1 AND environment = $2::"Environment"
               AND created_at > $3 ORDER BY created_at DESC, id DESC LIMIT ${SEARCHED_SESSIONS}) AS s
            WHERE starts_with(s.order_id, '${TILL}') ORDER BY s.created_at DESC, s.id DESC LIMIT ${SHOWN}`,
    values: [of.storeId, of.environment, new Date(clock.now().getTime() - DAY_MILLISECONDS)],
  });
  return rows.map(saleOf);
}

type Deps = { readonly pool: Pick<Context['pool'], 'query'> };

const COLUMNS = 's.id, s.amount_total, s.currency, s.description, s.status, s.created_at';
type Row = {
  id: string;
  amount_total: string;
  currency: string;
  description: string | null;
  status: SessionStatus;
  created_at: Date;
};

const saleOf = (row: Row): Sale => ({
  id: row.id,
  amount: priceText(row.amount_total, row.currency),
  currency: row.currency,
  note: row.description,
  status: row.status,
  createdAt: row.created_at,
});
