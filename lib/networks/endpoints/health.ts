// The health record of one endpoint: failures, identity proof, height, and doubts. It determines the order of endpoints and what
// the operator sees. Times are Unix milliseconds. No I/O.

import type { ChainError, Head } from '@/lib/networks/chain';
import type { KnownHead, SharedHead } from './shared-head';

export type EndpointState = 'ok' | 'lagging' | 'throttled' | 'failing' | 'refused' | 'unknown';

/** The health of an endpoint, safe to store and show: it is named by its position in the settings, from 1. */
export type EndpointHealth = {
  readonly position: number;
  readonly state: EndpointState;
  /** A description of the problem, without a URL; null if there is none. */
  readonly message: string | null;
  /** The newest block that it reported. */
  readonly height: number | null;
  readonly failures: number;
  /** When this state began. */
  readonly since: Date;
};

/** `name` is "endpoint 2": safe to show. */
export type EndpointClient = { readonly name: string; readonly shared?: SharedHead | undefined };

export type EndpointRecord<C extends EndpointClient = EndpointClient> = {
  readonly client: C;
  readonly name: string;
  readonly position: number;
  failures: number;
  /** The last failure, until the endpoint recovers. */
  trouble: ChainError | null;
  /** Until then the endpoint comes after the others. */
  demotedUntil: number;
  /** Until then it receives no requests, because it requested a pause. */
  silentUntil: number;
  provenAt: number;
  refusal: { readonly error: ChainError; readonly until: number } | null;
  /** Other endpoints reported facts that contradict this one's. */
  doubt: { readonly message: string; readonly until: number } | null;
  /** Its newest block, and when it reported that. */
  tip: { readonly number: number; readonly time: number; readonly readAt: number } | null;
  /** The last final block that it reported. */
  final: { readonly number: number; readonly hash: string } | null;
  /** Time of the last request; null before the first. */
  askedAt: number | null;
  /** The state last shown, and when it began. */
  shown: { readonly state: EndpointState; readonly since: number };
};

const BACKOFF_MS = 1000;
/** Also caps Retry-After, so that one header cannot disable an endpoint for a day. */
const LONGEST_BACKOFF_MS = 60_000;
/** After a contradiction, an endpoint's reports count only together with others for this long. */
const DOUBT_LASTS_MS = 600_000;
/** Two or three blocks of the slowest network; providers' nodes differ by less. */
const LAG_SECONDS = 40;
/** A block further in the future is forged, or the clock is wrong; it does not make other endpoints count as lagging. */
const AHEAD_SECONDS = 120;

/** The record of a new endpoint, about which nothing is known. */
export const newRecord = <C extends EndpointClient>(client: C, position: number, now: number): EndpointRecord<C> => ({
  client,
  name: client.name,
  position,
  failures: 0,
  trouble: null,
  demotedUntil: 0,
  silentUntil: 0,
  provenAt: Number.NEGATIVE_INFINITY,
  refusal: null,
  doubt: null,
  tip: null,
  final: null,
  askedAt: null,
  shown: { state: 'unknown', since: now },
});

/** Records a failure: the endpoint comes after the others for 1, 2, 4 … 60 seconds, and gets no requests during a requested pause. */
export function recordFailure(record: EndpointRecord, error: ChainError, now: number): void {
  record.failures += 1;
  record.trouble = error;
  record.demotedUntil = now + Math.min(BACKOFF_MS * 2 ** Math.min(record.failures - 1, 10), LONGEST_BACKOFF_MS);
  record.silentUntil = now + Math.min((error.retryAfterSeconds ?? 0) * 1000, LONGEST_BACKOFF_MS);
}

export function recordSuccess(record: EndpointRecord): void {
  record.failures = 0;
  record.trouble = null;
  record.demotedUntil = 0;
  record.silentUntil = 0;
}

export function recordHead(record: EndpointRecord, { tip, final }: Head, now: number): void {
  record.tip = { number: tip.number, time: tip.time, readAt: now };
  record.final = { number: final.number, hash: final.hash };
}

/** Records a head that another process read. Only the height counts here; each reader determines the final block itself. */
export function recordSharedHead(record: EndpointRecord, { tip, readAt }: KnownHead): void {
  record.tip = { ...tip, readAt };
  record.askedAt = readAt;
}

/** Records that other endpoints contradict this one. */
export function recordDoubt(record: EndpointRecord, message: string, now: number): void {
  record.doubt = { message, until: now + DOUBT_LASTS_MS };
}

export const isDoubted = ({ doubt }: EndpointRecord, now: number): boolean => doubt !== null && doubt.until > now;

/** Whether its newest block is far behind the newest reported by any endpoint, allowing for the times of reading. */
export function isLagging(record: EndpointRecord, all: readonly EndpointRecord[]): boolean {
  const own = record.tip;
  if (!own) return false;
  return all.some(({ tip }) => {
    if (!tip || tip.time * 1000 > tip.readAt + AHEAD_SECONDS * 1000) return false;
    const readLater = Math.max(0, tip.readAt - own.readAt) / 1000;
    return tip.time - own.time - readLater > LAG_SECONDS;
  });
}

/** Healthy endpoints in the configured order, then lagging ones, then those in backoff or doubt, the soonest to recover first. */
export function inOrder<C extends EndpointClient>(
  records: readonly EndpointRecord<C>[],
  now: number,
): EndpointRecord<C>[] {
  const penalty = (record: EndpointRecord<C>) => {
    const until = Math.max(record.demotedUntil, record.doubt?.until ?? 0);
    if (until > now) return until;
    return isLagging(record, records) ? 1 : 0;
  };
  return records.toSorted((one, other) => penalty(one) - penalty(other));
}

/** The current health of the endpoint. */
export function healthOf(record: EndpointRecord, all: readonly EndpointRecord[], now: number): EndpointHealth {
  const { state, message } = judge(record, all, now);
  if (record.shown.state !== state) record.shown = { state, since: now };
  return {
    position: record.position,
    state,
    message,
    height: record.tip?.number ?? null,
    failures: record.failures,
    since: new Date(record.shown.since),
  };
}

function judge(
  record: EndpointRecord,
  all: readonly EndpointRecord[],
  now: number,
): { state: EndpointState; message: string | null } {
  if (record.refusal) return { state: 'refused', message: record.refusal.error.message };
  const { trouble, doubt } = record;
  if (trouble) return { state: trouble.throttled ? 'throttled' : 'failing', message: trouble.message };
  if (doubt && doubt.until > now) return { state: 'failing', message: doubt.message };
  if (record.provenAt === Number.NEGATIVE_INFINITY) return { state: 'unknown', message: null };
  if (isLagging(record, all)) {
    return { state: 'lagging', message: `its newest block, ${record.tip?.number}, is far behind that of another` };
  }
  return { state: 'ok', message: null };
}
