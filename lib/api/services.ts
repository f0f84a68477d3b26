// What the API's handlers are given: the context of the web process and the long-lived parts that requests share.

import { openKeyFinder, type FindKey } from '@/lib/auth/api-keys';
import { systemClock } from '@/lib/clock';
import { config } from '@/lib/config';
import type { Context } from '@/lib/context';
import { pool } from '@/lib/db';
import { openLog } from '@/lib/log';
import { openRateLimit, type TakeToken } from '@/lib/rate-limit';

export type Services = Context & {
  readonly findKey: FindKey;
  /** Requests of one API key. */
  readonly takeKeyToken: TakeToken;
  /** Requests of one address to the public pages. */
  readonly takePageToken: TakeToken;
};

/** Services on a given context. */
export function openServices(context: Context): Services {
  const { KEY_RATE, KEY_BURST, PAGE_RATE, PAGE_BURST } = context.config;
  return {
    ...context,
    findKey: openKeyFinder(context),
    takeKeyToken: openRateLimit({ rate: KEY_RATE, burst: KEY_BURST }),
    takePageToken: openRateLimit({ rate: PAGE_RATE, burst: PAGE_BURST }),
  };
}

const shared = globalThis as unknown as { stabletillServices?: Services };

/** This web process's services: one set, though Next and the server carry their own copies of this file. */
export function services(): Services {
  return (shared.stabletillServices ??= openServices({
    pool: pool(),
    clock: systemClock,
    log: openLog('web'),
    config: config(),
  }));
}
