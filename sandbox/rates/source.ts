// The sandbox's own source of exchange rates: responds like every real one on `/rates/<source>/…`, and misbehaves as configured
// on `/control/rates`. So a developer can see how the product handles slow, wrong, stale or dead sources.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '@/lib/platform/clock';
import type { SourceName } from '@/lib/money/rates/providers/provider';
import { readJson, Refusal, send, sendJson, type Exchange } from '../http';
import { answerOf } from './prices';

export const RATES_PATH = '/rates';
export const RATES_CONTROL_PATH = '/control/rates';

const SOURCES = ['coinbase', 'kraken', 'binance', 'frankfurter', 'er-api'] as const satisfies readonly SourceName[];
const LARGEST_ORDER = 16_384;

const order = z.union([
  z.strictObject({ reset: z.literal(true) }),
  z.strictObject({
    /** All of them when absent. */
    source: z.enum(SOURCES).optional(),
    /** The configured misbehaviour. Several can be combined; none of them restores normal behaviour. */
    slow_ms: z.int().min(0).max(60_000).optional(),
    factor: z.number().positive().optional(),
    peg: z.number().positive().optional(),
    stale_seconds: z.int().min(0).max(31_536_000).optional(),
    status: z.int().min(200).max(599).optional(),
    /** The Retry-After in seconds. */
    retry_after: z.int().min(0).max(100_000).optional(),
    body: z.string().max(10_000).optional(),
    dead: z.boolean().optional(),
  }),
]);
type Behaviour = Omit<Extract<z.output<typeof order>, { source?: unknown }>, 'source'>;

/** A daily price has this hour, which is past for every day that has begun in Europe's afternoon. */
const DAY_MILLISECONDS = 86_400_000;

export class LocalRates {
  readonly #clock: Clock;
  readonly #behaviours = new Map<SourceName, Behaviour>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Serves `GET /rates/<source>/…` like that source, whatever follows its name. */
  async serve({ request, response, url }: Exchange): Promise<void> {
    const name = url.pathname.split('/')[2];
    const source = SOURCES.find((one) => one === name);
    if (!source) throw new Refusal(404, 'there is no such source of rates');
    if (request.method !== 'GET') throw new Refusal(405, 'rates are read with GET');
    const behaviour = this.#behaviours.get(source) ?? {};
    const { slow_ms = 0, factor = 1, peg = 1, stale_seconds = 0, status = 200, body, dead } = behaviour;
    if (slow_ms > 0) await sleep(slow_ms, undefined, { ref: false });
    if (dead) {
      response.destroy();
      return;
    }
    const now = this.#clock.now().getTime() - stale_seconds * 1000;
    // A daily reference returns the day before, whose fixing is past at any hour. A market reports its age in a header.
    const isDaily = source === 'frankfurter' || source === 'er-api';
    const at = new Date(isDaily ? now - DAY_MILLISECONDS : now);
    if (behaviour.retry_after !== undefined) response.setHeader('retry-after', String(behaviour.retry_after));
    if (!isDaily) response.setHeader('age', String(stale_seconds));
    send(response, status, 'application/json', body ?? answerOf(source, { factor, peg, at }));
  }

  /** Serves `POST /control/rates`: `{ source, slow_ms, factor, peg, stale_seconds, status, retry_after, body, dead }` or `{ reset: true }`. */
  async obey({ request, response }: Exchange): Promise<void> {
    if (request.method !== 'POST') throw new Refusal(405, 'the control door takes POST only');
    const read = order.safeParse(await readJson(request, LARGEST_ORDER));
    if (!read.success) throw new Refusal(400, 'not an order for the rate source');
    if ('reset' in read.data) {
      this.#behaviours.clear();
    } else {
      const { source, ...behaviour } = read.data;
      for (const one of source ? [source] : SOURCES) this.#behaviours.set(one, behaviour);
    }
    sendJson(response, 200, { sources: Object.fromEntries(this.#behaviours) });
  }
}
