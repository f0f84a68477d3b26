// The worker process: runs every step in its own loop until it receives a stop signal, then lets work in flight finish.

import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { refuseUnsafeRole } from '@/lib/platform/database/role';
import { logChanges } from '@/lib/platform/database/changes';
import { pool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { aborted, stopSignal } from '@/lib/platform/process';
import { listenForMetrics } from '@/lib/installation/metrics/listen';
import { startTracing } from '@/lib/platform/tracing/tracing';
import { signerOf } from '@/lib/installation/freeze/step';
import { settingsContradiction } from '@/lib/refunds/settings-check';
import { refuseUnsafeSettings } from '@/lib/platform/config/unsafe-settings';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { addressSource } from '@/lib/treasury/wallets/open-address-source';
import { runDeliveries } from '@/lib/webhooks/delivery/run';
import { runLoop } from './loop';
import { openSteps } from './steps';

async function main(): Promise<void> {
  const context: Context = { pool: pool(), clock: systemClock, log: openLog('worker'), config: config() };
  logChanges(context.pool, context.log);
  refuseUnsafeSettings(context.config);
  await refuseUnsafeRole(context.pool, context.config);
  if (!context.config.EVIDENCE_KEY) {
    throw new Error('EVIDENCE_KEY is not set: the worker stores no payment without its proof (see .env.example).');
  }
  const stop = stopSignal(context.config.STOP_WITH_PARENT);
  // The worker fills the address pool, so it refuses to start without a source of addresses.
  addressSource(context.config);
  await checkSettings(context);
  const traces = await startTracing(context.config, 'worker');
  const metrics = await listenForMetrics(context);
  const steps = openSteps(context).filter(({ onlyInPass }) => !onlyInPass);
  const loops = steps.map((step) => runLoop(context, step, stop));
  const deliveries = runDeliveries(context, stop);
  console.log('{"ready":true}');

  await aborted(stop);
  await Promise.all([...loops, deliveries]);
  metrics?.close();
  await traces?.stop();
  await context.pool.end();
  process.exit(0);
}

/**
 * Refuses to start when the signer's settings contradict the worker's. If the signer is unreachable, the freeze step
 * compares them later.
 */
async function checkSettings({ config: own, log }: Context): Promise<void> {
  const signer = signerOf(own);
  if (!signer) return;
  try {
    const why = settingsContradiction(own, await signer.state());
    if (why !== null) throw new Error(why);
  } catch (error) {
    if (!(error instanceof AddressSourceError)) throw error;
    log.warn({ err: error }, 'the signer does not answer yet: its settings are compared later');
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
