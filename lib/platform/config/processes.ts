// The settings of how processes are spread over machines: how they connect to the database, and which steps of the worker a process runs.

import { z } from 'zod';
import { count, list } from './setting-kinds';

/** `transaction`: connections come from a pooler that lends each one for a transaction only, such as PgBouncer. */
const pooler = z.enum(['none', 'transaction']).default('none');
/**
 * Whether frequent statements are prepared once per connection. Off behind a pooler unless it is set: a pooler has to know prepared
 * statements (PgBouncer 1.21 with `max_prepared_statements`).
 */
const named = z.enum(['on', 'off']).optional();

/** Whether the client reads an address as it is meant. An unescaped /, ? or # in the password would end the name of a wrong host. */
function isReadableAddress(address: string): boolean {
  try {
    decodeURIComponent(address);
  } catch {
    return false;
  }
  return URL.canParse(address) && /^\w+:\/\/[^/?#]+(?:[/?#][^@]*)?$/.test(address);
}

export const PROCESS_SETTINGS = {
  DATABASE_POOLER: pooler,
  NAMED_STATEMENTS: named,
  /** The database without a pooler, for notifications, which belong to one connection. Without it a worker behind a pooler polls only. */
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgresql:// address')
    .optional(),
  /** Valkey or Redis, in which all web processes count requests together (lib/platform/rate-limit/shared). TLS with rediss: and valkeys:. */
  VALKEY_URL: z
    .string()
    .regex(/^(?:redis|valkey)s?:\/\/[^\s/]/, 'must be a redis://, rediss://, valkey:// or valkeys:// address')
    .refine(
      isReadableAddress,
      'cannot be read as redis://USER:PASSWORD@HOST:PORT; percent-encode the password (/ as %2F, ? as %3F, # as %23, @ as %40, % as %25)',
    )
    .optional(),
  /** For how long a web process that was told to stop still accepts requests, so that balancers notice that it is not ready. */
  DRAIN_SECONDS: count(0, 0, 60),
  /** The steps or groups of steps that this worker runs (lib/worker/processes/select-steps). Without it every step. */
  WORKER_STEPS: list,
} as const;

/** How a process connects to the database. */
export type Connecting = {
  readonly DATABASE_POOLER: 'none' | 'transaction';
  readonly NAMED_STATEMENTS?: 'on' | 'off' | undefined;
};

/** Throws an Error for unusable settings. */
export function readConnecting({ DATABASE_POOLER, NAMED_STATEMENTS }: Record<string, string | undefined>): Connecting {
  const given = { DATABASE_POOLER: DATABASE_POOLER || undefined, NAMED_STATEMENTS: NAMED_STATEMENTS || undefined };
  const read = z.object({ DATABASE_POOLER: pooler, NAMED_STATEMENTS: named }).safeParse(given);
  if (read.success) return read.data;
  throw new Error('DATABASE_POOLER is none or transaction, and NAMED_STATEMENTS is on or off (see .env.example).');
}
