// What an installation is to a history: its chains, endpoints, stores, customers and the product's running parts. Opened by
// `openWorld` (open-world.ts).

import type { Services } from '@/lib/api/services';
import type { Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { NamedStep } from '@/lib/worker/steps';
import type { TestStore } from '@/testing/fixtures';
import type { SimulatedEndpoint } from './chain/endpoint';
import type { SimulatedChain } from './chain/chain';
import type { Backup } from './backup';
import type { Harness } from './harness';
import type { Addresses } from './parties';
import type { SimulatedReceiver } from './receivers';

export type SimulatedStore = TestStore & {
  readonly name: string;
  readonly usdCurrencies: readonly string[];
  readonly acceptsOtherToken: boolean;
  readonly receiver: SimulatedReceiver;
  readonly secret: string;
};

/** What a session asks for, as its merchant and the store's rules say. */
export type Terms = {
  readonly id: string;
  readonly store: SimulatedStore;
  readonly orderId: string;
  readonly dueCents: bigint;
  readonly currency: string;
  /** Its address on all networks of a family. */
  readonly addresses: Addresses;
  readonly networks: readonly string[];
  readonly tokens: readonly string[];
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Somebody canceled it, or decided about one of its payments. */
  isDecided: boolean;
};

export type RefundRequest = {
  readonly refundId: string;
  readonly store: SimulatedStore;
  readonly session: Terms;
  readonly cents: bigint;
};

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
  /** The newest backup of the database. */
  backup: Backup | null;
  /** A backup was restored. */
  isRestored: boolean;
  /** What the database has forgotten by a restore: orders, events and payouts, with the refund of each. */
  readonly lost: {
    readonly sessions: Set<Terms>;
    readonly events: Set<string>;
    readonly payouts: Map<string, string>;
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

/** The session's address on a chain. */
export const depositAddress = (
  { addresses }: Pick<Terms, 'addresses'>,
  { spec }: Pick<SimulatedChain, 'spec'>,
): string => addresses[spec.family];
