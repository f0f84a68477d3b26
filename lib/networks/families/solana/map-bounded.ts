// Maps many items concurrently, a few at a time, because endpoints limit connections and requests.

/** With one level of nesting, 16 at most: below the 40 connections that public endpoints allow. */
const AT_ONCE = 4;

/** The results in the order of the items. The first error stops it, after running work has finished. */
export async function mapBounded<I, R>(items: readonly I[], work: (item: I) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as I);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, worker);
  const outcomes = await Promise.allSettled(workers);
  const refusal = outcomes.find((one) => one.status === 'rejected');
  if (refusal) throw refusal.reason;
  return results;
}
