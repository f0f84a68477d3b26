// What a process passes to every use-case: the database, the time, the log and the settings. Use-cases need no globals, so a
// test passes its own.

import type { Clock } from './clock';
import type { Config } from './config/config';
import type { Pool } from './database/db';
import type { Log } from './log';

export type Context = { readonly pool: Pool; readonly clock: Clock; readonly log: Log; readonly config: Config };

/**
 * A step of the worker. It does a bounded piece of work and returns whether there is more to do at once. `skipped`: it did nothing, because
 * it is another process's turn. `soon`: something has to be read again soon, so that the next run comes after the step's usual pause, also
 * while there is no other work.
 */
export type Step = (context: Context) => Promise<{ more: boolean; skipped?: true; soon?: boolean }>;
