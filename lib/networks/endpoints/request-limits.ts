// The request limits of an endpoint's plan, from the settings or known for its provider, and the watcher's idle interval that
// fits them. Pure.

/** Null: no limit. `weights`: the cost of a method in the plan's units; every other method costs one. */
export type RequestLimits = {
  readonly perSecond: number | null;
  readonly perDay: number | null;
  readonly batch: number | null;
  readonly weights: ReadonlyMap<string, number>;
};

export const NO_LIMITS: RequestLimits = { perSecond: null, perDay: null, batch: null, weights: new Map() };
/** The free plan of a TronGrid key. Operators enter paid plans in the settings. */
export const TRONGRID_LIMITS: RequestLimits = { ...NO_LIMITS, perSecond: 15, perDay: 100_000 };

/** Interval between two scans of a network without open sessions. It only delays late payments (watcher/poll-interval). */
export const IDLE_SCAN_MS = 90_000;
/** An idle scan starts up to one worker tick late and itself takes a few seconds. */
const IDLE_MARGIN_MS = 20_000;
/**
 * An idle network without a scan for longer than this has no watcher. A failing scan reports itself at once, on the chain's row.
 */
export const IDLE_SILENCE_MS = IDLE_SCAN_MS + IDLE_MARGIN_MS;

/** Placeholder for an endpoint without limits, in front of one that has some. */
const NONE = '-';
const PART = /^([A-Za-z][A-Za-z0-9_]{0,60})=(\d{1,10}(?:\.\d{1,3})?)$/;
/** Larger batches bring no benefit. */
const LARGEST_BATCH = 1000;

/** Parses `second=25;day=100000;batch=3;eth_getLogs=75`, or `-`. Null for any other text. */
export function readLimits(text: string): RequestLimits | null {
  if (text === NONE) return NO_LIMITS;
  const parts = new Map<string, number>();
  for (const part of text.split(';')) {
    const [, name = '', value = ''] = PART.exec(part) ?? [];
    if (name === '' || parts.has(name)) return null;
    parts.set(name, Number(value));
  }
  const { second = null, day = null, batch = null, ...weights } = Object.fromEntries(parts);
  if ([second, day, batch].some((limit) => limit === 0)) return null;
  if (batch !== null && (!Number.isInteger(batch) || batch > LARGEST_BATCH)) return null;
  return { perSecond: second, perDay: day, batch, weights: new Map(Object.entries(weights)) };
}
