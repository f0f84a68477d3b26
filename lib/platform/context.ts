// What a use-case is given by the process that runs it: the database, the time, the log and the settings. Passing them in
// keeps every use-case free of globals, so that a test gives it its own.

import type { Clock } from './clock';
import type { Config } from './config/config';
import type { Pool } from './database/db';
import type { Log } from './log';

export type Context = { readonly pool: Pool; readonly clock: Clock; readonly log: Log; readonly config: Config };

/** A step of the worker: does a bounded piece of work and says whether there is more to do at once. */
export type Step = (context: Context) => Promise<{ more: boolean }>;
