// Database connections that fail as if the process had ended there.

import type { Pool } from '@/lib/platform/database/db';

type AttemptOutcome = 'works' | 'fails' | 'works-and-fails';

/** A pool whose n-th statement from now on fails before or after it took effect; every later one fails too. */
export function failingPool(whole: Pool, at: number, when: 'before' | 'after'): Pool {
  let count = 0;
  return guarded(whole, () => {
    if (++count < at) return 'works';
    return when === 'after' && count === at ? 'works-and-fails' : 'fails';
  });
}

/** A pool that works until `die` is called. Afterwards nothing is written, however the code handles the error. */
export function mortalPool(whole: Pool): { readonly pool: Pool; readonly die: () => void } {
  let isDead = false;
  return { pool: guarded(whole, () => (isDead ? 'fails' : 'works')), die: () => (isDead = true) };
}

/** `next` decides the outcome of each statement. */
function guarded<T extends object>(target: T, next: () => AttemptOutcome): T {
  return new Proxy(target, {
    get(own, key) {
      const value = Reflect.get(own, key) as unknown;
      if (typeof value !== 'function') return value;
      if (key === 'query') {
        return (...given: unknown[]) => {
          const outcome = next();
          if (outcome === 'works') return Reflect.apply(value, own, given) as unknown;
          const effect =
            outcome === 'works-and-fails' ? (Reflect.apply(value, own, given) as Promise<unknown>) : Promise.resolve();
          return effect.then(() => Promise.reject(new Error('the process ended here')));
        };
      }
      if (key === 'connect') return async () => guarded((await Reflect.apply(value, own, [])) as object, next);
      return value.bind(own) as unknown;
    },
  });
}
