// The worker's delivery loop alone in a process, so that its time and memory can be measured.

import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { runDeliveries } from '@/lib/webhooks/delivery/run';

const settings = config();
const pool = openPool(settings.DATABASE_URL, settings.DATABASE_POOL);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const context = { pool, clock: systemClock, log: openLog('worker', 'warn'), config: settings };
process.send?.('ready');
await runDeliveries(context, stop.signal);
await pool.end();
process.exit(0);
