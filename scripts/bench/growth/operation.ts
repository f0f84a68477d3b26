// One operation of the product that is timed on both installations.

import type { Side } from './side';

export type Operation = {
  readonly group: 'API' | 'dashboard' | 'console' | 'worker' | 'export';
  readonly name: string;
  /** It waits for the disk, so it gets more rounds; each of them is short, so that the small history stays small. */
  readonly isWrite?: true;
  /** Takes longer than others, so that few runs in each round are enough. */
  readonly isLong?: true;
  /** Not timed. `turn` counts the runs on this side. */
  readonly prepare?: (side: Side, turn: number) => Promise<unknown>;
  readonly run: (side: Side, turn: number) => Promise<unknown>;
};
