// Signs a plan as a merchant does, or with the plan's fault, and sends it.

import { Pool } from 'undici';
import { signatureOf } from '@/lib/platform/crypto';
import type { Plan } from './plan';
import type { Random } from './random';

export type Caller = { readonly apiKey: string; readonly apiSecret: string };
export type Sent = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** The request as sent. `now` in Unix seconds. */
export function sign(plan: Plan, caller: Caller, { random, now }: { random: Random; now: number }): Sent {
  const nonce = plan.signing === 'nonce' ? random.pick(['a{b', '[', 'a b', 'x'.repeat(256)]) : random.text(24);
  const timestamp =
    plan.signing === 'time' ? random.pick(['abc', `${now}000`, String(now - 301), String(now + 301)]) : String(now);
  const signature = signatureOf(caller.apiSecret, timestamp, nonce, plan.body).toString('hex');
  const headers: Record<string, string> = {
    ...plan.headers,
    authorization: `Bearer ${plan.signing === 'key' ? `${caller.apiKey.slice(0, -3)}xyz` : caller.apiKey}`,
    'x-service-timestamp': timestamp,
    'x-service-nonce': nonce,
    'x-service-signature':
      plan.signing === 'signature'
        ? random.pick([signature.slice(1), `00${signature.slice(2, -2)}00`, 'zz'])
        : signature,
  };
  if (plan.signing === 'missing')
    delete headers[random.pick(['x-service-timestamp', 'x-service-nonce', 'x-service-signature'])];
  const query = plan.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return { method: plan.method, target: `${plan.path}${query === '' ? '' : `?${query}`}`, headers, body: plan.body };
}

/** A client with a few connections that stay open. */
export function openClient(origin: string) {
  const pool = new Pool(origin, { connections: 16, headersTimeout: 20_000, bodyTimeout: 20_000 });
  return {
    async send({ method, target, headers, body }: Sent): Promise<Answered> {
      const answer = await pool.request({
        method,
        path: target,
        headers,
        body: body.length > 0 || method === 'POST' ? body : null,
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    },
    close: () => pool.destroy(),
  };
}
