// Summarises a load: responses by status, latency of the successful ones, and the same for each second in which
// requests were due.

/** Marks a response that never arrived; not an HTTP status. */
export const LOST = 1;

/**
 * @param {{ latencies: Float64Array, statuses: Uint16Array, sent: number, rate: number | null }} seen by request number;
 *   status 0: no response before the end
 */
export function summary({ latencies, statuses, sent, rate }) {
  const counts = {};
  const good = [];
  const others = [];
  for (let n = 0; n < sent; n++) {
    const status = statuses[n] || LOST;
    counts[status] = (counts[status] ?? 0) + 1;
    if (status !== LOST) (status === 200 ? good : others).push(latencies[n]);
  }
  return {
    count: sent,
    counts,
    refused: sent - (counts[200] ?? 0),
    p50: quantile(good, 0.5),
    p99: quantile(good, 0.99),
    most: quantile(good, 1),
    refusedP99: quantile(others, 0.99),
    timeline: rate === null ? [] : timeline({ latencies, statuses, sent, rate }),
  };
}

/** One entry per second in which requests were due. */
function timeline({ latencies, statuses, sent, rate }) {
  const entries = [];
  for (let from = 0, second = 1; from < sent; second++) {
    const to = Math.min(sent, Math.ceil(second * rate));
    const good = Array.from(latencies.subarray(from, to)).filter((_, n) => statuses[from + n] === 200);
    entries.push({ count: to - from, good: good.length, p99: quantile(good, 0.99) });
    from = to;
  }
  return entries;
}

/** The value that this fraction of the values does not exceed; NaN for an empty list. */
export function quantile(values, part) {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
