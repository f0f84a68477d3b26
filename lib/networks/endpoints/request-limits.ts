// What an endpoint's plan allows, as the operator writes it in the settings or as it is known of a provider, and how long the
// watcher rests to fit it. Pure.

/** Null: no limit. `weights`: what a method costs in the plan's units; every other method costs one. */
export type RequestLimits = {
  readonly perSecond: number | null;
  readonly perDay: number | null;
  readonly batch: number | null;
  readonly weights: ReadonlyMap<string, number>;
};

export const NO_LIMITS: RequestLimits = { perSecond: null, perDay: null, batch: null, weights: new Map() };
/** A TronGrid key's free plan (chains.md 2.3). A paid plan is written in the settings. */
export const TRONGRID_LIMITS: RequestLimits = { ...NO_LIMITS, perSecond: 15, perDay: 100_000 };

/** Between two scans of a network on which no session is open. Only late payments are found later by it (watcher/scan-pace). */
export const IDLE_SCAN_MS = 90_000;
/** An idle scan is late by a worker's tick and takes some seconds itself. */
const IDLE_MARGIN_MS = 20_000;
/** An idle network that was last read longer ago has no watcher. A scan that fails says so at once, on the chain's row. */
export const IDLE_SILENCE_MS = IDLE_SCAN_MS + IDLE_MARGIN_MS;

/** Stands for an endpoint without limits, in front of one that has some. */
const NONE = '-';
const PART = /^([A-Za-z][A-Za-z0-9_]{0,60})=(\d{1,10}(?:\.\d{1,3})?)$/;
/** More calls in one request are of no use to us. */
const LARGEST_BATCH = 1000;

/** Reads `second=25;day=100000;batch=3;eth_getLogs=75`, or `-`. Null when the text is neither. */
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
