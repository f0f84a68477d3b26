// What a step of a model history is. A difference between the two implementations within a step is thrown; `compare.ts` finds the
// others after it.

import type { Random } from '@/simulation/random';
import type { Model } from './model';

type Scene = { readonly model: Model; readonly random: Random };
export type Step = {
  readonly name: string;
  readonly weight: number;
  /** Acts and says it in words. Null: there was nothing to do, so another step is drawn. */
  readonly act: (scene: Scene) => string | null;
};

/** Throws unless product and naive implementation answer the same. */
export function same<T>(what: string, product: T, naive: T): T {
  if (product !== naive) throw new Error(`${what}: the product says ${String(product)}, the naive ${String(naive)}`);
  return product;
}
