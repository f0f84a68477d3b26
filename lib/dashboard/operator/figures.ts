// The ages of waiting work for the operator's health page: the numbers that a scrape of the metrics has, with the limits of their alerts
// (deploy/prometheus/alerts.yml).

import { operationNumbers } from '@/lib/installation/metrics/operations';
import type { Context } from '@/lib/platform/context';

const FIGURES = {
  worker: { metric: 'worker_heartbeat_age_seconds', most: 60 },
  signer: { metric: 'signer_state_age_seconds', most: 120 },
  delivery: { metric: 'deliveries_oldest_due_seconds', most: 300 },
  mail: { metric: 'mails_oldest_seconds', most: 900 },
  session: { metric: 'sessions_oldest_overdue_seconds', most: 7200 },
  refund: { metric: 'refunds_oldest_open_seconds', most: 3600 },
  payout: { metric: 'payouts_oldest_open_seconds', most: 3600 },
} as const;

export type Figure = {
  readonly name: keyof typeof FIGURES;
  /** The oldest; null if nothing waits. */
  readonly seconds: number | null;
  /** Whether it is past the limit of its alert. */
  readonly isLate: boolean;
};

/** Of live and test together. A refund or payout that waits for something has its reason on its page and does not count. */
export async function readFigures(deps: Pick<Context, 'pool' | 'clock'>): Promise<readonly Figure[]> {
  const numbers = await operationNumbers(deps);
  return (Object.keys(FIGURES) as (keyof typeof FIGURES)[]).map((name) => {
    const { metric, most } = FIGURES[name];
    const samples = (numbers.find((one) => one.name === metric)?.samples ?? []).filter(
      ({ labels }) => (labels.hold ?? 'none') === 'none',
    );
    const seconds = samples.length === 0 ? null : Math.max(...samples.map(({ value }) => value));
    return { name, seconds, isLate: seconds !== null && seconds > most };
  });
}
