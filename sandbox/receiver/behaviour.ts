// The configured misbehaviour of the webhook receiver: rules that each hold a list of responses for the next matching deliveries.
// Nothing here accesses the network.

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';

/** A rule or response beyond these limits is a mistake in a test. */
const MAX_ANSWERS = 1000;
const MAX_RULES = 10_000;
const LONGEST_DELAY_MS = 600_000;
const LONGEST_TEXT = 65_536;

const headers = z.record(z.string(), z.string()).refine((given) => {
  try {
    for (const [name, value] of Object.entries(given)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false;
  }
}, 'a header that HTTP does not allow');

const answer = z.object({
  status: z.number().int().min(200).max(599).optional(),
  headers: headers.optional(),
  body: z.string().max(LONGEST_TEXT).optional(),
  delay_ms: z.number().int().min(0).max(LONGEST_DELAY_MS).optional(),
  hang: z.boolean().optional(),
  close: z.boolean().optional(),
});

const order = z.object({
  contains: z.string().max(LONGEST_TEXT).optional(),
  store_id: z.string().optional(),
  answers: z.array(answer).max(MAX_ANSWERS).optional(),
  reset: z.boolean().optional(),
});

export type Answer = z.output<typeof answer>;
type Rule = { contains: Buffer | null; storeId: string | null; answers: Answer[] };

export class Behaviour {
  #rules: Rule[] = [];

  /** Accepts a posted rule and returns the number of rules with responses left. Throws a ZodError. */
  obey(posted: unknown): number {
    const { contains, store_id: storeId, answers, reset } = order.parse(posted);
    if (reset) this.#rules = [];
    if (answers && answers.length > 0) {
      if (this.#rules.length >= MAX_RULES) this.#rules.shift();
      const text = contains === undefined ? null : Buffer.from(contains, 'utf8');
      this.#rules.push({ contains: text, storeId: storeId ?? null, answers: [...answers] });
    }
    return this.#rules.length;
  }

  /** Takes the response for a delivery that just arrived; `{}` is the default response. */
  answerTo(storeId: string, body: Buffer): Answer {
    const rule = this.#rules.find(
      (one) =>
        (one.storeId === null || one.storeId === storeId) && (one.contains === null || body.includes(one.contains)),
    );
    if (!rule) return {};
    const given = rule.answers.shift() ?? {};
    if (rule.answers.length === 0) this.#rules = this.#rules.filter((one) => one !== rule);
    return given;
  }
}
