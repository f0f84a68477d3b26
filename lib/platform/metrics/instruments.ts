// What a process counts and times while it works: one set of instruments per process, which a scrape of that process shows. Names end in
// their unit, and no label has a value that a merchant or a customer chooses. docs/operate/metrics.md explains each.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds. Steps and receivers take milliseconds; a hanging one takes half a minute. */
const WORK_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Seconds from one fact of a payment to the next. Finality takes from seconds to twenty minutes. */
const PAYMENT_SECONDS = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600];

const PREFIX = 'stabletill_';

function openInstruments() {
  const registry = new Registry();
  const registers = [registry];
  // Memory, processor time and the delay of the event loop, observed from the first use on.
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    shed: new Counter({
      name: `${PREFIX}api_requests_shed_total`,
      help: 'Requests that were answered 503 because too many were in progress.',
      registers,
    }),
    steps: new Counter({
      name: `${PREFIX}worker_step_runs_total`,
      help: 'Runs of a step of the worker, by how they ended.',
      labelNames: ['step', 'outcome'],
      registers,
    }),
    stepSeconds: new Histogram({
      name: `${PREFIX}worker_step_duration_seconds`,
      help: 'Duration of one run of a step of the worker.',
      labelNames: ['step'],
      buckets: WORK_SECONDS,
      registers,
    }),
    stepSucceededAt: new Gauge({
      name: `${PREFIX}worker_step_last_success_timestamp_seconds`,
      help: 'Unix time of the last successful run of a step in this process.',
      labelNames: ['step'],
      registers,
    }),
    rpcCalls: new Counter({
      name: `${PREFIX}rpc_calls_total`,
      help: 'Calls to an endpoint of a network.',
      labelNames: ['environment', 'network', 'position'],
      registers,
    }),
    rpcWork: new Counter({
      name: `${PREFIX}rpc_work_total`,
      help: 'Units of work (a scan, a head, a balance) at an endpoint, by how they ended: ok, or the kind of fault.',
      labelNames: ['environment', 'network', 'position', 'outcome'],
      registers,
    }),
    rpcSeconds: new Histogram({
      name: `${PREFIX}rpc_work_duration_seconds`,
      help: 'Duration of one unit of work at an endpoint, with waits for the limits of its plan.',
      labelNames: ['environment', 'network', 'position'],
      buckets: WORK_SECONDS,
      registers,
    }),
    signerSeconds: new Histogram({
      name: `${PREFIX}signer_call_duration_seconds`,
      help: 'Duration of a call to the signer, by how it ended: ok, refused or failed.',
      labelNames: ['call', 'outcome'],
      buckets: WORK_SECONDS,
      registers,
    }),
    webhookSeconds: new Histogram({
      name: `${PREFIX}webhook_attempt_duration_seconds`,
      help: 'Duration of one attempt to deliver an event, by how the receiver answered.',
      labelNames: ['outcome'],
      buckets: WORK_SECONDS,
      registers,
    }),
    creditedToWebhookSeconds: new Histogram({
      name: `${PREFIX}credited_to_webhook_seconds`,
      help: 'Time from the event payment.completed until a receiver accepted it, without sends that a person asked for.',
      labelNames: ['environment'],
      buckets: [0.1, 0.25, 0.5, ...PAYMENT_SECONDS],
      registers,
    }),
    seenToCreditedSeconds: new Histogram({
      name: `${PREFIX}seen_to_credited_seconds`,
      help: 'Time from the first sight of a transfer below finality until it was stored as final.',
      labelNames: ['environment', 'network'],
      buckets: PAYMENT_SECONDS,
      registers,
    }),
  };
}

type Instruments = ReturnType<typeof openInstruments>;

const shared = globalThis as unknown as { stabletillInstruments?: Instruments };

/** This process's instruments: one set, although Next and the server each bundle a copy of this file. */
export const instruments = (): Instruments => (shared.stabletillInstruments ??= openInstruments());

/** Prometheus' own metrics of a process that another one answers for, under names that do not clash with that one's. */
export function openPrefixedRegistry(prefix: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix });
  return registry;
}
