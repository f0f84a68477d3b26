// What counts for and against the service objectives in this process, until it is stored (lib/installation/status/record-objectives).

/** `api`: requests to the signed API without a 5xx. `webhook`: events of completed payments that arrived in time. */
export type Objective = 'api' | 'webhook';
export type Counted = { readonly objective: Objective; readonly good: number; readonly bad: number };

type Counts = Map<Objective, { good: number; bad: number }>;

/** Shared by the copies of this file in one process, as the instruments are. */
const counts = ((globalThis as unknown as { stabletillObjectives?: Counts }).stabletillObjectives ??= new Map());

export function countObjective(objective: Objective, isGood: boolean): void {
  let count = counts.get(objective);
  if (!count) counts.set(objective, (count = { good: 0, bad: 0 }));
  if (isGood) count.good += 1;
  else count.bad += 1;
}

/** Hands over what was counted since the last call. The caller stores it or gives it back. */
export function takeObjectives(): readonly Counted[] {
  const taken = [...counts].map(([objective, count]) => ({ objective, ...count }));
  counts.clear();
  return taken;
}

export function returnObjectives(taken: readonly Counted[]): void {
  for (const { objective, good, bad } of taken) {
    const now = counts.get(objective);
    counts.set(objective, { good: (now?.good ?? 0) + good, bad: (now?.bad ?? 0) + bad });
  }
}
