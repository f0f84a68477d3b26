// A market that rents energy on TRON: it delegates energy to an address, and takes the price from a balance that the operator has paid
// in. It gets an address and no key. The interface is ours; the client speaks the API of itrx.io (documented at develop.itrx.io, read
// on 2026-11-29), where requests that cost money are signed with HMAC-SHA-256.

import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { z } from 'zod';
import { unixSeconds, type Clock } from '@/lib/platform/clock';
import { readCapped } from '@/lib/platform/http';

export type EnergyOrder = {
  /** Ours: the market finds the order by it. */
  readonly reference: string;
  readonly address: string;
  readonly energy: bigint;
};

/** `gone`: the market has no such order. Amounts are sun. */
type OrderOutcome = { readonly kind: 'placed'; readonly cost: bigint } | { readonly kind: 'gone' };

/** All methods throw a MarketError: `isRefusal` when the market said no, otherwise the outcome is unknown. */
export type EnergyMarket = {
  /** Sun for so much energy, for an hour. */
  price(energy: bigint): Promise<bigint>;
  /** Places an order and returns what it cost, in sun. */
  order(order: EnergyOrder): Promise<bigint>;
  find(reference: string): Promise<OrderOutcome>;
};

/** Its message repeats no key, and no more of the market's answer than a line. */
export class MarketError extends Error {
  readonly isRefusal: boolean;
  constructor(message: string, isRefusal = false) {
    super(message);
    this.name = 'MarketError';
    this.isRefusal = isRefusal;
  }
}

export type MarketAccount = { readonly url: string; readonly key: string; readonly secret: string };

const TIMEOUT_MILLISECONDS = 5000;
const MAX_BYTES = 64 * 1024;
/** The shortest time for which it rents. */
const PERIOD = '1H';
const NO_SUCH_ORDER = 404;

const sun = z.int().nonnegative().transform(BigInt);
const refusal = z.object({ errno: z.int().refine((code) => code !== 0), message: z.unknown().optional() });
const priced = z.object({ total_price: sun });
const ordered = z.object({ errno: z.literal(0), amount: sun });
/** 41: ended and refunded. 43: ended after an error. 0: it was never paid. */
const [UNPAID, REFUNDED] = [0, 41];
const found = z.object({ errno: z.literal(0), amount: sun, refund_amount: sun, status: z.int() });

/** Opens the client. No request is sent before the first call. */
export function openEnergyMarket(
  { url, key, secret }: MarketAccount,
  clock: Clock,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): EnergyMarket {
  const base = `${url.replace(/\/+$/, '')}/api/v1/frontend/order`;
  const ask = (path: string, body: string | null = null): Promise<unknown> =>
    call(`${base}${path}`, {
      secrets: [key, secret],
      headers: { 'API-KEY': key, ...(body === null ? {} : signedHeaders(secret, unixSeconds(clock.now()), body)) },
      body,
      timeoutMilliseconds,
    });
  return {
    price: async (energy) => read(priced, await ask(`/price?period=${PERIOD}&energy_amount=${energy}`)).total_price,
    order: async (order) => read(ordered, await ask('', orderBody(order))).amount,
    async find(reference) {
      const answer = await ask(`/query?out_trade_no=${encodeURIComponent(reference)}`);
      const refused = refusal.safeParse(answer);
      if (refused.success && refused.data.errno === NO_SUCH_ORDER) return { kind: 'gone' };
      const { status, amount, refund_amount: back } = read(found, answer);
      if (status === UNPAID) return { kind: 'gone' };
      const isBack = status === REFUNDED && back === 0n;
      return { kind: 'placed', cost: isBack || back > amount ? 0n : amount - back };
    },
  };
}

/** In the order of the names: the market signs the body in this order. */
const orderBody = ({ reference, address, energy }: EnergyOrder): string =>
  JSON.stringify({
    energy_amount: Number(energy),
    out_trade_no: reference,
    period: PERIOD,
    receive_address: address,
  });

/** `seconds`: Unix time. */
export const signedHeaders = (secret: string, seconds: number, body: string): Record<string, string> => ({
  'content-type': 'application/json',
  TIMESTAMP: String(seconds),
  SIGNATURE: createHmac('sha256', secret).update(`${seconds}&${body}`).digest('hex'),
});

type Request = {
  /** What no message repeats, also if the market does. */
  readonly secrets: readonly string[];
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly timeoutMilliseconds: number;
};

async function call(url: string, { headers, body, secrets, timeoutMilliseconds }: Request): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const answer = await send(url, { headers, body, signal });
  const { status, text } = answer;
  if (status >= 500 || text === null) throw new MarketError(`the energy market answered with status ${status}`);
  try {
    return JSON.parse(secrets.reduce((left, one) => left.replaceAll(one, '…'), text));
  } catch {
    throw new MarketError(`the energy market answered with status ${status} and no JSON`);
  }
}

type Sent = Pick<Request, 'headers' | 'body'> & { readonly signal: AbortSignal };

async function send(
  url: string,
  { headers, body, signal }: Sent,
): Promise<{ readonly status: number; readonly text: string | null }> {
  try {
    const answer = await request(url, {
      method: body === null ? 'GET' : 'POST',
      // `identity`, so that the size cap counts the bytes that are read; undici follows no redirects by default.
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'stabletill', ...headers },
      body,
      signal,
    });
    return { status: answer.statusCode, text: (await readCapped(answer.body, MAX_BYTES))?.toString('utf8') ?? null };
  } catch {
    // Errors of undici contain hosts, so they are not passed on.
    throw new MarketError(
      signal.aborted ? 'the energy market did not answer in time' : 'the energy market could not be reached',
    );
  }
}

const LONGEST_MESSAGE = 200;

function read<T>(shape: z.ZodType<T>, answer: unknown): T {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  const refused = refusal.safeParse(answer);
  if (!refused.success) throw new MarketError('the energy market did not answer as documented');
  const text = typeof refused.data.message === 'string' ? refused.data.message : '';
  const line = text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_MESSAGE);
  throw new MarketError(`the energy market refuses (${refused.data.errno})${line === '' ? '' : `: ${line}`}`, true);
}
