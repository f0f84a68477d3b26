// Security events: each refusal that could belong to an attack is logged and counted per hour, kind and subject. Noting an
// event only changes memory; one statement stores the counts every few seconds. Log lines, subjects and counters are bounded,
// so a flood costs neither writes nor memory. Callers pass no secret and no e-mail address; accounts are identified by their
// id.

import ipaddr from 'ipaddr.js';
import { groupOf } from '@/lib/platform/rate-limit/address-group';
import type { Context } from '@/lib/platform/context';
import { OTHERS, SECURITY_KINDS, type SecurityKind, type SecuritySubject } from './kinds';

export type SecurityEvent = {
  readonly kind: SecurityKind;
  /** The client's address; empty when unknown. */
  readonly address?: string;
  /** A user's id. */
  readonly account?: string | null | undefined;
  /** An API key's id. */
  readonly key?: number | null | undefined;
  readonly store?: string | null | undefined;
  /** A kind of page and a directive of its policy, both from fixed lists. */
  readonly policy?: string;
};

/** How long a count stays in memory at most. A killed process loses this much; its log lines stay. */
const FLUSH_MILLISECONDS = 5000;
/** Log lines of one kind between two flushes. They are a sample; the counts say how often. */
const MAX_LINES = 50;
/** Subjects of one sort and kind that a process counts by name in one hour. Further subjects are counted together as OTHERS. */
const MAX_SUBJECTS = 200;
/**
 * Counters kept during a database outage. The number exceeds what one hour can make, so that a long outage keeps its beginning
 * and end.
 */
const MAX_COUNTERS = 20_000;
/** Rows of one statement. */
const MAX_ROWS = 2000;
const HOUR = 3_600_000;

type Deps = Pick<Context, 'pool' | 'clock' | 'log'>;
type Counter = {
  readonly hour: number;
  readonly kind: SecurityKind;
  readonly sort: SecuritySubject;
  readonly subject: string;
  count: number;
  lastAt: number;
};
type Collector = {
  counters: Map<string, Counter>;
  /** The subjects counted by name in `hour`, by kind and sort. */
  named: Map<string, Set<string>>;
  hour: number;
  lines: Map<SecurityKind, number>;
  timer: NodeJS.Timeout | null;
  /** The running flush, so that two never store at once. */
  storing: Promise<void> | null;
};

/** One collector for each database. Next keeps several copies of this file in one process, and they share it. */
const shared = globalThis as unknown as { stabletillSecurity?: WeakMap<object, Collector> };

/** Logs and counts an event. Returns at once and never throws. */
export function noteSecurity(deps: Deps, event: SecurityEvent): void {
  const collector = collectorOf(deps);
  const now = deps.clock.now().getTime();
  const subjects = subjectsOf(event);
  logEvent(deps, collector, event.kind, subjects);
  count(collector, now, event.kind, 'all', '');
  for (const [sort, subject] of subjects) count(collector, now, event.kind, sort, subject);
  collector.timer ??= setTimeout(() => void flushSecurityEvents(deps), FLUSH_MILLISECONDS).unref();
}

/** Stores the pending counts. Never throws: counts that could not be stored wait for the next flush. */
export async function flushSecurityEvents(deps: Deps): Promise<void> {
  const collector = collectorOf(deps);
  if (collector.timer) clearTimeout(collector.timer);
  collector.timer = null;
  await collector.storing;
  collector.storing = store(deps, collector).finally(() => (collector.storing = null));
  await collector.storing;
}

async function store(deps: Deps, collector: Collector): Promise<void> {
  for (const [kind, lines] of collector.lines)
    if (lines > MAX_LINES) deps.log.warn({ kind, count: lines - MAX_LINES }, 'more security events were not logged');
  collector.lines = new Map();
  const taken = [...collector.counters].toSorted(([a], [b]) => (a < b ? -1 : 1));
  collector.counters = new Map();
  for (let n = 0; n < taken.length; n += MAX_ROWS) {
    const page = taken.slice(n, n + MAX_ROWS);
    try {
      await insert(
        deps,
        page.map(([, counter]) => counter),
      );
    } catch (error) {
      deps.log.warn({ err: error }, 'security events could not be stored');
      giveBack(collector, taken.slice(n));
      return;
    }
  }
}

/** Sorted by primary key, so that two processes that store the same rows do not block each other. */
const insert = ({ pool }: Deps, rows: readonly Counter[]) =>
  pool.query({
    name: 'store-security-counts',
    text: `INSERT INTO security_counts AS s (hour, kind, sort, subject, count, last_at)
           SELECT * FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
           ON CONFLICT (hour, kind, sort, subject)
           DO UPDATE SET count = s.count + excluded.count, last_at = greatest(s.last_at, excluded.last_at)`,
    values: [
      rows.map(({ hour }) => new Date(hour)),
      rows.map(({ kind }) => kind),
      rows.map(({ sort }) => sort),
      rows.map(({ subject }) => subject),
      rows.map(({ count: times }) => times),
      rows.map(({ lastAt }) => new Date(lastAt)),
    ],
  });

function giveBack(collector: Collector, rows: readonly (readonly [string, Counter])[]): void {
  for (const [id, counter] of rows) {
    const known = collector.counters.get(id);
    if (known) known.count += counter.count;
    else if (collector.counters.size < MAX_COUNTERS) collector.counters.set(id, counter);
  }
}

function count(collector: Collector, now: number, kind: SecurityKind, sort: SecuritySubject, subject: string): void {
  const hour = now - (now % HOUR);
  if (collector.hour !== hour) Object.assign(collector, { hour, named: new Map() });
  const name = nameIn(collector, `${kind} ${sort}`, subject);
  const id = `${hour} ${kind} ${sort} ${name}`;
  const known = collector.counters.get(id);
  if (known) {
    known.count += 1;
    known.lastAt = now;
  } else if (collector.counters.size < MAX_COUNTERS)
    collector.counters.set(id, { hour, kind, sort, subject: name, count: 1, lastAt: now });
}

/** The subject itself while there are few, else OTHERS. */
function nameIn({ named }: Collector, group: string, subject: string): string {
  let names = named.get(group);
  if (!names) named.set(group, (names = new Set()));
  if (names.has(subject)) return subject;
  if (names.size >= MAX_SUBJECTS) return OTHERS;
  names.add(subject);
  return subject;
}

type Subject = readonly [Exclude<SecuritySubject, 'all'>, string];

function subjectsOf({ address = '', account, key, store: storeId, policy }: SecurityEvent): readonly Subject[] {
  const subjects: Subject[] = [];
  // Without a trusted proxy the address can be arbitrary text.
  if (ipaddr.isValid(address)) subjects.push(['address', groupOf(address)]);
  if (account) subjects.push(['account', account]);
  if (typeof key === 'number') subjects.push(['key', String(key)]);
  if (storeId) subjects.push(['store', storeId]);
  if (policy) subjects.push(['policy', policy]);
  return subjects;
}

function logEvent({ log }: Deps, { lines }: Collector, kind: SecurityKind, subjects: readonly Subject[]): void {
  const written = (lines.get(kind) ?? 0) + 1;
  lines.set(kind, written);
  if (written <= MAX_LINES) log.warn({ kind, ...Object.fromEntries(subjects) }, 'security event');
}

function collectorOf({ pool }: Deps): Collector {
  const all = (shared.stabletillSecurity ??= new WeakMap());
  let collector = all.get(pool);
  if (!collector) {
    collector = { counters: new Map(), named: new Map(), hour: -1, lines: new Map(), timer: null, storing: null };
    all.set(pool, collector);
  }
  return collector;
}

/** Events of the current UTC hour by kind, for the metrics. Kinds without events have a zero. */
export async function countsThisHour({ pool, clock }: Pick<Context, 'pool' | 'clock'>) {
  const now = clock.now().getTime();
  const { rows } = await pool.query<{ kind: string; count: number }>({
    name: 'security-counts-of-hour',
    text: `SELECT kind, count::float8 AS count FROM security_counts WHERE hour = $1 AND sort = 'all'`,
    values: [new Date(now - (now % HOUR))],
  });
  const counts = new Map(rows.map((row) => [row.kind, row.count]));
  return SECURITY_KINDS.map((kind) => ({ kind, count: counts.get(kind) ?? 0 }));
}
