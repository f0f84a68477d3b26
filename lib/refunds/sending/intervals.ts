// How often a payment is checked while it is sent and followed, on public networks and on local chains.

import type { NetworkSpec } from '@/lib/networks/networks';

/** In milliseconds. */
export type Intervals = {
  /** How long a worker may be silent about a payment before another takes it. */
  readonly lease: number;
  /** The interval between checks of a sent transaction: while it is recent, and later when it is old. */
  readonly recent: number;
  readonly old: number;
  /** The bounds of the interval between checks of a payment on hold. */
  readonly leastHold: number;
  readonly mostHold: number;
  /** How long a transaction may stay out of blocks before the worker offers a higher fee. */
  readonly replaceAfter: number;
  /** Between the two checks that must both find that an attempt lapsed, before the next one is drafted. */
  readonly secondCheck: number;
  /**
   * How long the token or the network must refuse a payment in a simulation before it fails: one of the nodes behind an endpoint may lag,
   * and not know yet what another one reports of the wallet.
   */
  readonly revertsFor: number;
};

const PUBLIC: Intervals = {
  lease: 60_000,
  recent: 3000,
  old: 15_000,
  leastHold: 5000,
  mostHold: 300_000,
  replaceAfter: 120_000,
  secondCheck: 120_000,
  revertsFor: 600_000,
};
/** Requests to a local chain cost nothing, and a developer is waiting. It has one node, which does not lag. */
const LOCAL: Intervals = {
  lease: 8000,
  recent: 300,
  old: 1000,
  leastHold: 1000,
  mostHold: 4000,
  replaceAfter: 20_000,
  secondCheck: 0,
  revertsFor: 0,
};

export const intervalsOf = ({ chain }: NetworkSpec): Intervals => (chain === 'local' ? LOCAL : PUBLIC);
