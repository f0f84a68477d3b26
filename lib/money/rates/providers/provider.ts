// The interface of a rate source: a name, a URL, how fresh its numbers are, and a pure function from the text of a response to
// readings. Parsers check everything in a response that can be checked.

/** One currency's price as a source reported it. */
export type Reading = {
  /** An active ISO 4217 code other than USD, USDT or USDC, or the coin of a network (ETH, BNB, TRX, SOL, POL). */
  readonly currency: string;
  /** Plain exact decimal above zero. */
  readonly price: string;
  /** `unit`: dollars for one unit of the currency. `dollar`: units of the currency for one dollar. */
  readonly per: 'unit' | 'dollar';
  /** The time of the price as the source reports it; otherwise the time of the response. */
  readonly sourceTime: Date;
};

export type SourceName = 'coinbase' | 'kraken' | 'binance' | 'frankfurter' | 'er-api';

export type Provider = {
  readonly source: SourceName;
  /** The default base URL, without a trailing slash. */
  readonly address: string;
  readonly path: string;
  /** A live market price, or a reference that changes once a day. */
  readonly kind: 'live' | 'daily';
  /** The only currencies that it quotes; null for no fixed list. */
  readonly only: readonly string[] | null;
  /** Readings of a response; `answeredAt` is its age-corrected time. Throws InvalidResponse. */
  parse(text: string, answeredAt: Date): readonly Reading[];
};

/** A response that breaks the format of the source. The message names the part and repeats none of its content. */
export class InvalidResponse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidResponse';
  }
}
