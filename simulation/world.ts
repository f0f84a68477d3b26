// What an installation is to a history: its chains, endpoints, stores, customers and the product's running parts. Opened by
// `openWorld` (open-world.ts).

import type { Services } from '@/lib/api/services';
import type { Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { NamedStep } from '@/lib/worker/named-step';
import type { SimulatedEndpoint } from './chain/endpoint';
import type { SimulatedChain } from './chain/chain';
import type { Backup } from './backup';
import type { Harness } from './harness';
import type { SentRefund } from './sent-refunds';
import type { PayoutRecords } from './payouts/records';
import type { Records, StoreSettings } from './records';
import type { KeptStops } from './stops/records';
import type { RefundRequest, SimulatedStore, Terms } from './stores';

export type World = {
  readonly harness: Harness;
  readonly context: Context;
  readonly clock: Clock;
  /** Milliseconds since the history began. */
  readonly elapsed: () => number;
  readonly advance: (seconds: number) => void;
  readonly chains: readonly SimulatedChain[];
  readonly endpoints: readonly SimulatedEndpoint[];
  readonly stores: readonly SimulatedStore[];
  readonly sessions: Terms[];
  readonly refunds: RefundRequest[];
  readonly records: Records;
  /** Histories that this process has begun. What the product remembers for as long as it runs must not depend on it. */
  readonly run: number;
  /** The users who decide for the installation. The first one made the last one an operator. */
  readonly operators: readonly string[];
  /** Tokens that are watched and not offered, by network and name. */
  readonly withheld: ReadonlySet<string>;
  /** What the refund wallet had at first of each token, in whole tokens, by network. */
  readonly firstFunds: ReadonlyMap<string, bigint>;
  /** Endpoints never lie, because small payments need only one. */
  readonly isTrusting: boolean;
  /** The newest backup of the database, and the settings that it contains. */
  backup:
    | (Backup & {
        readonly settings: readonly StoreSettings[];
        readonly payoutAddresses: PayoutRecords['addresses'];
        readonly payoutRules: PayoutRecords['rules'];
        readonly stops: KeptStops;
      })
    | null;
  /** A backup was restored. */
  isRestored: boolean;
  /** What the database has forgotten by a restore: orders, events and sent refunds. */
  readonly lost: {
    readonly sessions: Set<Terms>;
    readonly events: Set<string>;
    readonly sentRefunds: Map<string, string>;
    /** The payouts of each of these transactions, of which a batch has several. */
    readonly payouts: Map<string, ReadonlySet<string>>;
    /** What each of these transactions paid back. */
    readonly returns: Map<string, SentRefund>;
  };
  services: Services;
  steps: readonly NamedStep[];
  /** Chains whose blocks have stopped. */
  readonly halted: Set<string>;
  /** The steps of a worker that has just started. */
  readonly openSteps: () => readonly NamedStep[];
  /** Those of the second worker. */
  readonly otherSteps: () => readonly NamedStep[];
  readonly restartWorker: () => void;
  readonly restartWeb: () => void;
};
