// What a step of the worker is: its name, what it runs and how often.

import type { Step } from '@/lib/platform/context';

export type NamedStep = {
  readonly name: string;
  readonly run: Step;
  /** Milliseconds between two runs when there is nothing more to do. */
  readonly everyMilliseconds: number;
  /** The same while the installation is quiet (quiet.ts), for steps that then have to run more often than others. */
  readonly quietMilliseconds?: number;
  /** Only a single pass runs it, because the loop has a faster way of doing the same. */
  readonly onlyInPass?: true;
  /** No payment waits for it and it may be slow, so a single pass runs it in parallel to the others. */
  readonly isBeside?: true;
};
