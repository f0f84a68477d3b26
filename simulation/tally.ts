// What many histories did together: the numbers that a run prints, so that a reader sees whether it tried anything.

import { coverageLines, mergeCoverage, type Coverage } from './coverage';
import type { Outcome } from './history';

export type Tally = {
  histories: number;
  failed: number;
  steps: number;
  /** How often each action was done, by its name. */
  readonly actions: Map<string, number>;
  /** Sessions and refunds by their last status, and other things that came to be. */
  readonly things: Map<string, number>;
  readonly coverage: Coverage;
};

export const emptyTally = (): Tally => ({
  ...{ histories: 0, failed: 0, steps: 0 },
  ...{ actions: new Map(), things: new Map(), coverage: new Map() },
});

const add = (counts: Map<string, number>, name: string, count: number): void =>
  void counts.set(name, (counts.get(name) ?? 0) + count);

export function addTally(tally: Tally, { counts, coverage, snapshot }: Outcome): void {
  tally.histories++;
  mergeCoverage(tally.coverage, coverage);
  for (const [name, count] of counts) {
    tally.steps += count;
    add(tally.actions, name, count);
  }
  for (const { status } of snapshot.sessions) add(tally.things, `sessions ${status}`, 1);
  for (const { status } of snapshot.refunds) add(tally.things, `refunds ${status}`, 1);
  for (const { status } of snapshot.payouts) add(tally.things, `payouts ${status}`, 1);
  for (const { status } of snapshot.cold_transfers) add(tally.things, `cold transfers ${status}`, 1);
  for (const { outcome } of snapshot.cold_returns) add(tally.things, `returns ${outcome ?? 'open'}`, 1);
  for (const { kind } of snapshot.exceptions) add(tally.things, `exceptions ${kind}`, 1);
  const { attempts } = snapshot;
  const together = attempts.filter((one) =>
    attempts.some(({ hash, refund_id: id }) => hash === one.hash && id !== one.refund_id),
  );
  add(tally.things, 'attempts in batches', together.length);
  add(tally.things, 'transfers', snapshot.transfers.length);
  add(tally.things, 'events', snapshot.events.length);
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

export const tallyLines = (
  { histories, failed, steps, actions, things, coverage }: Tally,
  seconds: number,
): string[] => [
  `${histories} histories and ${steps} steps in ${seconds.toFixed(1)} s: ${failed === 0 ? 'nothing found' : `${failed} failed`}`,
  `${(histories / seconds).toFixed(2)} histories and ${(steps / seconds).toFixed(1)} steps a second`,
  `what came to be: ${listed(things)}`,
  `actions: ${listed(actions)}`,
  ...coverageLines(coverage),
];
