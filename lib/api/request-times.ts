// The duration of requests to the signed API, by route and status: a histogram that costs a lookup and two additions per request,
// because it is on the hottest path. It is formatted as Prometheus text only for a scrape.

/** Upper bounds in seconds. Most requests take a few milliseconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;
const NAME = 'stabletill_api_request_duration_seconds';
const HELP = 'Time to answer a request to the signed API, by the template of its route and the status answered.';

/** Counts per bucket. The last one is for values above every bound. */
type Series = { readonly buckets: Float64Array; sum: number };

export type RequestTimes = {
  /** `route` is a template, never a path as it was sent; `milliseconds` by a monotonic clock. */
  observe(route: string, status: number, milliseconds: number): void;
  /** Everything observed so far, in Prometheus' text format. */
  text(): string;
};

/** A new, empty histogram. Routes and statuses are few, so it stays small. */
export function openRequestTimes(): RequestTimes {
  const routes = new Map<string, Map<number, Series>>();
  return {
    observe(route, status, milliseconds) {
      let statuses = routes.get(route);
      if (!statuses) routes.set(route, (statuses = new Map()));
      let series = statuses.get(status);
      if (!series) statuses.set(status, (series = { buckets: new Float64Array(BOUNDS.length + 1), sum: 0 }));
      const seconds = milliseconds / 1000;
      let bucket = 0;
      while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket += 1;
      series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
      series.sum += seconds;
    },
    text() {
      const lines = [...routes].flatMap(([route, statuses]) =>
        [...statuses].flatMap(([status, series]) => linesOf(`route="${route}",status="${status}"`, series)),
      );
      return [`# HELP ${NAME} ${HELP}`, `# TYPE ${NAME} histogram`, ...lines, ''].join('\n');
    },
  };
}

function linesOf(labels: string, { buckets, sum }: Series): string[] {
  let count = 0;
  const counted = [...buckets].map(
    (own, n) => `${NAME}_bucket{le="${BOUNDS[n] ?? '+Inf'}",${labels}} ${(count += own)}`,
  );
  return [...counted, `${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${count}`];
}
