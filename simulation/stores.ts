// The stores of a history, and what their merchants asked for: sessions by their terms, and refunds.

import type { TestStore } from '@/testing/fixtures';
import type { SimulatedChain } from './chain/chain';
import type { Addresses } from './parties';
import type { SimulatedReceiver } from './receivers';
import type { Secret } from './secrets';

type Credentials = Pick<TestStore, 'apiKey' | 'apiSecret'>;
/** A key that a store used before. `validUntil`: when it stops working; a revoked one does at once. */
export type FormerKey = Credentials & { readonly validUntil: number };
/** A program that reads a store's events page by page, and the ids that it has read. */
type EventReader = { cursor: string | null; readonly read: string[] };

/** A store with the settings that its merchant and operators have given it last. */
export type SimulatedStore = { -readonly [Field in keyof TestStore]: TestStore[Field] } & {
  readonly name: string;
  usdCurrencies: readonly string[];
  acceptsOtherToken: boolean;
  /** The limit of what its sessions of one day may come to, in cents. */
  dayLimit: bigint | null;
  /** The limit of what its refunds of one day may come to, in cents. */
  refundDayLimit: bigint;
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
  /** Tokens that the operator offers on some networks only: those that this installation withholds, as "tron USDC". */
  readonly withheld?: ReadonlySet<string>;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The payment link by which a client opened it. */
  readonly link?: { readonly id: string; readonly client: string };
  /** Somebody canceled it, or decided about one of its payments. */
  isDecided: boolean;
};

/** Whether the session offers this token on this network. */
export const isOffered = (
  { networks, tokens, withheld }: Pick<Terms, 'networks' | 'tokens' | 'withheld'>,
  network: string,
  currency: string,
): boolean =>
  networks.includes(network) && tokens.includes(currency) && withheld?.has(`${network} ${currency}`) !== true;

export type RefundRequest = {
  readonly refundId: string;
  readonly store: SimulatedStore;
  readonly session: Terms;
  readonly cents: bigint;
};

/** The session's address on a chain. */
export const depositAddress = (
  { addresses }: Pick<Terms, 'addresses'>,
  { spec }: Pick<SimulatedChain, 'spec'>,
): string => addresses[spec.family];
