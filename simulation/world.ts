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
import type { EventReader, FormerKey, Records, Secret, StoreSettings } from './records';

/** A store with the settings that its merchant and operators have given it last. */
export type SimulatedStore = { -readonly [Field in keyof TestStore]: TestStore[Field] } & {
  readonly name: string;
  usdCurrencies: readonly string[];
  acceptsOtherToken: boolean;
  /** The limit of what its sessions of one day may come to, in cents. */
  dayLimit: bigint | null;
  /** Where its events go now, one of its two receivers. */
  receiver: SimulatedReceiver;
  readonly receivers: readonly SimulatedReceiver[];
  readonly secrets: Secret[];
  readonly formerKeys: FormerKey[];
  readonly reader: EventReader;
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
  /** The payment link by which a client opened it. */
  readonly link?: { readonly id: string; readonly client: string };
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
  readonly records: Records;
  /** Histories that this process has begun. What the product remembers for as long as it runs must not depend on it. */
  readonly run: number;
  /** The users who decide for the installation. The first one made the last one an operator. */
  readonly operators: readonly string[];
  /** No endpoint tells untruths, because small payments need only one. */
  readonly isTrusting: boolean;
  /** The newest backup of the database, and the settings that it contains. */
  backup: (Backup & { readonly settings: readonly StoreSettings[] }) | null;
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
