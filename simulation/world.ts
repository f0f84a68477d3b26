// What an installation is to a history: its chains, endpoints, stores, customers and the product's running parts. Opened by
// `openWorld` (open-world.ts).

import type { Services } from '@/lib/api/services';
import type { Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { NamedStep } from '@/lib/worker/steps';
import type { TestStore } from '@/testing/fixtures';
import type { SimulatedEndpoint } from './chain/endpoint';
import type { SimulatedChain } from './chain/chain';
import type { Harness } from './harness';
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
  /** Its address on every EVM network. */
  readonly address: string;
  readonly networks: readonly string[];
  readonly tokens: readonly string[];
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
  /** Addresses of contracts that pay, such as exchanges. */
  readonly exchange: string;
  readonly relayer: string;
  readonly customers: readonly { readonly name: string; readonly address: string }[];
  readonly stores: readonly SimulatedStore[];
  readonly sessions: Terms[];
  readonly refunds: RefundRequest[];
  services: Services;
  steps: readonly NamedStep[];
  /** Chains whose blocks have stopped. */
  readonly halted: Set<string>;
  /** The steps of a worker that has just started. */
  readonly openSteps: () => readonly NamedStep[];
  readonly restartWorker: () => void;
  readonly restartWeb: () => void;
};
