// What every source of rates is to the rest: a name, a place to ask, how fresh its numbers are, and a pure function from the
// text of an answer to readings. Believes nothing of an answer that can be checked.

/** One currency's price as a source told it. */
export type Reading = {
  /** An active ISO 4217 code other than USD, USDT or USDC, or the coin of a network (ETH, BNB, TRX, SOL). */
  readonly currency: string;
  /** Plain exact decimal above zero. */
  readonly price: string;
  /** `unit`: dollars for one unit of the currency. `dollar`: units of the currency for one dollar. */
  readonly per: 'unit' | 'dollar';
  /** The moment that the price is of, as the source tells it; the moment of the answer where it tells none. */
  readonly sourceTime: Date;
};

export type SourceName = 'coinbase' | 'kraken' | 'binance' | 'frankfurter' | 'er-api';

export type Provider = {
  readonly source: SourceName;
  /** Where it answers unless a setting says otherwise; no last slash. */
  readonly address: string;
  readonly path: string;
  /** A market as it is now, or a reference that changes once a day. */
  readonly kind: 'live' | 'daily';
  /** The only currencies that it ever quotes; null when it quotes whatever it knows. */
  readonly only: readonly string[] | null;
  /** Readings of an answer; `answeredAt` is the age-corrected time of the answer. Throws BadAnswer. */
  parse(text: string, answeredAt: Date): readonly Reading[];
};

/** An answer that is not what the source promises. The message says which part, and repeats nothing of it. */
export class BadAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadAnswer';
  }
}
