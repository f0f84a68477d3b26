// What lying and incomplete endpoints change in their answers: the same faults for every family, each in its own methods.

import type { View } from '@/simulation/chain/chain';

export type Tamper = NonNullable<View['tamper']>;

/** The names of these faults in the table of endpoint faults. */
type TamperName =
  'wrong_chain' | 'empty_logs' | 'truncated_logs' | 'too_much' | 'lying' | 'no_receipts' | 'no_finality' | 'pruned';
export type Tampering = Readonly<Record<TamperName, Tamper>>;

export const refusal = (code: number, message: string): object => ({ error: { code, message } });
export const isList = (result: unknown): result is readonly unknown[] => Array.isArray(result);

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
