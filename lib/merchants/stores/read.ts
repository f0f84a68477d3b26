// Stores as the dashboard reads them: those of a member, one by its id, and all of them for the operator, page by page.

import type { Db } from '@/lib/platform/database/db';
import type { MemberRole, StoreStatus } from '@/prisma/generated/enums';
import type { ChannelType } from './create';

/** Amounts are cents. */
export type StoreRow = {
  readonly id: string;
  readonly name: string;
  readonly website: string | null;
  readonly description: string | null;
  readonly channelType: ChannelType;
  readonly status: StoreStatus;
  readonly statusReason: string | null;
  readonly settlementCurrency: string;
  readonly usdCurrencies: readonly string[];
  readonly networks: readonly string[];
  /** What the operator allows; an empty list means all. */
  readonly allowedPairs: readonly string[];
  /** The owner's rules by the customer's country (lib/platform/countries/rules). */
  readonly countryRules: string;
  readonly acceptsOtherToken: boolean;
  readonly legalName: string | null;
  /** Lines of text. */
  readonly legalAddress: string | null;
  readonly vatNumber: string | null;
  readonly sessionLimit: bigint | null;
  readonly dayLimit: bigint | null;
  readonly refundDayLimit: bigint;
  readonly refundWindowDays: number;
  readonly payoutHoldHours: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  /** When an approved store last changed its identity; null once an operator has reviewed the change. */
  readonly identityChangedAt: Date | null;
  readonly ownerEmail: string;
};

const COLUMNS = `s.id, s.name, s.website, s.description, s.channel_type AS "channelType", s.status::text AS status,
  s.status_reason AS "statusReason", s.settlement_currency AS "settlementCurrency", s.usd_currencies AS "usdCurrencies", s.networks,
  s.allowed_pairs AS "allowedPairs", s.country_rules AS "countryRules", s.accepts_other_token AS "acceptsOtherToken", s.legal_name AS "legalName", s.legal_address AS "legalAddress",
  s.vat_number AS "vatNumber", s.session_limit AS "sessionLimit", s.day_limit AS "dayLimit",
  s.refund_day_limit AS "refundDayLimit", s.refund_window_days AS "refundWindowDays",
  s.payout_hold_hours AS "payoutHoldHours", s.version, s.created_at AS "createdAt",
  s.decided_at AS "decidedAt", s.identity_changed_at AS "identityChangedAt", o.email AS "ownerEmail"`;

/** One store; null when there is none. The caller must have authorized the user for it. */
export async function readStore(db: Db, storeId: string): Promise<StoreRow | null> {
  const { rows } = await db.query<StoreColumns>({
    name: 'read-store',
    text: `SELECT ${COLUMNS} FROM stores s JOIN users o ON o.id = s.owner_id WHERE s.id = $1`,
    values: [storeId],
  });
  return rows[0] ? storeOf(rows[0]) : null;
}

/** The stores of a member, with their role, the oldest first. */
export async function listStoresOf(db: Db, userId: string): Promise<(StoreRow & { role: MemberRole })[]> {
  const { rows } = await db.query<StoreColumns & { role: MemberRole }>({
    name: 'list-stores-of',
    text: `SELECT ${COLUMNS}, m.role::text AS role FROM members m JOIN stores s ON s.id = m.store_id JOIN users o ON o.id = s.owner_id
           WHERE m.user_id = $1 ORDER BY s.created_at, s.id`,
    values: [userId],
  });
  return rows.map(storeOf);
}

/** Where a page of stores ends. The next page begins after it. */
export type StoreCursor = { readonly createdAt: Date; readonly id: string };

/**
 * Stores of one status, of any status, or those whose identity `changed` since their approval and is not reviewed. Waiting
 * stores come first by waiting time; all others come newest first. `search` matches an id exactly, or part of a name, website
 * or owner's address; '' matches all.
 */
export async function listStores(
  db: Db,
  query: { status: StoreStatus | 'changed' | null; search?: string; after: StoreCursor | null; limit: number },
): Promise<{ stores: StoreRow[]; next: StoreCursor | null }> {
  const isQueue = query.status === 'pending';
  const [order, sign] = isQueue ? ['', '>'] : ['DESC', '<'];
  const { rows } = await db.query<StoreColumns>(
    `SELECT ${COLUMNS} FROM stores s JOIN users o ON o.id = s.owner_id
     WHERE ${query.status === 'changed' ? '$1::text IS NOT NULL AND s.identity_changed_at IS NOT NULL' : '($1::text IS NULL OR s.status = $1::"StoreStatus")'}
       AND ($2::timestamptz IS NULL OR (s.created_at, s.id) ${sign} ($2, $3))
       AND ($5 = '' OR s.id = $5 OR position(lower($5) IN lower(concat_ws(' ', s.name, s.website, o.email))) > 0)
     ORDER BY s.created_at ${order}, s.id ${order} LIMIT $4`,
    [query.status, query.after?.createdAt ?? null, query.after?.id ?? null, query.limit + 1, query.search ?? ''],
  );
  const stores = rows.slice(0, query.limit).map((row) => storeOf(row));
  return { stores, next: rows.length > query.limit ? (stores.at(-1) ?? null) : null };
}

type StoreColumns = Omit<StoreRow, 'sessionLimit' | 'dayLimit' | 'refundDayLimit'> & {
  readonly sessionLimit: string | null;
  readonly dayLimit: string | null;
  readonly refundDayLimit: string;
};

const storeOf = <Row extends StoreColumns>({ sessionLimit, dayLimit, refundDayLimit, ...row }: Row) => ({
  ...row,
  sessionLimit: sessionLimit === null ? null : BigInt(sessionLimit),
  dayLimit: dayLimit === null ? null : BigInt(dayLimit),
  refundDayLimit: BigInt(refundDayLimit),
});
