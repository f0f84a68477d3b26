// Asks the operator's HTTP endpoint, which stands before a provider of their choice. The request is signed and sent like a webhook:
// private addresses and redirects are refused, and time and bytes are bounded. Anything but a documented answer is unknown.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { callReceiver, type CallOptions } from '@/lib/webhooks/delivery/dial';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { LONGEST_ENTITY, type Answer } from './answer';
import type { Role } from '@/lib/screening/policy';

/** A provider that takes longer is asked again later, while the payment waits. */
const DEADLINE_MILLISECONDS = 5000;

/** What docs/operate.md#screening documents. */
const answer = z.discriminatedUnion('result', [
  z.object({ result: z.literal('clear') }),
  z.object({ result: z.literal('hit'), entity: z.string().max(2000).optional() }),
  z.object({ result: z.literal('unknown') }),
]);

export type HookQuestion = {
  readonly environment: Environment;
  readonly network: string;
  readonly address: string;
  readonly role: Role;
  /** The transaction of a sender; null for a payee. */
  readonly transaction: string | null;
};

/** `isFailure`: the endpoint did not answer as documented, which counts for the circuit breaker. */
export type HookAnswer = { readonly answer: Answer; readonly isFailure: boolean };

/** Does not throw for anything that the endpoint does. */
export async function askHook(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  question: HookQuestion,
  overrides: Partial<CallOptions> = {},
): Promise<HookAnswer> {
  const { SCREENING_HOOK_URL: url, SCREENING_HOOK_SECRET: secret, WEBHOOKS_TO_LOOPBACK: toLoopback } = config;
  if (url === undefined || secret === undefined) return failed('the hook is not configured');
  const body = JSON.stringify(question);
  const message = { eventId: `scr_${randomUUID()}`, type: 'screening', body, secret, previousSecret: null };
  const headers = (): Record<string, string> =>
    signedHeaders(message, { timestamp: unixSeconds(clock.now()), nonce: randomUUID() });
  const outcome = await callReceiver(
    { url, headers, body },
    { reach: { toLoopback }, deadlineMilliseconds: DEADLINE_MILLISECONDS, ...overrides },
  );
  if (outcome.kind === 'refused') return failed('the address of the hook is not allowed');
  if (outcome.kind !== 'answered') return failed('the hook does not answer');
  if (outcome.status !== 200) return failed(`the hook answered with status ${outcome.status}`);
  const read = answer.safeParse(jsonOf(outcome.answer));
  if (!read.success) return failed('the hook did not answer as documented');
  const { data } = read;
  if (data.result === 'clear') return { answer: { verdict: 'clear' }, isFailure: false };
  if (data.result === 'hit') return { answer: { verdict: 'hit', entity: lineOf(data.entity) }, isFailure: false };
  return { answer: { verdict: 'unknown', reason: 'the hook does not know the address yet' }, isFailure: false };
}

const failed = (reason: string): HookAnswer => ({ answer: { verdict: 'unknown', reason }, isFailure: true });

/** Operators see it in one line. */
const lineOf = (entity = ''): string =>
  entity
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ENTITY) || 'hook';

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON.
  }
}
