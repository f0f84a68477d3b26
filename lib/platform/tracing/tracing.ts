// Traces by OpenTelemetry, from an API request through the session, its payment, its event and the delivery. Off unless
// TRACES_URL names a collector: then nothing of OpenTelemetry is loaded. A trace continues the caller's, and a row keeps its context for the
// processes that work on it later. docs/operate/traces.md explains it.

import { setTimeout as pause } from 'node:timers/promises';
import type { Attributes, Context as TraceContext, Tracer } from '@opentelemetry/api';
import type { Config } from '@/lib/platform/config/config';

/** A W3C traceparent of version 0. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NOTHING = /^0+$/;

/** A span that has begun. `traceparent` goes into the rows that the request makes. */
type OpenSpan = {
  readonly traceparent: string;
  readonly end: (of: { readonly name: string; readonly attributes: Attributes; readonly isError: boolean }) => void;
};

/** Something that happened in a trace: `milliseconds` before now it began. */
type Happened = { readonly name: string; readonly attributes: Attributes; readonly milliseconds?: number };

export type Tracing = {
  /** Begins the span of a request. `traceparent`: the header of the caller; anything that is not one begins a new trace. */
  readonly request: (traceparent: string | undefined) => OpenSpan;
  readonly happened: (traceparent: string, what: Happened) => void;
  /** Sends what is left. Never throws: a collector that is away costs its spans only. */
  readonly stop: () => Promise<void>;
};

const shared = globalThis as unknown as { stabletillTracing?: Tracing | null };

/** This process's traces; null while they are off. */
export const tracing = (): Tracing | null => shared.stabletillTracing ?? null;

/** Begins to export traces where the settings name a collector. `process`: its name in the traces. */
export async function startTracing(
  config: Pick<Config, 'TRACES_URL'>,
  process: 'web' | 'worker',
): Promise<Tracing | null> {
  if (config.TRACES_URL === undefined) return null;
  return (shared.stabletillTracing = await openTracing(config.TRACES_URL, `stabletill-${process}`));
}

/** What is left at the end of a process is sent within this time, or not. */
const STOP_MILLISECONDS = 2000;
/** The path of OTLP over HTTP below a collector's origin. */
const TRACES_PATH = '/v1/traces';

async function openTracing(url: string, service: string): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    // Bounded: beyond its queue of 2,048 spans it drops new ones.
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url: url + TRACES_PATH }))],
  });
  const tracer: Tracer = provider.getTracer('stabletill');
  const parentOf = (traceparent: string | undefined): TraceContext => {
    const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    if (traceId === '' || NOTHING.test(traceId) || NOTHING.test(spanId)) return api.ROOT_CONTEXT;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, {
      ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16) & api.TraceFlags.SAMPLED, isRemote: true },
    });
  };
  return {
    request(traceparent) {
      const span = tracer.startSpan('request', { kind: api.SpanKind.SERVER }, parentOf(traceparent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end({ name, attributes, isError }) {
          span.updateName(name).setAttributes(attributes);
          if (isError) span.setStatus({ code: api.SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    happened(traceparent, { name, attributes, milliseconds = 0 }) {
      // In Unix milliseconds, by the clock of the process that the SDK uses for requests too.
      const now = performance.timeOrigin + performance.now();
      tracer.startSpan(name, { attributes, startTime: now - milliseconds }, parentOf(traceparent)).end(now);
    },
    // A collector that is away must not keep a process from ending in time.
    stop: () =>
      Promise.race([provider.shutdown().catch(() => undefined), pause(STOP_MILLISECONDS, undefined, { ref: false })]),
  };
}

/** The trace of a traceparent, for logs and exemplars. */
export const traceIdOf = (traceparent: string): string => TRACEPARENT.exec(traceparent)?.[1] ?? '';
