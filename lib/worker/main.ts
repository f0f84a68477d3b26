// The worker process: runs every step, or those of WORKER_STEPS, in its own loop until it receives a stop signal, then lets work in flight
// finish.

import { randomUUID } from 'node:crypto';
import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { refuseUnsafeRole } from '@/lib/platform/database/role';
import { logChanges } from '@/lib/platform/database/changes';
import { refuseUnsafeSession } from '@/lib/platform/database/session';
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
import { endHeartbeat, heartbeat } from './processes/heartbeat';
import { runLoop } from './loop';
import { lookForWork, openQuiet } from './quiet';
import type { NamedStep } from './named-step';
import { DELIVERY_STEP, groupOf, selectSteps } from './processes/select-steps';
import { openSteps } from './steps';
import { hasTurns, openTurns } from './processes/turns';

/** A stop that takes longer says what it waits for, because a supervisor soon kills the process. */
const LATE_MILLISECONDS = 5000;

async function main(): Promise<void> {
  const context: Context = { pool: pool(), clock: systemClock, log: openLog('worker'), config: config() };
  logChanges(context.pool, context.log);
  refuseUnsafeSettings(context.config);
  await refuseUnsafeRole(context.pool, context.config);
  await refuseUnsafeSession(context.pool, context.config);
  const all = openSteps(context);
  const own = selectSteps(context.config.WORKER_STEPS, all);
  const groups = new Set(own.map(groupOf));
  const needsKey = (['watch', 'pay', 'guard'] as const).some((group) => groups.has(group));
  if (needsKey && !context.config.EVIDENCE_KEY) {
    throw new Error('EVIDENCE_KEY is not set: the worker stores no payment without its proof (see .env.example).');
  }
  const stop = stopSignal(context.config.STOP_WITH_PARENT);
  // It fills the address pool, or freezes the signer: both refuse to start with neither a signer nor the keys of a watch-only wallet.
  if (groups.has('pay') || groups.has('guard')) addressSource(context.config);
  await checkSettings(context);
  const traces = await startTracing(context.config, 'worker');
  const metrics = await listenForMetrics(context);
  const id = randomUUID();
  const turns = openTurns(context, id);
  const steps = [
    ...own.filter(({ onlyInPass }) => !onlyInPass).map((step) => (hasTurns(step) ? turns.share(step) : step)),
    heartbeat({ id, runs: names(own), knows: names(all) }),
    turns.renewal,
  ];
  const running = new Set(names(steps));
  const quiet = openQuiet(context);
  const loops = steps.map((step) => runLoop(context, step, stop, quiet).finally(() => running.delete(step.name)));
  const watching = lookForWork(quiet, stop);
  const isDelivering = own.some(({ name }) => name === DELIVERY_STEP);
  const deliveries = isDelivering ? runDeliveries(context, stop, { pacing: quiet }) : null;
  console.log('{"ready":true}');

  await aborted(stop);
  const late = setTimeout(() => {
    context.log.warn({ steps: [...running] }, 'the worker ends once the runs in progress of these steps have ended');
  }, LATE_MILLISECONDS);
  await Promise.all([...loops, watching, deliveries]);
  clearTimeout(late);
  await Promise.all([turns.end(), endHeartbeat(context, id)]);
  metrics?.close();
  await traces?.stop();
  await context.pool.end();
  process.exit(0);
}

const names = (steps: readonly NamedStep[]): string[] => steps.map(({ name }) => name);

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
