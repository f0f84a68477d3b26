// The small world of one model history: a session's terms, what is on its way to it, and its two implementations side by side.

import { blockTimeMargin, networkSpec } from '@/lib/networks/networks';
import { NaiveLedger } from '@/simulation/oracles/naive-ledger';
import { NaiveSession } from '@/simulation/oracles/naive';
import type { Asset, NaiveTransfer, Reading, Terms } from '@/simulation/oracles/naive-types';
import { openRandom, type Random } from '@/simulation/random';
import { dueOf } from './price';
import { ProductRefunds } from './product-refunds';
import { ProductSession } from './product-session';

/** 2027-01-01T10:00:00Z. */
const START = 1_798_797_600;
const FAMILIES = ['ethereum', 'bsc', 'tron', 'solana'] as const;

/** Every real token of the networks, also those that no session offers. */
const TOKENS = FAMILIES.flatMap((network) =>
  Object.entries(networkSpec('live', network, 'local')!.tokens).map(([currency, { decimals }]) => ({
    ...{ network, currency, decimals },
  })),
);
export const ASSETS: readonly Asset[] = TOKENS.map(({ network, currency }) => ({ network, currency }));
const DECIMALS = new Map(TOKENS.map(({ network, currency, decimals }) => [`${network} ${currency}`, decimals]));
export const decimalsOf = ({ network, currency }: Asset): number => DECIMALS.get(`${network} ${currency}`)!;
const MARGINS = new Map(FAMILIES.map((network) => [network as string, blockTimeMargin(network)]));

export type Payment = NaiveTransfer & { readonly payer: string };

export type Model = {
  readonly terms: Terms;
  readonly windowDays: number;
  readonly tokensOn: (network: string) => readonly string[];
  /** How long the expiry waits for networks that are not read. */
  readonly holdSeconds: number;
  readonly product: ProductSession;
  readonly refunds: ProductRefunds;
  readonly naive: NaiveSession;
  readonly ledger: NaiveLedger;
  now: number;
  /** On the chain and not final. `isSeen`: an endpoint has shown it. */
  waiting: { readonly payment: Payment; readonly isSeen: boolean }[];
  readonly readThrough: Record<string, number | null>;
  /** All payments ever sent, in order. */
  readonly sent: Payment[];
};

export function openModel(seed: number): Model {
  const random = openRandom(seed, 0);
  const terms = drawTerms(random);
  const offered = ASSETS.filter((one) => !(one.network === 'tron' && one.currency === 'USDC') || random.chance(20));
  const product = new ProductSession(terms);
  const naive = new NaiveSession(terms);
  return {
    ...{ terms, product, naive, now: START, waiting: [], sent: [] },
    refunds: new ProductRefunds(product, decimalsOf),
    ledger: new NaiveLedger(naive, decimalsOf),
    windowDays: random.pick([1, 180]),
    tokensOn: (network) => offered.filter((one) => one.network === network).map(({ currency }) => currency),
    holdSeconds: random.pick([0, 3600, Number.POSITIVE_INFINITY]),
    readThrough: Object.fromEntries(FAMILIES.map((network) => [network, random.chance(90) ? START : null])),
  };
}

function drawTerms(random: Random): Terms {
  const networks = FAMILIES.filter(() => random.chance(60));
  const currencies = random.pick([['USDT'], ['USDC'], ['USDT', 'USDC']]);
  const pairs = ASSETS.filter((one) => networks.includes(one.network as never) && currencies.includes(one.currency));
  return {
    dueCents: dueOf(random),
    pairs: pairs.length > 0 ? pairs : [{ network: 'bsc', currency: 'USDT' }],
    createdAt: START,
    expiresAt: START + random.pick([60, 300, 1800, 3600]),
    marginOf: (network) => MARGINS.get(network)!,
  };
}

/** What is known of the chains now. */
export const readingOf = (model: Model, holdSeconds = Number.POSITIVE_INFINITY): Reading => ({
  ...{ now: model.now, readThrough: model.readThrough, holdSeconds },
  unconfirmed: model.waiting.filter(({ isSeen }) => isSeen).map(({ payment }) => payment),
});

/** Both settle by the same facts. */
export function settleBoth(model: Model, holdSeconds?: number): void {
  const reading = readingOf(model, holdSeconds);
  model.product.settle(reading);
  model.naive.settle(reading);
}
