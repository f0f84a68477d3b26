// What needs an operator now, read from what the worker already stores. Reads only.

import { readPoolFill } from './address-pool';
import { clockFacts } from './clock';
import { coinBalances } from './fee-coins';
import { severityOf, type AlarmKind, type Fact } from './kinds';
import { isJournalLow } from './journal';
import { readScreeningFacts } from './screening';
import { readSweepFacts } from './sweeps';
import { readWalletFacts } from './wallets';
import { readWalletLevels } from '@/lib/cold-storage/report';
import { readMarks } from '@/lib/treasury/wallet-marks';
import { systemClock, type Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { readFreeze } from '@/lib/installation/freeze/request';
import { readOpenResets } from '@/lib/merchants/accounts/operator-reset/open-resets';
import { networksWithoutList } from '@/lib/refunds/destination/exchange-wallets/age';
import { ALARM_AT, SECURITY_KINDS } from '@/lib/platform/security/kinds';
import type { SignerState } from '@/lib/signer/client';
import { readStatus, type NetworkStatus } from '@/lib/installation/status/read';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** A higher number is no worse than this one. */
const MAX_COUNTED = 1000;
/** Merchants handle their own exceptions and receivers. An operator is alarmed only when there are many. */
const MANY_EXCEPTIONS = 20;
const MANY_DELIVERIES = 20;
/** A mail that failed this often in a row: the mail server is the cause, not a momentary fault. */
const MAIL_ATTEMPTS = 3;
/** A row that succeeds at its second attempt, or within a minute, needs no operator. */
const QUARANTINE_ATTEMPTS = 2;
const QUARANTINE_SECONDS = 60;
/** An attack lasts for hours with pauses; it is one alarm. */
const SECURITY_HOURS = 6;

/** `host`: the clock of this machine. `errors`: one for each source that could not be read. `facts` has those of the other sources. */
export async function readFacts(
  deps: Deps,
  host: Pick<Clock, 'now'> = systemClock,
): Promise<{ readonly facts: readonly Fact[]; readonly errors: readonly unknown[] }> {
  const sources = await Promise.allSettled([
    readSigner(deps),
    readRows(deps),
    readSecurity(deps),
    statusFacts(deps),
    addressFacts(deps),
    listFacts(deps),
    coinFacts(deps),
    levelFacts(deps),
    markFacts(deps),
    sweepFacts(deps),
    walletFacts(deps),
    screeningFacts(deps),
    clockFacts(deps.pool, host),
    resetFacts(deps),
  ]);
  return {
    facts: sources.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    errors: sources.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
  };
}

type Of = { environment?: 'live' | 'test'; count?: number; newestAt?: Date | null };

const fact = (kind: AlarmKind, subject = '', { environment = 'live', count = 1, newestAt = null }: Of = {}): Fact => ({
  kind,
  subject,
  severity: severityOf(kind, environment),
  count,
  newestAt,
});

/** A network whose endpoints all fail is in trouble before the first block is late. */
function networkFact({ environment, network, state, endpoints }: NetworkStatus): Fact[] {
  const isUnserved = endpoints.configured > 0 && endpoints.ok === 0 && endpoints.unknown === 0;
  if (state === 'ok' && !isUnserved) return [];
  return [fact(state === 'down' ? 'network_down' : 'network_trouble', `${environment} ${network}`, { environment })];
}

async function readSigner({ pool }: Deps): Promise<Fact[]> {
  const [freeze, { rows }] = await Promise.all([
    readFreeze(pool),
    pool.query<{ journal: SignerState['journal'] | null }>({
      name: 'alarm-journal',
      text: 'SELECT journal FROM signer_states WHERE id = 1',
      values: [],
    }),
  ]);
  const journal = rows[0]?.journal;
  return [
    ...(freeze.isFrozen === true || freeze.waiting !== null ? [fact('signer_frozen')] : []),
    ...(freeze.trouble === null ? [] : [fact('signer_unreachable')]),
    ...(journal?.trouble ? [fact('journal_trouble')] : []),
    ...(journal && isJournalLow(journal) ? [fact('journal_low')] : []),
  ];
}

type Row = { kind: AlarmKind; subject: string; count: number; newestAt: Date | null };

const capped = (table: string, where: string): string =>
  `(SELECT * FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT ${MAX_COUNTED}) AS one`;

/** Of what merchants cause, only `live` counts. Each list is read up to MAX_COUNTED. */
async function readRows({ pool, clock }: Deps): Promise<Fact[]> {
  const held = (table: string): string => capped(table, `hold IS NOT NULL AND status = 'processing'`);
  const { rows } = await pool.query<Row & { environment: 'live' | 'test' }>({
    name: 'alarm-facts',
    text: `SELECT kind, subject, environment, count, newest AS "newestAt" FROM (
        SELECT 'differences' AS kind, environment::text AS subject, environment::text AS environment, count(*)::int AS count,
            max(found_at) AS newest FROM discrepancies WHERE ended_at IS NULL GROUP BY environment
        UNION ALL SELECT 'quarantine', kind, 'live', count(*)::int, max(first_at) FROM quarantine
          WHERE resolved_at IS NULL AND attempts >= ${QUARANTINE_ATTEMPTS}
            AND first_at <= $1::timestamptz - interval '${QUARANTINE_SECONDS} seconds' GROUP BY kind
        UNION ALL SELECT 'steps', step, 'live', 1, NULL FROM step_failures WHERE ended_at IS NULL
        UNION ALL SELECT 'mails', '', 'live', count(*)::int, NULL FROM (
          SELECT 1 FROM ${capped('mails', 'failed_at IS NOT NULL')} UNION ALL SELECT 1
            FROM ${capped('mails', `sent_at IS NULL AND failed_at IS NULL AND attempts >= ${MAIL_ATTEMPTS}`)}) AS mails
        UNION ALL SELECT CASE hold WHEN 'approval_needed' THEN 'approvals' ELSE 'refunds_held' END, '', 'live', count(*)::int,
            max(held_at) FROM (SELECT hold, held_at, environment FROM ${held('refunds')}
              UNION ALL SELECT hold, held_at, environment FROM ${held('payouts')}
              UNION ALL SELECT hold, held_at, environment FROM ${held('cold_transfers')}) AS held WHERE environment = 'live' GROUP BY 1
        UNION ALL SELECT 'stores_waiting', '', 'live', count(*)::int, max(created_at) FROM ${capped('stores', `status = 'pending'`)}
        UNION ALL SELECT 'stores_changed', '', 'live', count(*)::int, max(identity_changed_at)
          FROM ${capped('stores', 'identity_changed_at IS NOT NULL')}
        UNION ALL SELECT 'exceptions', '', 'live', count(*)::int, NULL FROM ${capped('payment_exceptions', `state = 'open'`)}
          WHERE environment = 'live' HAVING count(*) >= ${MANY_EXCEPTIONS}
        UNION ALL SELECT 'deliveries', '', 'live', count(*)::int, NULL FROM ${capped('deliveries', `status = 'failed'`)}
          WHERE environment = 'live' AND finished_at > $1::timestamptz - interval '1 day' HAVING count(*) >= ${MANY_DELIVERIES}
      ) AS facts WHERE count > 0 ORDER BY kind, subject`,
    values: [clock.now()],
  });
  return rows.map(({ kind, subject, environment, count, newestAt }) =>
    fact(kind, subject, { environment, count, newestAt }),
  );
}

async function readSecurity({ pool, clock }: Deps): Promise<Fact[]> {
  const limits = SECURITY_KINDS.flatMap((kind) => (ALARM_AT[kind] === null ? [] : [{ kind, least: ALARM_AT[kind] }]));
  const { rows } = await pool.query<{ kind: string; count: number }>({
    name: 'alarm-security',
    text: `SELECT s.kind, least(max(s.count), 2000000000)::int AS count FROM security_counts s
           JOIN unnest($2::text[], $3::bigint[]) AS l (kind, least) ON l.kind = s.kind
           WHERE s.sort = 'all' AND s.count >= l.least AND s.hour > $1::timestamptz - interval '${SECURITY_HOURS} hours'
           GROUP BY s.kind ORDER BY s.kind`,
    values: [clock.now(), limits.map(({ kind }) => kind), limits.map(({ least }) => least)],
  });
  return rows.map(({ kind, count }) => fact('security', kind, { count }));
}

const statusFacts = async (deps: Deps): Promise<Fact[]> => (await readStatus(deps)).networks.flatMap(networkFact);

/** Nothing takes addresses while no network is followed. */
const addressFacts = async (deps: Deps): Promise<Fact[]> =>
  deps.config.endpoints.size === 0
    ? []
    : (await readPoolFill(deps))
        .filter(({ isLow }) => isLow)
        .map(({ environment }) => fact('addresses_low', environment, { environment }));

const listFacts = async (deps: Deps): Promise<Fact[]> =>
  (await networksWithoutList(deps)).map((network) => fact('exchange_list', `live ${network}`));

const coinFacts = async (deps: Deps): Promise<Fact[]> =>
  (await coinBalances(deps))
    .filter(({ isLow }) => isLow)
    .map(({ environment, network, amount }) =>
      fact(amount === 0n ? 'fee_empty' : 'fee_low', `${environment} ${network}`, { environment }),
    );

const levelFacts = async (deps: Deps): Promise<Fact[]> =>
  (await readWalletLevels(deps)).flatMap(({ spec: { environment, network }, currency, missing }) =>
    missing === null
      ? []
      : [fact('wallet_low', `${environment} ${network} ${currency}`, { environment, count: missing.tokens })],
  );

const markFacts = async (deps: Deps): Promise<Fact[]> =>
  (await readMarks(deps)).flatMap(({ wallet, spec: { environment, network }, asset, outside }) =>
    outside === null ? [] : [fact(`marks_${outside}`, `${environment} ${network} ${wallet} ${asset}`, { environment })],
  );

const sweepFacts = async (deps: Deps): Promise<Fact[]> =>
  (await readSweepFacts(deps)).map(({ kind, environment, network, count }) =>
    fact(kind, `${environment} ${network}`, { environment, count }),
  );

const walletFacts = async (deps: Deps): Promise<Fact[]> =>
  (await readWalletFacts(deps)).map(({ kind, subject, ...of }) => fact(kind, subject, of));

const screeningFacts = async (deps: Deps): Promise<Fact[]> =>
  (await readScreeningFacts(deps)).map(({ kind, environment, ...of }) =>
    fact(kind, environment, { environment, ...of }),
  );

/** One alarm for each, so that a second reset is mailed at once. The console says whose sign-in it is. */
const resetFacts = async ({ pool, clock }: Deps): Promise<Fact[]> =>
  (await readOpenResets(pool, clock.now())).map(({ id }) => fact('operator_reset', id));
