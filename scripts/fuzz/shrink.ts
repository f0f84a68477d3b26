// Shrinks a faulty request while the fault remains: less in the query, the headers and the body.

import type { Plan } from './plan';

const MAX_TRIES = 200;

/** The smallest plan found for which `isStill` resolves to true. */
export async function shrunk(plan: Plan, isStill: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk;) {
    hasShrunk = false;
    for (const smaller of smallerThan(best)) {
      if (++tries > MAX_TRIES) return best;
      if (!(await isStill(smaller))) continue;
      best = smaller;
      hasShrunk = true;
      break;
    }
  }
  return best;
}

function* smallerThan(plan: Plan): Generator<Plan> {
  for (let n = 0; n < plan.query.length; n++) yield { ...plan, query: plan.query.toSpliced(n, 1) };
  for (const name of Object.keys(plan.headers)) {
    const { [name]: _, ...headers } = plan.headers;
    yield { ...plan, headers };
  }
  if (plan.value === undefined) return;
  for (const value of smallerValues(plan.value))
    yield { ...plan, value, body: Buffer.from(JSON.stringify(value) ?? 'null') };
}

function* smallerValues(value: unknown): Generator {
  if (typeof value === 'string' && value.length > 1) yield value.slice(0, Math.floor(value.length / 2));
  if (value === null || typeof value !== 'object') return;
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const made = (all: [string, unknown][]) => (isList ? all.map(([, one]) => one) : Object.fromEntries(all));
  for (let n = 0; n < entries.length; n++) yield made(entries.toSpliced(n, 1));
  for (const [n, [key, inner]] of entries.entries()) {
    for (const smaller of smallerValues(inner)) yield made(entries.with(n, [key, smaller]));
  }
}
