// TRON's row. Contract addresses were checked on 2026-11-21.

import { COINS } from '../coins';
import type { NetworkRow } from '../network-spec';
import { CLOCK_TOLERANCE_SECONDS, LOCAL } from './common';

const USDT = { contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } as const;
const USDC = { contract: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 } as const;
const CONFIRMATIONS = 19;

export const TRON_ROWS: readonly NetworkRow[] = [
  {
    family: 'tron',
    network: 'tron',
    name: 'TRON',
    isStandard: true,
    coin: COINS.TRX,
    // A block's time is the start of its 3 s slot.
    blockMs: 3000,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 3,
    // A fee limit of 50 TRX and the 345 bytes of bandwidth that every transfer takes.
    feeCap: 50_345_000n,
    lowCoin: 200_000_000n,
    // 130,285 energy at 100 sun, when none is staked, and 345 bytes.
    usualFee: { from: '13.4', to: null },
    cheaperThan: [],
    trustWalletCoin: 195,
    chains: {
      mainnet: {
        chainId: 728126428,
        genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
        // Circle ended USDC on TRON in 2024 and no longer redeems it.
        tokens: { USDT, USDC: { ...USDC, offByDefault: 'discontinued' } },
        finalityFallback: null,
        confirmations: CONFIRMATIONS,
        explorer: 'https://tronscan.org/#/transaction/{hash}',
        endpoints: ['https://api.trongrid.io'],
        isPaidFromExchanges: true,
      },
      testnet: {
        chainId: 3448148188,
        genesis: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
        tokens: { USDT: { contract: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', decimals: 6 } },
        finalityFallback: null,
        confirmations: CONFIRMATIONS,
        explorer: 'https://nile.tronscan.org/#/transaction/{hash}',
        endpoints: ['https://nile.trongrid.io'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31339, tokens: { USDT, USDC }, confirmations: CONFIRMATIONS },
    },
  },
];
