// Reads payment exceptions for those who may decide about them: members of a store see its exceptions, an API key those of its
// environment, an operator all. Each one includes its possible actions.

import { networkSpec } from '@/lib/networks/networks';
import { explorerUrl } from '@/lib/networks/payment-uri';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import type { ExceptionKind } from '@/lib/payments/sessions/settle/exceptions';
import type { ExceptionState, RefundStatus, SessionStatus } from '@/prisma/generated/enums';
import { allowedActions, type ExceptionAction, type ExceptionSituation } from './states';

/**
 * The actor. The caller has authenticated them and checked that their role may decide. This module checks that they belong to the
 * store or are an operator.
 */
export type ExceptionActor = PersonActor | KeyActor;
export type PersonActor =
  | { readonly kind: 'merchant'; readonly userId: string; readonly storeId: string }
  | { readonly kind: 'operator'; readonly userId: string };
type KeyActor = {
  readonly kind: 'key';
  readonly keyId: number;
  readonly storeId: string;
  readonly environment: Environment;
};

export type PaymentException = {
  readonly id: string;
  readonly storeId: string;
  readonly storeName: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly orderId: string;
  readonly sessionStatus: SessionStatus;
  readonly kind: ExceptionKind;
  readonly state: ExceptionState;
  readonly actions: readonly ExceptionAction[];
  readonly transferId: string;
  readonly network: string;
  readonly currency: string;
  /** Uncounted base units, and those of the whole transfer; both of a token with `decimals`. */
  readonly amount: bigint;
  readonly transferAmount: bigint;
  readonly decimals: number;
  /** The sender on the chain. A refund goes there unless the customer names another address. */
  readonly payer: string;
  readonly transactionHash: string;
  readonly explorerUrl: string | null;
  readonly blockTime: Date;
  readonly openedAt: Date;
  /** `merchant:<user>`, `operator:<user>` or `rule:<name>`; null before a decision. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly note: string | null;
};

/** The list filters. `before` is the id of the last exception of the previous page. */
export type ExceptionQuery = {
  readonly by: ExceptionActor;
  readonly environment?: Environment;
  readonly state?: ExceptionState;
  readonly sessionId?: string;
  /** Opened at or after `from`, and before `to`. */
  readonly from?: Date;
  readonly to?: Date;
  readonly before?: string;
  readonly limit?: number;
};

/** Exceptions on one page unless fewer are requested. */
const MAX_LISTED = 100;
/** A full page and one more row, which shows that there is a next page. */
const MAX_READ = MAX_LISTED + 1;

type Deps = Pick<Context, 'pool'> & { readonly config: Pick<Config, 'TEST_CHAINS'> };

/** The newest exceptions first, a hundred by default. Does not reveal exceptions that this actor may not see. */
export async function listExceptions(
  { pool, config }: Deps,
  query: ExceptionQuery,
): Promise<readonly PaymentException[]> {
  const { name, text, values } = visibleTo(query.by);
  const { rows } = await pool.query<ExceptionRow>({
    name: `list-cases-${name}`,
    text: `${text} AND ($4::"Environment" IS NULL OR c.environment = $4) AND ($5::"ExceptionState" IS NULL OR c.state = $5)
             AND ($6::text IS NULL OR c.session_id = $6) AND ($7::bigint IS NULL OR c.id < $7)
             AND ($8::timestamptz IS NULL OR c.created_at >= $8) AND ($9::timestamptz IS NULL OR c.created_at < $9)
           ORDER BY c.id DESC LIMIT $10`,
    values: [
      ...values,
      query.environment ?? null,
      query.state ?? null,
      query.sessionId ?? null,
      query.before === undefined ? null : exceptionNumber(query.before),
      query.from ?? null,
      query.to ?? null,
      Math.max(1, Math.min(query.limit ?? MAX_LISTED, MAX_READ)),
    ],
  });
  return rows.map((row) => exceptionView(row, config));
}

/** One exception. Throws CASE_NOT_FOUND, also when this actor may not see it. */
export async function readException(
  { pool, config }: Deps,
  { caseId, by }: { caseId: string; by: ExceptionActor },
): Promise<PaymentException> {
  return exceptionView(await findException(pool, caseId, by), config);
}

/** The row of an exception that this actor may see. Throws CASE_NOT_FOUND. */
export async function findException(db: Db, caseId: string, by: ExceptionActor): Promise<ExceptionRow> {
  const { name, text, values } = visibleTo(by);
  const { rows } = await db.query<ExceptionRow>({
    name: `find-case-${name}`,
    text: `${text} AND c.id = $4`,
    values: [...values, exceptionNumber(caseId)],
  });
  if (!rows[0]) throw new ServiceError('CASE_NOT_FOUND', refusedParam(by));
  return rows[0];
}

/** The API calls the id `exception_id`. */
export const refusedParam = (by: ExceptionActor): { readonly param?: string } =>
  by.kind === 'key' ? { param: 'exception_id' } : {};

/** Malformed ids match no row. */
const exceptionNumber = (text: string): string => (/^[1-9][0-9]{0,17}$/.test(text) ? text : '0');

type Visible = {
  readonly name: string;
  readonly text: string;
  /** $1 to $3. */
  readonly values: readonly (string | number | null)[];
};

/** The statement over the exceptions that this actor may see; callers append conditions. */
function visibleTo(by: ExceptionActor): Visible {
  switch (by.kind) {
    case 'key':
      return { name: 'of-key', text: EXCEPTIONS_OF_KEY, values: [by.keyId, by.storeId, by.environment] };
    case 'merchant':
    case 'operator':
      return {
        name: 'of-person',
        text: EXCEPTIONS_OF_PERSON,
        values: [by.userId, by.kind, by.kind === 'merchant' ? by.storeId : null],
      };
  }
}

const EXCEPTIONS = `
SELECT c.id, c.store_id, c.environment, c.session_id, c.kind, c.state, c.amount, c.counted, c.decided_by, c.decided_at, c.note,
       c.created_at, st.name AS store_name, s.order_id, s.status, t.id AS transfer_id, t.network, t.currency, t.amount AS transfer_amount, t.decimals,
       t.payer, t.transaction_hash, t.ordinal, t.block_time, ch.genesis,
       (SELECT r.status FROM refunds r WHERE r.session_id = c.session_id AND r.case_id = c.id
         ORDER BY r.created_at DESC, r.id LIMIT 1) AS refund_status
  FROM payment_exceptions c JOIN stores st ON st.id = c.store_id JOIN sessions s ON s.id = c.session_id JOIN transfers t ON t.id = c.transfer_id
       JOIN chains ch ON ch.id = t.chain_id`;

/** A disabled account sees nothing; an operator sees every store. */
const EXCEPTIONS_OF_PERSON = `${EXCEPTIONS}
       JOIN users u ON u.id = $1 AND u.disabled_at IS NULL AND u.role = $2::"UserRole"
 WHERE ($3::text IS NULL OR (c.store_id = $3 AND (st.owner_id = u.id
        OR EXISTS (SELECT FROM members m WHERE m.store_id = c.store_id AND m.user_id = u.id))))`;

/** A revoked key sees nothing. */
const EXCEPTIONS_OF_KEY = `${EXCEPTIONS}
       JOIN api_keys k ON k.id = $1 AND k.revoked_at IS NULL AND k.store_id = c.store_id AND k.environment = c.environment
 WHERE c.store_id = $2 AND c.environment = $3::"Environment"`;

export type ExceptionRow = {
  id: string;
  store_id: string;
  store_name: string;
  environment: Environment;
  session_id: string;
  kind: ExceptionKind;
  state: ExceptionState;
  amount: string;
  counted: string;
  decided_by: string | null;
  decided_at: Date | null;
  note: string | null;
  created_at: Date;
  order_id: string;
  status: SessionStatus;
  transfer_id: string;
  network: string;
  currency: string;
  transfer_amount: string;
  decimals: number;
  payer: string;
  transaction_hash: string;
  ordinal: number;
  block_time: Date;
  genesis: string;
  refund_status: RefundStatus | null;
};

/** The inputs for the actions of an exception. */
export const situationOf = ({ state, status, refund_status: refund }: ExceptionRow): ExceptionSituation => ({
  state,
  sessionStatus: status,
  refund,
});

function exceptionView(row: ExceptionRow, config: Pick<Config, 'TEST_CHAINS'>): PaymentException {
  const spec = networkSpec(row.environment, row.network, config.TEST_CHAINS);
  return {
    id: row.id,
    storeId: row.store_id,
    storeName: row.store_name,
    environment: row.environment,
    sessionId: row.session_id,
    orderId: row.order_id,
    sessionStatus: row.status,
    kind: row.kind,
    state: row.state,
    actions: allowedActions(situationOf(row)),
    transferId: row.transfer_id,
    network: row.network,
    currency: row.currency,
    amount: BigInt(row.amount) - BigInt(row.counted),
    transferAmount: BigInt(row.transfer_amount),
    decimals: row.decimals,
    payer: row.payer,
    transactionHash: row.transaction_hash,
    explorerUrl: spec && explorerUrl(spec, row.transaction_hash),
    blockTime: row.block_time,
    openedAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    note: row.note,
  };
}
