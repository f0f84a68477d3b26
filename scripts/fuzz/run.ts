// The stateful fuzzer: draws requests from a running server's OpenAPI document, sends them, checks each response and
// learns from it. Requests go out in rounds. It learns in the order of the requests, so that a seed repeats a run.

import { readApi, type Document } from './document';
import { Memory } from './memory';
import { draw, type Plan } from './plan';
import { Random } from './random';
import { openClient, sign, type Answered, type Caller, type Sent } from './send';
import { shrunk } from './shrink';
import { faultsOf } from './verdict';

/** Concurrent requests. */
const ROUND = 16;
const MAX_REPLAYS = 200;

export type FuzzOptions = {
  readonly origin: string;
  /** The first caller sends most requests; no store may see another store's data. */
  readonly callers: readonly (Caller & { readonly name: string })[];
  readonly seed: number;
  readonly requests: number;
  /** The service's time in Unix seconds. */
  readonly now: () => number;
  /** Called before each round, with the number of requests so far. */
  readonly beforeRound?: (sent: number) => Promise<void>;
};

export type FuzzResult = {
  readonly sent: number;
  /** The first fault, with the data to reproduce it; null when there was none. */
  readonly fault: string | null;
  /** The number of responses by status and of refusals by code, per operation. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

type Accepted = { readonly plan: Plan; readonly sent: Sent };

/** Runs until `requests` were sent or a response was wrong. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { origin, callers, seed, requests, now } = options;
  const api = readApi(await fetchDocument(origin));
  const context = { api, secrets: callers.flatMap(({ apiSecret }) => [apiSecret, apiSecret.slice(8)]) };
  const [random, memory, client] = [new Random(seed), new Memory(), openClient(origin)];
  const accepted: Accepted[] = [];
  const owners = new Map<string, number>();
  const answers: Record<string, Record<string, number>> = Object.fromEntries(api.operations.map(({ id }) => [id, {}]));
  let sent = 0;

  /** A new request, or with `replay` an accepted one. */
  const next = (): Accepted => {
    const plan = draw({ random, memory, api, callers: callers.length });
    if (plan.signing === 'replay') {
      if (accepted.length === 0) return next();
      const { plan: earlier, sent: bytes } = random.pick(accepted);
      return { plan: { ...earlier, signing: 'replay' }, sent: bytes };
    }
    return { plan, sent: sign(plan, callers[plan.caller] as Caller, { random, now: now() }) };
  };
  const judge = (plan: Plan, answer: Answered): string[] => [
    ...faultsOf(context, plan, answer),
    ...(isForeign(owners, plan, answer) ? ["a caller was shown what is another one's"] : []),
  ];
  const send = (one: Sent): Promise<Answered | Error> => client.send(one).catch((error: unknown) => error as Error);
  const judged = (plan: Plan, answer: Answered | Error): string[] =>
    answer instanceof Error ? [`no answer: ${answer.message}`] : judge(plan, answer);

  try {
    while (sent < requests) {
      await options.beforeRound?.(sent);
      const round = Array.from({ length: Math.min(ROUND, requests - sent) }, next);
      const came = await Promise.all(round.map((one) => send(one.sent)));
      for (const [n, one] of round.entries()) {
        const answer = came[n] as Answered | Error;
        const faults = judged(one.plan, answer);
        if (faults.length > 0) {
          const again = async (plan: Plan) => {
            const bytes = sign(plan, callers[plan.caller] as Caller, { random, now: now() });
            return judged(plan, await send(bytes)).some((fault) => fault === faults[0]);
          };
          const least = one.plan.signing === 'replay' ? one.plan : await shrunk(one.plan, again);
          return {
            sent,
            answers,
            fault: told(options, { number: sent + n, plan: least, faults, answer, original: one.sent }),
          };
        }
        if (!(answer instanceof Error)) learn(one, answer);
      }
      sent += round.length;
    }
    return { sent, answers, fault: null };
  } finally {
    await client.close();
  }

  function learn(one: Accepted, { status, text }: Answered): void {
    const tally = answers[one.plan.operation] ?? {};
    const body = JSON.parse(text.startsWith('{') ? text : '{}') as { error?: { code: string } };
    const name = body.error ? `${status} ${body.error.code}` : String(status);
    tally[name] = (tally[name] ?? 0) + 1;
    if (status >= 300 || one.plan.signing !== 'right') return;
    memory.learn(body);
    memory.learn(one.plan.value);
    if (accepted.length >= MAX_REPLAYS) accepted.shift();
    accepted.push(one);
    // Long ids that the request did not hold come from the service and belong to this caller.
    const held = one.plan.body.toString();
    for (const [, id = ''] of text.matchAll(/"(?:id|session_id)":"(\w{20,})"/g)) {
      if (!owners.has(id) && !held.includes(id)) owners.set(id, one.plan.caller);
    }
  }
}

async function fetchDocument(origin: string): Promise<Document> {
  const response = await fetch(`${origin}/openapi.json`);
  if (!response.ok) throw new Error(`GET /openapi.json answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Document;
}

/** Whether the service answered for another caller's object as if it were this caller's. */
function isForeign(owners: ReadonlyMap<string, number>, plan: Plan, { status }: Answered): boolean {
  // Merchants choose refund ids, and one may equal an id that the service made for another object.
  if (status >= 300 || plan.path.includes('/refunds/')) return false;
  return plan.path.split('/').some((segment) => {
    const owner = owners.get(segment);
    return owner !== undefined && owner !== plan.caller;
  });
}

type Told = { number: number; plan: Plan; faults: readonly string[]; answer: Answered | Error; original: Sent };

function told({ seed, requests, callers }: FuzzOptions, { number, plan, faults, answer, original }: Told): string {
  const { method, path, query, headers, body, signing, caller } = plan;
  const asked = {
    method,
    path,
    query,
    headers,
    body: body.toString().slice(0, 3000),
    signing,
    caller: callers[caller]?.name,
  };
  return [
    `request ${number} of npm run fuzz -- --seed ${seed} --requests ${requests}: ${faults.join('; ')}`,
    `the least that still does it: ${JSON.stringify(asked)}`,
    `as it was sent first: ${original.method} ${original.target} ${original.body.toString().slice(0, 2000)}`,
    answer instanceof Error ? '' : `answered: ${answer.status} ${answer.text.slice(0, 2000)}`,
  ].join('\n');
}
