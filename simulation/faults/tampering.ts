// What lying and incomplete endpoints change in their answers: the same faults for every family, each in its own methods.

import type { View } from '@/simulation/chain/chain';

export type Tamper = NonNullable<View['tamper']>;

/** By the names of endpoint faults. A family lacks those that have no meaning in it. */
export type Tampering = Readonly<Partial<Record<string, Tamper>>>;

export const refusal = (code: number, message: string): object => ({ error: { code, message } });
export const isList = (result: unknown): result is readonly unknown[] => Array.isArray(result);
export const isObject = (result: unknown): result is Readonly<Record<string, unknown>> =>
  typeof result === 'object' && result !== null && !isList(result);

/** Changes the answers of one method. Undefined keeps an answer. */
export const only =
  (wanted: string, change: (result: unknown, params: readonly unknown[]) => unknown): Tamper =>
  (method, params, result) =>
    method === wanted ? change(result, params) : undefined;

/** The first change that applies. */
export const firstOf =
  (...changes: readonly Tamper[]): Tamper =>
  (method, params, result) => {
    for (const change of changes) {
      const changed = change(method, params, result);
      if (changed !== undefined) return changed;
    }
  };

/** Seconds by which endpoints with a wrong clock are ahead or behind. No time is before 1970. */
export const [HOUR_AHEAD, BACK_TO_1970] = [3600, -Number.MAX_SAFE_INTEGER];
