// What a source answers about an address, and what several answers mean together. Pure.

import type { Source } from '@/lib/screening/policy';

/** `entity`: whom the source names, for operators. `reason`: why there is no answer, without addresses and secrets. */
export type Answer =
  | { readonly verdict: 'clear' }
  | { readonly verdict: 'hit'; readonly entity: string }
  | { readonly verdict: 'unknown'; readonly reason: string };

export type SourceAnswer = { readonly source: Source; readonly answer: Answer };

/** One line in the operator's console. */
export const LONGEST_ENTITY = 200;

export type Combined =
  | { readonly verdict: 'clear' }
  | { readonly verdict: 'hit'; readonly source: string; readonly entity: string }
  | { readonly verdict: 'unknown'; readonly reason: string };

/** Any hit is a hit. Without a hit, a source that does not answer leaves the address unknown. */
export function combine(answers: readonly SourceAnswer[]): Combined {
  const hits = answers.flatMap(({ source, answer }) =>
    answer.verdict === 'hit' ? [{ source, entity: answer.entity }] : [],
  );
  if (hits.length > 0) {
    const entity = hits.map((hit) => hit.entity).join('; ');
    return {
      verdict: 'hit',
      source: hits.map(({ source }) => source).join(' '),
      entity: entity.slice(0, LONGEST_ENTITY),
    };
  }
  for (const { answer } of answers) if (answer.verdict === 'unknown') return answer;
  return answers.length > 0 ? { verdict: 'clear' } : { verdict: 'unknown', reason: 'no source is configured' };
}
