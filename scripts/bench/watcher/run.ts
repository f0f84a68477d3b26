// The measured watcher, a separate process: the product's step for one chain on one database. An IPC order makes it
// read until a final block, or watch for some seconds as the worker does. It returns the cost.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChains } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { watchStep } from '@/lib/payments/watcher/step';

type Work = { readonly until: number } | { readonly seconds: number } | { readonly passes: number };
type Order = Work & { readonly database: number };
type Place = { readonly tip: number; readonly final: number; readonly trouble: string | null };

/** The worker's pause between two runs (lib/worker/steps.ts). */
const PAUSE_MS = 500;

const [network = '', url = '', ...databaseUrls] = process.argv.slice(2);
const watchers = databaseUrls.map(open);

/** One watcher per database in one process, so that both run the same compiled code on the same heap. */
function open(databaseUrl: string) {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_KEY: randomBytes(32).toString('base64'),
    TEST_CHAINS: 'local',
    [`TEST_${network.toUpperCase()}_URLS`]: url,
  });
  const pool = openPool(databaseUrl, 3);
  const context: Context = { pool, clock: systemClock, log: openLog('worker', 'error'), config };
  const [chain] = openChains(config, context);
  if (!chain) throw new Error(`no adapter for ${network}`);
  return { context, step: watchStep(chain) };
}
type Watcher = ReturnType<typeof open>;

async function placeOf({ context }: Watcher): Promise<Place> {
  const { rows } = await context.pool.query<{ tip: string; final: string; trouble: string | null }>(
    'SELECT tip_number AS tip, final_number AS final, trouble FROM chains WHERE retired_at IS NULL AND network = $1',
    [network],
  );
  const row = rows[0];
  return { tip: Number(row?.tip ?? 0), final: Number(row?.final ?? 0), trouble: row?.trouble ?? null };
}

/** Milliseconds of processor time of the watcher's connections; 0 where the system does not report it. */
async function databaseMs({ context }: Watcher): Promise<number> {
  const { rows } = await context.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stabletill'`,
  );
  const files = rows.map(({ pid }) => `/proc/${pid}/schedstat`).filter((file) => fs.existsSync(file));
  return files.reduce((sum, file) => sum + Number(fs.readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0);
}

async function run(watcher: Watcher, order: Work): Promise<void> {
  const end = 'seconds' in order ? performance.now() + order.seconds * 1000 : Number.POSITIVE_INFINITY;
  for (let passes = 1; performance.now() < end; passes++) {
    const { more } = await watcher.step(watcher.context);
    const { final, trouble } = await placeOf(watcher);
    if (trouble !== null) throw new Error(trouble);
    if ('until' in order && final >= order.until) return;
    if ('passes' in order && passes >= order.passes) return;
    if ('seconds' in order && !more) await sleep(PAUSE_MS);
  }
}

async function obey({ database, ...work }: Order): Promise<object> {
  const watcher = watchers[database];
  if (!watcher) throw new Error(`there is no database ${database}`);
  // Collects the garbage of former orders first, so that this order does not pay for it.
  globalThis.gc?.();
  const [from, before, since, used] = [
    await placeOf(watcher),
    await databaseMs(watcher),
    performance.now(),
    process.cpuUsage(),
  ];
  await run(watcher, work);
  const { user, system } = process.cpuUsage(used);
  const wallMs = performance.now() - since;
  const spent = (await databaseMs(watcher)) - before;
  const to = await placeOf(watcher);
  return { wallMs, cpuMs: (user + system) / 1000, databaseMs: spent, blocks: to.final - from.final, ...to };
}

process.on('message', (order: Order) => {
  obey(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ result: 'ready' });
