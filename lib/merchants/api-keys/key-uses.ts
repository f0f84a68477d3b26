// When a key was last used, shown to the people who manage it. Each web process writes it at most once a minute per key, beside
// the request and never before its answer. A killed process loses less than a minute of it.

import { LRUCache } from 'lru-cache';
import type { Context } from '@/lib/platform/context';

/** A minute is exact enough for "does anything still use this key?", and one small write a minute costs nothing. */
const WRITTEN_EVERY_SECONDS = 60;
const MAX_KEYS = 10_000;

/** Notes that a key signed an accepted request. Returns at once and never throws. */
export type NoteUse = (keyId: number) => void;

// When several processes serve a key, the first one writes.
const WRITE = {
  name: 'note-key-use',
  text: `UPDATE api_keys SET last_used_at = $2
         WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2::timestamptz - make_interval(secs => $3))`,
};

export function openKeyUses({ pool, clock, log }: Pick<Context, 'pool' | 'clock' | 'log'>): NoteUse {
  const written = new LRUCache<number, number>({ max: MAX_KEYS });
  return (keyId) => {
    const now = clock.now();
    const last = written.get(keyId);
    if (last !== undefined && now.getTime() - last < WRITTEN_EVERY_SECONDS * 1000) return;
    // Set before the write has ended, so that a thousand concurrent requests cause one write. A failed write is made up a
    // minute later.
    written.set(keyId, now.getTime());
    pool
      .query({ ...WRITE, values: [keyId, now, WRITTEN_EVERY_SECONDS] })
      .catch((error: unknown) => log.warn({ err: error, key: keyId }, 'the use of a key could not be stored'));
  };
}
