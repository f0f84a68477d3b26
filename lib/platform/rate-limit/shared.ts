// Rate limits that all web processes enforce together where VALKEY_URL is set. Without it, and while Valkey is away, each process enforces
// them in its own memory: a caller then gets at least its limit, and at most that of all processes together (docs/decisions/0032).

import type { Log } from '@/lib/platform/log';
import { openTokenBuckets, type RateLimit, type Taken, type TokenBuckets } from './token-bucket';
import { openValkeyBuckets, type ValkeyBuckets } from './valkey';

export type SharedLimits<Name extends string> = {
  readonly policies: Readonly<Record<Name, RateLimit>>;
  /** Takes one token. `now` in Unix milliseconds. Never rejects. */
  take(policy: Name, caller: string, now: number): Promise<Taken>;
  /** What `take` would return as far as this process knows, without taking a token. */
  peek(policy: Name, caller: string, now: number): Taken;
  /** Resolves when Valkey has answered or is away, after two or three seconds at most. Throws one sentence when it refuses this process. */
  opened(): Promise<void>;
  close(): void;
};

type Options = { readonly log: Log; readonly valkeyUrl?: string | undefined };

/** Opens a set of limits by name, and begins to connect. */
export function openSharedLimits<Name extends string>(
  { log, valkeyUrl }: Options,
  policies: Readonly<Record<Name, RateLimit>>,
): SharedLimits<Name> {
  const here = Object.fromEntries(
    Object.entries<RateLimit>(policies).map(([policy, limit]) => [policy, openTokenBuckets(limit)]),
  ) as Record<Name, TokenBuckets>;
  let valkey: ValkeyBuckets | null = null;
  let isClosed = false;
  /** What was logged about Valkey since it was last used. */
  let logged: 'nothing' | 'away' | 'refused' = 'nothing';

  const noteAway = (err: unknown, isRefused = false): void => {
    if (isClosed || logged === 'refused' || (logged === 'away' && !isRefused)) return;
    logged = isRefused ? 'refused' : 'away';
    log.warn({ err }, 'Valkey cannot be used: until it can, each web process enforces the rate limits alone');
  };
  const noteUsable = (): void => {
    if (logged !== 'nothing') log.info('Valkey can be used again: all web processes share the rate limits');
    logged = 'nothing';
  };

  const open = async (url: string): Promise<void> => {
    const buckets = await openValkeyBuckets(url, policies);
    if (isClosed) return;
    valkey = buckets;
    try {
      await buckets.connect();
    } catch (error) {
      if (buckets.isRefusal(error))
        throw new Error(`VALKEY_URL: Valkey refuses it: ${(error as Error).message}`, { cause: error });
      noteAway(error);
    }
  };
  const opening = valkeyUrl === undefined ? Promise.resolve() : open(valkeyUrl);
  // Reported by `opened`. Without a call of it the process goes on with its own memory.
  opening.catch((error: unknown) => noteAway(error, true));

  return {
    policies,
    async take(policy, caller, now) {
      if (valkey === null) return here[policy].take(caller, now);
      try {
        const taken = await valkey.take(policy, caller);
        noteUsable();
        // For `peek`, and so that this process continues with it while Valkey is away.
        here[policy].set(caller, taken.remaining, now);
        return taken;
      } catch (error) {
        noteAway(error, valkey.isRefusal(error));
        return here[policy].take(caller, now);
      }
    },
    peek: (policy, caller, now) => here[policy].peek(caller, now),
    opened: () => opening,
    close() {
      isClosed = true;
      valkey?.close();
    },
  };
}
