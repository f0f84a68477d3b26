// The health of networks, endpoints, the address pool and the exchange rate sources, with details that the public status omits.
// Endpoints are identified by their position in the settings, never by their addresses.

import { readPoolFill, type PoolFill } from '@/lib/installation/alarms/address-pool';
import { isJournalLow } from '@/lib/installation/alarms/journal';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import type { SignerState } from '@/lib/signer/client';
import { readRestoreHealth, type RestoreHealth } from '@/lib/installation/restores/proofs';
import { readStatus, type NetworkStatus } from '@/lib/installation/status/read';
import { readUsage, type EndpointUsage } from '@/lib/installation/status/read-usage';

export type EndpointHealth = {
  readonly position: number;
  readonly state: string;
  readonly message: string | null;
  readonly height: string | null;
  readonly since: Date;
  readonly checkedAt: Date;
  /** Today's requests to it; null when there were none. */
  readonly usage: EndpointUsage | null;
};

export type NetworkHealth = NetworkStatus & {
  /** The watcher's reason why scanning has stopped. */
  readonly words: string | null;
  readonly endpointRows: readonly EndpointHealth[];
  /** When ledger and chain last reconciled without trouble, and what has prevented it since. */
  readonly reconciledAt: Date | null;
  readonly reconcileTrouble: string | null;
};

export type RateHealth = {
  readonly source: string;
  readonly failures: number;
  readonly answeredAt: Date | null;
  readonly trouble: string | null;
};

/** The signer's journal, as last reported by the signer. */
export type JournalHealth = Pick<SignerState['journal'], 'records' | 'bytes' | 'segments' | 'freeBytes' | 'trouble'> & {
  /** Whether its disk may fill up before an operator next checks it. */
  readonly isLow: boolean;
};

export type Health = {
  readonly networks: readonly NetworkHealth[];
  readonly pool: readonly PoolFill[];
  readonly rates: readonly RateHealth[];
  /** Null until a signer has answered. */
  readonly journal: JournalHealth | null;
  readonly restores: RestoreHealth;
};

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export async function readHealth(deps: Deps): Promise<Health> {
  const [status, details, pool, rates, journal, usage, restores] = await Promise.all([
    readStatus(deps),
    readDetails(deps),
    readPoolFill(deps),
    readRates(deps),
    readJournal(deps),
    readUsage(deps),
    readRestoreHealth(deps.pool, { now: deps.clock.now(), maxDays: deps.config.RESTORE_PROOF_DAYS }),
  ]);
  const networks = status.networks.map((one): NetworkHealth => {
    const found = details.find(
      ({ environment, network }) => environment === one.environment && network === one.network,
    );
    return {
      ...one,
      words: found?.trouble ?? null,
      endpointRows: (found?.endpoints ?? []).map(({ since, checkedAt, ...row }) => ({
        ...row,
        since: new Date(since),
        checkedAt: new Date(checkedAt),
        usage:
          usage.find(
            ({ environment, network, position }) =>
              environment === one.environment && network === one.network && position === row.position,
          ) ?? null,
      })),
      reconciledAt: found?.reconciled_at ?? null,
      reconcileTrouble: found?.reconcile_trouble ?? null,
    };
  });
  return { networks, pool, rates, journal, restores };
}

type Details = {
  readonly environment: Environment;
  readonly network: string;
  readonly trouble: string | null;
  readonly reconciled_at: Date | null;
  readonly reconcile_trouble: string | null;
  readonly endpoints:
    readonly (Omit<EndpointHealth, 'since' | 'checkedAt' | 'usage'> & { since: string; checkedAt: string })[] | null;
};

async function readDetails({ pool }: Deps): Promise<readonly Details[]> {
  const { rows } = await pool.query<Details>({
    name: 'operator-networks',
    text: `SELECT coalesce(c.environment, e.environment) AS environment, coalesce(c.network, e.network) AS network, c.trouble,
             r.done_at AS reconciled_at, r.trouble AS reconcile_trouble, e.endpoints
           FROM (SELECT * FROM chains WHERE retired_at IS NULL) c
           FULL JOIN (SELECT environment, network, json_agg(json_build_object('position', position, 'state', state,
               'message', message, 'height', height::text, 'since', since, 'checkedAt', checked_at) ORDER BY position) AS endpoints
             FROM endpoints GROUP BY environment, network) e ON e.environment = c.environment AND e.network = c.network
           LEFT JOIN reconciliations r ON r.chain_id = c.id`,
    values: [],
  });
  return rows;
}

async function readJournal({ pool }: Deps): Promise<JournalHealth | null> {
  const { rows } = await pool.query<{ journal: SignerState['journal'] | null }>({
    name: 'operator-journal',
    text: 'SELECT journal FROM signer_states WHERE id = 1',
    values: [],
  });
  const journal = rows[0]?.journal;
  return journal ? { ...journal, isLow: isJournalLow(journal) } : null;
}

async function readRates({ pool }: Deps): Promise<readonly RateHealth[]> {
  const { rows } = await pool.query<RateHealth>({
    name: 'operator-rates',
    text: `SELECT source, failures, answered_at AS "answeredAt", trouble FROM rate_sources ORDER BY source`,
    values: [],
  });
  return rows;
}
