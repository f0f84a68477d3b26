// Whether webhooks and refunds are sent on time, judged by what waits in the database. A single store's slow receiver or held
// refund says nothing about the service, so neither counts here.

import { offers } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';

const SERVICES = ['webhooks', 'refunds'] as const;
export type ServiceName = (typeof SERVICES)[number];

export type ServiceStatus = {
  readonly environment: Environment;
  readonly service: ServiceName;
  readonly state: 'ok' | 'delayed';
};

/** Due work is normally started within seconds. After this long no worker is processing it. */
const OVERDUE_SECONDS = 120;
/** Holds that end through the operator, the signer or the network, not the store or the customer. */
const HOLDS_OF_SERVICE = [
  'chain_unavailable',
  'fee_too_high',
  'frozen',
  'no_fee_coin',
  'no_tokens',
  'signer_unavailable',
  'wallet_blocked',
];

/** Webhooks and refunds of each environment that has a network. */
export async function readServices({
  pool,
  clock,
  config,
}: Pick<Context, 'pool' | 'clock' | 'config'>): Promise<readonly ServiceStatus[]> {
  const offered = offers(config).map(({ spec }) => spec);
  const overdue = new Date(clock.now().getTime() - OVERDUE_SECONDS * 1000);
  const { rows } = await pool.query<{ environment: Environment; webhooks: boolean; refunds: boolean }>({
    name: 'status_services',
    // Deliveries wait behind others of their store, so an overdue one counts only if no attempt of any store has started since.
    text: `WITH offered AS (SELECT * FROM unnest($1::"Environment"[], $2::text[]) AS o (environment, network))
      SELECT one.environment,
        NOT EXISTS (SELECT FROM (SELECT started_at FROM delivery_attempts ORDER BY id DESC LIMIT 1) AS newest
                    WHERE started_at > $3)
          AND EXISTS (SELECT FROM webhook_endpoints w CROSS JOIN LATERAL (
            SELECT FROM deliveries d WHERE d.store_id = w.store_id AND d.environment = w.environment
              AND d.status = 'pending' AND d.next_at < $3 AND ${isNotQuarantined('delivery', 'd.id::text')} LIMIT 1) AS due
            WHERE w.environment = one.environment AND w.paused_at IS NULL) AS webhooks,
        EXISTS (SELECT FROM refunds r WHERE r.hold = ANY ($4::text[]) AND r.status = 'processing'
                AND r.environment = one.environment AND r.held_at < $3)
          OR EXISTS (SELECT FROM offered o CROSS JOIN LATERAL (
            SELECT FROM refunds r WHERE r.environment = o.environment AND r.network = o.network AND r.status = 'processing'
              AND r.next_at < $3 AND r.hold IS NULL AND ${isNotQuarantined('refund', 'r.id')} LIMIT 1) AS due
            WHERE o.environment = one.environment) AS refunds
      FROM (SELECT DISTINCT environment FROM offered) AS one ORDER BY one.environment`,
    values: [
      offered.map(({ environment }) => environment),
      offered.map(({ network }) => network),
      overdue,
      HOLDS_OF_SERVICE,
    ],
  });
  return rows.flatMap((row) =>
    SERVICES.map((service) => ({
      environment: row.environment,
      service,
      state: row[service] ? ('delayed' as const) : ('ok' as const),
    })),
  );
}
