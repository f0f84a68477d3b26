// Which endpoints cannot be read, since when, and why. An endpoint that cannot read tokens, or coin, confirms no theft of them. So both are
// counted, and separately: an endpoint that answers everything else would otherwise hide that nothing can be confirmed any more.

import { ChainError } from '@/lib/networks/chain';
import type { Clock } from '@/lib/platform/clock';

/** Shorter outages of endpoints are no failure: the watcher reports them. */
const SILENT_MILLISECONDS = 300_000;

type Kind = 'tokens' | 'coin';
type Failure = { readonly since: number; readonly error: ChainError };

export type Failures = {
  /** Passes on the result or the error, and notes whether the endpoint fails with a ChainError. */
  readonly attempt: <T>(clock: Pick<Clock, 'now'>, at: number, kind: Kind, work: () => Promise<T>) => Promise<T>;
  /** Why fewer endpoints than are needed could be read in the last minutes; null if enough could. */
  readonly lasting: (now: Date) => ChainError | null;
  readonly clear: () => void;
};

/** `needed`: how many of these endpoints must report a transfer. */
export function openFailures({ endpoints, needed }: { endpoints: number; needed: number }): Failures {
  const failing = Array.from({ length: endpoints }, () => new Map<Kind, Failure>());
  return {
    async attempt(clock, at, kind, work) {
      const own = failing[at] as Map<Kind, Failure>;
      try {
        const result = await work();
        own.delete(kind);
        return result;
      } catch (error) {
        if (error instanceof ChainError) own.set(kind, { since: own.get(kind)?.since ?? clock.now().getTime(), error });
        throw error;
      }
    },
    lasting(now) {
      const latest = now.getTime() - SILENT_MILLISECONDS;
      const failed = failing.flatMap((own) => [...own.values()].find(({ since }) => since <= latest) ?? []);
      return endpoints - failed.length < needed ? (failed[0]?.error ?? null) : null;
    },
    clear: () => failing.forEach((own) => own.clear()),
  };
}
