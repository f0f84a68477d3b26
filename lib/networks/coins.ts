// The coins that networks charge fees in: the symbol as wallets show it, and the decimals. Rate sources quote these symbols beside
// currencies, which values refund fees in dollars.

export type Coin = { readonly symbol: CoinSymbol; readonly name: string; readonly decimals: number };

export const COIN_SYMBOLS = ['ETH', 'BNB', 'TRX', 'SOL', 'POL'] as const;
export type CoinSymbol = (typeof COIN_SYMBOLS)[number];
export const isCoin = (code: string): code is CoinSymbol => (COIN_SYMBOLS as readonly string[]).includes(code);

export const COINS: { readonly [S in CoinSymbol]: Coin & { readonly symbol: S } } = {
  ETH: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  BNB: { symbol: 'BNB', name: 'BNB', decimals: 18 },
  TRX: { symbol: 'TRX', name: 'TRX', decimals: 6 },
  SOL: { symbol: 'SOL', name: 'SOL', decimals: 9 },
  POL: { symbol: 'POL', name: 'POL', decimals: 18 },
};
