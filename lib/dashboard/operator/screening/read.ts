// The hits of the screening that operators have not released, with the money that each freezes, and how current the sources are.

import { minorUnitsToText } from '@/lib/money/amounts';
import { displayAddress } from '@/lib/networks/payment-uri';
import { networkFacts } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { paged, type Page, type Paged } from '@/lib/dashboard/operator/jobs';
import { readListState, type ListState } from '@/lib/screening/list/read';
import type { Role } from '@/lib/screening/policy';
import { hitDigest, RELEASE } from './digest';

export type ScreeningHit = {
  readonly id: string;
  readonly role: Role;
  readonly environment: Environment;
  readonly network: string;
  /** As wallets write it. */
  readonly address: string;
  readonly source: string;
  readonly entity: string;
  readonly foundAt: Date;
  /** The payments of a sender's transaction, at most MAX_PAYMENTS. */
  readonly payments: readonly FrozenPayment[];
  /** What the two operators agree to. */
  readonly release: {
    readonly digest: string;
    readonly requestedBy: { readonly userId: string; readonly name: string; readonly note: string | null } | null;
    readonly declined: { readonly name: string; readonly note: string | null } | null;
  };
};

type FrozenPayment = {
  readonly storeId: string;
  readonly sessionId: string;
  readonly storeName: string;
  readonly currency: string;
  /** Decimal text: what was paid. */
  readonly amount: string;
};

export type ScreeningState = {
  readonly isOn: boolean;
  /** Null where the settings name no key of a list. */
  readonly list: ListState | null;
  /** Addresses without an answer, at most MAX_COUNTED. */
  readonly waiting: number;
};

/** A transaction can pay many sessions; the others are frozen too. */
const MAX_PAYMENTS = 5;
const MAX_COUNTED = 1000;

type Paid = Omit<FrozenPayment, 'amount'> & { readonly units: string; readonly decimals: number };
type Row = Pick<ScreeningHit, 'id' | 'role' | 'environment' | 'network' | 'address' | 'source' | 'entity'> & {
  readonly foundAt: Date;
  readonly payments: readonly Paid[] | null;
  readonly requests: readonly Request[] | null;
};
type Request = {
  readonly digest: string;
  readonly userId: string;
  readonly name: string;
  readonly note: string | null;
  /** Null while it is open. */
  readonly declinedBy: string | null;
};

/** The newest first. */
export async function listHits({ pool }: Pick<Context, 'pool'>, { before, limit }: Page): Promise<Paged<ScreeningHit>> {
  const { rows } = await pool.query<Row>({
    name: 'operator-screening-hits',
    text: `SELECT x.id::text AS id, x.role, x.environment, x.network, x.address, coalesce(x.source, '') AS source, coalesce(x.entity, '') AS entity, coalesce(x.checked_at, x.requested_at) AS "foundAt",
             paid.payments, asked.requests
           FROM screenings x
             LEFT JOIN LATERAL (
               SELECT json_agg(one) AS payments FROM (
                 SELECT s.store_id AS "storeId", t.session_id AS "sessionId", st.name AS "storeName", t.currency,
                   t.amount::text AS units, t.decimals
                 FROM transfers t JOIN sessions s ON s.id = t.session_id JOIN stores st ON st.id = s.store_id
                 WHERE x.role = 'sender' AND t.payer = x.address AND t.transaction_hash = x.transaction_hash
                   AND t.network = x.network AND s.environment = x.environment
                 ORDER BY t.id LIMIT ${MAX_PAYMENTS}) AS one) AS paid ON true
             LEFT JOIN LATERAL (
               SELECT json_agg(one) AS requests FROM (
                 SELECT encode(a.digest, 'hex') AS digest, a.requested_by AS "userId", coalesce(nullif(u.name, ''), u.email) AS name, a.note,
                   CASE WHEN a.decided_by IS NOT NULL THEN coalesce(nullif(d.name, ''), d.email) END AS "declinedBy"
                 FROM approvals a JOIN users u ON u.id = a.requested_by LEFT JOIN users d ON d.id = a.decided_by
                 WHERE a.kind = $3 AND a.target = x.id::text AND (a.decided_at IS NULL OR (a.decided_by IS NOT NULL AND NOT a.is_approved))
                 ORDER BY a.decided_at DESC NULLS FIRST LIMIT 2) AS one) AS asked ON true
           WHERE x.verdict = 'hit' AND x.released_at IS NULL AND ($1::bigint IS NULL OR x.id < $1) ORDER BY x.id DESC LIMIT $2`,
    values: [before, limit + 1, RELEASE],
  });
  const { rows: shown, next } = paged(rows, limit);
  return { rows: shown.map(hitOf), next };
}

function hitOf({ payments, requests, ...row }: Row): ScreeningHit {
  const digest = hitDigest(row).toString('hex');
  const [newest] = (requests ?? []).filter((one) => one.digest === digest);
  const family = networkFacts(row.network)?.family ?? 'evm';
  return {
    ...row,
    address: displayAddress(family, row.address),
    payments: (payments ?? []).map(({ units, decimals, ...paid }) => ({
      ...paid,
      amount: minorUnitsToText(BigInt(units), decimals),
    })),
    release: {
      digest,
      requestedBy:
        newest && newest.declinedBy === null ? { userId: newest.userId, name: newest.name, note: newest.note } : null,
      declined: newest?.declinedBy ? { name: newest.declinedBy, note: newest.note } : null,
    },
  };
}

export async function readScreeningState(deps: Pick<Context, 'pool' | 'clock' | 'config'>): Promise<ScreeningState> {
  const { SCREENING_LIST_KEY, SCREENING_HOOK_URL, SCREENING_ORACLE, SCREENING_ORACLE_LOCAL } = deps.config;
  const { rows } = await deps.pool.query<{ waiting: number }>({
    name: 'operator-screening-waiting',
    text: `SELECT count(*)::int AS waiting FROM (SELECT 1 FROM screenings WHERE next_at IS NOT NULL LIMIT ${MAX_COUNTED}) AS one`,
    values: [],
  });
  return {
    isOn: Boolean(SCREENING_LIST_KEY ?? SCREENING_HOOK_URL ?? SCREENING_ORACLE_LOCAL) || SCREENING_ORACLE,
    list: SCREENING_LIST_KEY === undefined ? null : await readListState(deps),
    waiting: rows[0]?.waiting ?? 0,
  };
}
