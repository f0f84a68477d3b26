// Records the optional events that an endpoint subscribed to, in the transaction of their cause: an unconfirmed transfer that would count,
// a confirmed payment that left its session unfinished, an opened payment exception. Payments take precedence over their events, so an
// event that cannot be written is logged and skipped, and its cause is stored anyway.

import { decimalsOf } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import { isLostRace, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { inSavepoint } from '@/lib/platform/database/isolate';
import type { Log } from '@/lib/platform/log';
import { baseUnitsToCents } from '@/lib/money/amounts';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { OptionalEventType } from '@/lib/webhooks/events/events';
import { recordOptionalEvent } from '@/lib/webhooks/events/record';
import { isDust, objection, type JudgedSession, type Payment } from './judge';
import type { ExceptionKind } from './exceptions';

type Paid = Pick<
  Payment,
  'network' | 'currency' | 'amount' | 'decimals' | 'blockTime' | 'transactionHash' | 'ordinal' | 'decision'
>;
/** `amount`: base units of the token that the exception is about. */
type OpenedException = { readonly id: string; readonly kind: ExceptionKind; readonly amount: bigint };

/** What causes one event. */
export type EventCause = { readonly sessionId: string; readonly payment: Paid } & (
  | { readonly type: 'payment.seen' | 'payment.partial' }
  | { readonly type: 'payment.exception'; readonly exception: OpenedException }
);

export type At = { readonly now: Date; readonly log: Log };

/** Records the events that the stores' endpoints subscribed to, once for each cause. */
export async function recordOptionalEvents(tx: Tx, causes: readonly EventCause[], at: At): Promise<void> {
  if (causes.length === 0) return;
  const sessions = await subscribedSessions(tx, causes);
  for (const one of causes) {
    const session = sessions.get(one.sessionId);
    if (!session?.wanted.includes(one.type) || !causesEvent(session, one)) continue;
    try {
      await inSavepoint(tx, () => write(tx, session, one, at.now));
    } catch (error) {
      if (isLostRace(error)) throw error;
      at.log.error({ err: error, sessionId: one.sessionId, type: one.type }, 'an optional event could not be written');
    }
  }
}

export type SeenTransfer = {
  readonly sessionId: string;
  readonly currency: string;
  readonly contract: string;
  readonly amount: bigint;
  readonly blockTime: number;
  readonly transactionHash: string;
  readonly ordinal: number;
};

/** Records `payment.seen` for unconfirmed transfers that were stored for the first time. */
export async function recordSeen(
  tx: Tx,
  { chainId, transfers }: { readonly chainId: number; readonly transfers: readonly SeenTransfer[] },
  at: At,
): Promise<void> {
  if (transfers.length === 0) return;
  const { rows } = await tx.query<{ network: string }>({
    name: 'optional-events-network',
    text: 'SELECT network FROM chains WHERE id = $1',
    values: [chainId],
  });
  const network = rows[0]?.network;
  if (network === undefined) throw new Error(`there is no chain ${chainId}`);
  const causes = transfers.flatMap((transfer): EventCause[] => {
    const decimals = decimalsOf(network, transfer.contract);
    if (decimals === null) return [];
    const payment = { ...transfer, network, decimals, decision: null };
    return [{ type: 'payment.seen', sessionId: transfer.sessionId, payment }];
  });
  await recordOptionalEvents(tx, causes, at);
}

/** A payment that does not count becomes a payment exception once it is confirmed, so it causes no payment event. */
function causesEvent(session: SubscribedSession, { type, payment }: EventCause): boolean {
  return type === 'payment.exception' || (!isDust(payment) && objection(session, payment) === null);
}

async function write(tx: Tx, session: SubscribedSession, cause: EventCause, now: Date): Promise<void> {
  const { type, payment } = cause;
  const cents = (units: bigint): bigint => baseUnitsToCents(units, payment.decimals);
  const exception = type === 'payment.exception' ? cause.exception : null;
  await recordOptionalEvent(tx, {
    type,
    cause: exception?.id ?? `${payment.network} ${payment.transactionHash} ${payment.ordinal}`,
    storeId: session.storeId,
    environment: session.environment,
    sessionId: session.id,
    orderId: session.orderId,
    status: session.status,
    amountDue: session.amountDue,
    currency: payment.currency,
    exchangeRate: session.exchangeRate,
    network: payment.network,
    transactionHash: payment.transactionHash,
    amountReceived: session.amountReceived,
    paymentAmount: cents(payment.amount),
    exception: exception && { ...exception, amount: cents(exception.amount) },
    now,
  });
}

type SubscribedSession = JudgedSession & {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly orderId: string;
  readonly exchangeRate: string | null;
  readonly amountReceived: bigint;
  readonly wanted: readonly OptionalEventType[];
};

type Row = {
  id: string;
  store_id: string;
  environment: Environment;
  order_id: string;
  status: SessionStatus;
  accepted_from: SessionStatus | null;
  amount_due: string;
  amount_received: string;
  exchange_rate: string | null;
  networks: string[];
  offered_pairs: string[];
  created_at: Date;
  expires_at: Date;
  optional_events: OptionalEventType[];
};

async function subscribedSessions(tx: Tx, causes: readonly EventCause[]): Promise<Map<string, SubscribedSession>> {
  const { rows } = await tx.query<Row>({
    name: 'sessions-wanting-optional-events',
    text: `SELECT s.id, s.store_id, s.environment, s.order_id, s.status, s.accepted_from, s.amount_due, s.amount_received,
             s.exchange_rate, s.networks, s.offered_pairs, s.created_at, s.expires_at, e.optional_events
           FROM sessions s JOIN webhook_endpoints e ON e.store_id = s.store_id AND e.environment = s.environment
           WHERE s.id = ANY($1) AND e.optional_events && $2::text[]`,
    values: [[...new Set(causes.map(({ sessionId }) => sessionId))], [...new Set(causes.map(({ type }) => type))]],
  });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        storeId: row.store_id,
        environment: row.environment,
        orderId: row.order_id,
        status: row.status,
        acceptedFrom: row.accepted_from,
        amountDue: BigInt(row.amount_due),
        amountReceived: BigInt(row.amount_received),
        exchangeRate: row.exchange_rate,
        networks: row.networks,
        offeredPairs: row.offered_pairs,
        createdAt: unixSeconds(row.created_at),
        expiresAt: unixSeconds(row.expires_at),
        wanted: row.optional_events,
      },
    ]),
  );
}
