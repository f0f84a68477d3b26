// Security events for operators: the number of each kind, and the addresses, accounts and API keys that they concern. Every
// list shows only the largest entries.

import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { SECURITY_KINDS, type SecurityKind } from '@/lib/platform/security/kinds';

export const PERIODS = { day: 24, week: 7 * 24 } as const;
export type Period = keyof typeof PERIODS;

/** Rows of each list of subjects. */
const MAX_SUBJECTS = 20;
const HOUR = 3_600_000;

export type KindCount = {
  readonly kind: SecurityKind;
  readonly day: number;
  readonly week: number;
  readonly lastAt: Date | null;
  /** When the operators were mailed within the last day. */
  readonly alarmedAt: Date | null;
};
/** `subject`: an address group, an id, a kind of page with a directive, or `others` for those beyond the named ones. */
export type SubjectCount = {
  readonly subject: string;
  readonly count: number;
  readonly kinds: readonly SecurityKind[];
  readonly lastAt: Date;
};
export type AccountCount = SubjectCount & { readonly email: string | null };
export type StoreCount = SubjectCount & { readonly storeName: string | null };
export type KeyCount = StoreCount & {
  readonly name: string | null;
  readonly storeId: string | null;
  readonly environment: Environment | null;
};

type Deps = Pick<Context, 'pool' | 'clock'>;
type Wish = { readonly period: Period; readonly kind: SecurityKind | null };

/** All kinds, sorted by their events of the last day. */
export async function listKinds({ pool, clock }: Deps): Promise<readonly KindCount[]> {
  const now = clock.now().getTime();
  const { rows } = await pool.query<KindCount>({
    name: 'operator-security-kinds',
    text: `SELECT k.kind, coalesce(sum(c.count) FILTER (WHERE c.hour > $2), 0)::float8 AS day, coalesce(sum(c.count), 0)::float8 AS week,
             max(c.last_at) AS "lastAt",
             (SELECT max(a.notified_at) FROM alarms a WHERE a.kind = 'security' AND a.subject = k.kind AND a.notified_at > $2) AS "alarmedAt"
           FROM unnest($1::text[]) WITH ORDINALITY AS k (kind, place)
           LEFT JOIN security_counts c ON c.kind = k.kind AND c.sort = 'all' AND c.hour > $3
           GROUP BY k.kind, k.place ORDER BY day DESC, week DESC, k.place`,
    values: [SECURITY_KINDS, new Date(now - PERIODS.day * HOUR), new Date(now - PERIODS.week * HOUR)],
  });
  return rows;
}

export async function listAddresses(deps: Deps, wish: Wish): Promise<readonly SubjectCount[]> {
  const list = { name: 'addresses', sort: 'address', columns: '', joins: '' };
  return (await deps.pool.query<SubjectCount>(subjects(deps, wish, list))).rows;
}

export async function listAccounts(deps: Deps, wish: Wish): Promise<readonly AccountCount[]> {
  const list = {
    name: 'accounts',
    sort: 'account',
    columns: ', u.email',
    joins: 'LEFT JOIN users u ON u.id::text = top.subject',
  };
  return (await deps.pool.query<AccountCount>(subjects(deps, wish, list))).rows;
}

export async function listKeys(deps: Deps, wish: Wish): Promise<readonly KeyCount[]> {
  const list = {
    name: 'keys',
    sort: 'key',
    columns: `, k.name, k.store_id AS "storeId", s.name AS "storeName", k.environment`,
    joins: 'LEFT JOIN api_keys k ON k.id::text = top.subject LEFT JOIN stores s ON s.id = k.store_id',
  };
  return (await deps.pool.query<KeyCount>(subjects(deps, wish, list))).rows;
}

export async function listStores(deps: Deps, wish: Wish): Promise<readonly StoreCount[]> {
  const list = {
    name: 'stores',
    sort: 'store',
    columns: `, s.name AS "storeName"`,
    joins: 'LEFT JOIN stores s ON s.id = top.subject',
  };
  return (await deps.pool.query<StoreCount>(subjects(deps, wish, list))).rows;
}

/** `subject`: the kind of page and the directive of its policy. */
export async function listPolicies(deps: Deps, wish: Wish): Promise<readonly SubjectCount[]> {
  const list = { name: 'policies', sort: 'policy', columns: '', joins: '' };
  return (await deps.pool.query<SubjectCount>(subjects(deps, wish, list))).rows;
}

type List = { readonly name: string; readonly sort: string; readonly columns: string; readonly joins: string };

/** The statement of a list, with its values. */
const subjects = ({ clock }: Deps, { period, kind }: Wish, { name, sort, columns, joins }: List) => ({
  name: `operator-security-${name}`,
  text: `WITH top AS (
             SELECT subject, sum(count) AS total, array_agg(DISTINCT kind) AS kinds, max(last_at) AS last_at FROM security_counts
             WHERE hour > $1 AND sort = $2 AND ($3::text IS NULL OR kind = $3)
             GROUP BY subject ORDER BY total DESC, subject LIMIT ${MAX_SUBJECTS})
           SELECT top.subject, top.total::float8 AS count, top.kinds, top.last_at AS "lastAt"${columns}
           FROM top ${joins} ORDER BY top.total DESC, top.subject`,
  values: [new Date(clock.now().getTime() - PERIODS[period] * HOUR), sort, kind],
});
