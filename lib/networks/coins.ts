// The native coin that each network charges fees in: its symbol as wallets show it, and its decimals.

export type Coin = { readonly symbol: CoinSymbol; readonly name: string; readonly decimals: number };

/** Symbols that rate sources quote beside currencies, used to value refund fees in dollars. */
export const COIN_SYMBOLS = ['ETH', 'BNB', 'TRX', 'SOL'] as const;
export type CoinSymbol = (typeof COIN_SYMBOLS)[number];
export const isCoin = (code: string): code is CoinSymbol => (COIN_SYMBOLS as readonly string[]).includes(code);

export const COINS = {
  ethereum: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  bsc: { symbol: 'BNB', name: 'BNB', decimals: 18 },
  tron: { symbol: 'TRX', name: 'TRX', decimals: 6 },
  solana: { symbol: 'SOL', name: 'SOL', decimals: 9 },
} as const satisfies Readonly<Record<string, Coin>>;

/** The network's coin; null for a network without a row here. */
export const coinOf = (network: string): Coin | null =>
  (Object.hasOwn(COINS, network) && COINS[network as keyof typeof COINS]) || null;
