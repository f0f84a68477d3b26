// Solana's row. Contract addresses were checked on 2026-11-21.

import { COINS } from '../coins';
import type { NetworkRow } from '../network-spec';
import { CLOCK_TOLERANCE_SECONDS, LOCAL } from './common';

const TOKENS = {
  USDT: { contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', decimals: 6 },
  USDC: { contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 },
} as const;
const CONFIRMATIONS = 32;

export const SOLANA_ROWS: readonly NetworkRow[] = [
  {
    family: 'solana',
    network: 'solana',
    name: 'Solana',
    isStandard: true,
    coin: COINS.SOL,
    // A block's time is the median of the validators' votes, estimated between votes. It lags by a few seconds, at times a minute.
    blockMs: 400,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 60,
    // Includes an account's rent.
    feeCap: 5_000_000n,
    lowCoin: 20_000_000n,
    // The rent of a token account in addition to the signature fee.
    usualFee: { from: '0.0015', to: null },
    cheaperThan: ['tron'],
    trustWalletCoin: 501,
    chains: {
      mainnet: {
        chainId: null,
        genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
        tokens: TOKENS,
        finalityFallback: null,
        confirmations: CONFIRMATIONS,
        explorer: 'https://solscan.io/tx/{hash}',
        endpoints: ['https://api.mainnet-beta.solana.com'],
        isPaidFromExchanges: false,
      },
      testnet: {
        chainId: null,
        genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
        tokens: { USDC: { contract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', decimals: 6 } },
        finalityFallback: null,
        confirmations: CONFIRMATIONS,
        explorer: 'https://explorer.solana.com/tx/{hash}?cluster=devnet',
        endpoints: ['https://api.devnet.solana.com'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: null, tokens: TOKENS, confirmations: CONFIRMATIONS },
    },
  },
];
