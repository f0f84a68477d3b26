// Database connections that break off at a chosen statement, as if the process had ended there.

import type { Pool } from '@/lib/db';

/** A pool whose n-th statement from now on fails before or after it took effect; every later one fails too. */
export function failingPool(whole: Pool, at: number, when: 'before' | 'after'): Pool {
  let count = 0;
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(own, key) {
        const value = Reflect.get(own, key) as unknown;
        if (typeof value !== 'function') return value;
        if (key === 'query') {
          return (...given: unknown[]) => {
            if (++count < at) return Reflect.apply(value, own, given) as unknown;
            const effect =
              when === 'after' && count === at
                ? (Reflect.apply(value, own, given) as Promise<unknown>)
                : Promise.resolve();
            return effect.then(() => Promise.reject(new Error('the process ended here')));
          };
        }
        if (key === 'connect') return async () => guard((await Reflect.apply(value, own, [])) as object);
        return value.bind(own) as unknown;
      },
    });
  return guard(whole);
}
