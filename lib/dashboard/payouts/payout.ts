// One payout as its merchant sees it: who requested it, the address that it goes to, its times, and all its transactions.

import { networkSpec } from '@/lib/networks/networks';
import { explorerUrl } from '@/lib/networks/payment-uri';
import { PAYOUT_COLUMNS, payoutOf, type PayoutRow } from '@/lib/payouts/payout';
import type { Context } from '@/lib/platform/context';
import type { StoreScope } from '@/lib/dashboard/lists/payments';
import { attemptsOf, eventsAbout, unix, type AttemptFacts, type AttemptView } from '@/lib/dashboard/payment/attempts';
import type { EventFacts } from '@/lib/dashboard/payment/facts';
import { payoutAsShown, type PayoutView } from './payouts';

/** The store's payout address that it was sent to. `createdAt`: Unix seconds. `creator`: an e-mail address, while that user exists. */
type DestinationFacts = {
  readonly isContract: boolean;
  readonly isSigned: boolean;
  readonly createdAt: number;
  readonly creator: string | null;
};

/** `name`: of the API key, or the e-mail address of the member. */
type Requester = { readonly kind: 'schedule' } | { readonly kind: 'key' | 'member'; readonly name: string };

/** Times in Unix seconds. */
export type PayoutDetail = PayoutView & {
  /** Null for a payout that was recovered from the signer's journal. */
  readonly requestedBy: Requester | null;
  /** Null until the signature is requested. */
  readonly address: DestinationFacts | null;
  /** When the transaction that paid was signed, or else the last one; null before. */
  readonly signedAt: number | null;
  readonly attempts: readonly AttemptView[];
  readonly events: readonly EventFacts[];
};

/** Null when the store has no such payout in this environment. `id`: the service's id of it. */
export async function readStorePayout(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  { storeId, environment }: StoreScope,
  id: string,
): Promise<PayoutDetail | null> {
  const { rows } = await pool.query<Row>({
    name: 'dashboard-payout',
    text: PAYOUT_SQL,
    values: [id, storeId, environment],
  });
  const [row] = rows;
  if (!row) return null;
  const { attempts, events, address, actor, actorName, ...columns } = row;
  const shown = payoutAsShown(payoutOf(columns), environment, config);
  const spec = networkSpec(environment, row.network, config.TEST_CHAINS);
  const signed =
    attempts.find(({ status }) => status === 'landed') ?? attempts.findLast(({ signed_at: at }) => at !== null);
  return {
    ...shown,
    requestedBy: shown.isScheduled ? { kind: 'schedule' } : requesterOf(actor, actorName),
    address,
    signedAt: signed?.signed_at ?? null,
    attempts: attempts.map((one) => ({
      ...one,
      explorerUrl: spec && one.hash !== null ? explorerUrl(spec, one.hash) : null,
    })),
    events,
  };
}

type Row = PayoutRow & {
  readonly attempts: readonly AttemptFacts[];
  readonly events: readonly EventFacts[];
  readonly address: DestinationFacts | null;
  /** As in the audit log; null without an entry. */
  readonly actor: string | null;
  readonly actorName: string | null;
};

const requesterOf = (actor: string | null, name: string | null): Requester | null =>
  actor === null || name === null ? null : { kind: actor.startsWith('key:') ? 'key' : 'member', name };

/** The audit log says who requested it: a member, or a key of the store. */
const PAYOUT_SQL = `
SELECT ${PAYOUT_COLUMNS},
       ${attemptsOf('p.id')} AS attempts,
       ${eventsAbout('p.id')} AS events,
       (SELECT json_build_object('isContract', d.is_contract, 'isSigned', d.is_signed, 'createdAt', ${unix('d.created_at')},
                                 'creator', (SELECT email FROM users WHERE id = d.created_by))
          FROM payout_addresses d WHERE d.id = p.destination_reference AND d.store_id = p.store_id) AS address,
       r.actor, CASE WHEN r.actor LIKE 'key:%' THEN (SELECT name FROM api_keys WHERE id = substr(r.actor, 5)::int)
                     WHEN r.actor LIKE 'user:%' THEN (SELECT email FROM users WHERE id = substr(r.actor, 6)::uuid) END AS "actorName"
  FROM payouts p LEFT JOIN LATERAL (
    SELECT actor FROM audit_entries a WHERE a.store_id = p.store_id AND a.action = 'payout.request' AND a.target = p.payout_id
       AND a.details->>'environment' = p.environment::text ORDER BY a.number DESC LIMIT 1) r ON true
 WHERE p.id = $1 AND p.store_id = $2 AND p.environment = $3::"Environment"`;
