// The EVM networks that are off until the settings name endpoints of them (LIVE_…_URLS, TEST_…_URLS), one row each. Another one needs
// another row here and its names in the catalogues (docs/architecture.md, "Add a network"). Chain ids, first blocks and contracts were
// checked against published sources on 2026-11-24, not against live nodes.

import { COINS } from '../coins';
import type { NetworkRow } from '../network-spec';
import { CLOCK_TOLERANCE_SECONDS, LOCAL } from './common';

const GWEI = 10n ** 9n;

const BASE_TOKENS = { USDC: { contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 } } as const;

export const OPTIONAL_EVM_ROWS: readonly NetworkRow[] = [
  {
    family: 'evm',
    network: 'base',
    name: 'Base',
    isStandard: false,
    coin: COINS.ETH,
    // One sequencer makes a block every 2 s. A block's time is the start of its slot.
    blockMs: 2000,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 12,
    feeCap: 1_000_000n * GWEI,
    lowCoin: 10n ** 15n,
    // At 0.005 to 0.1 gwei, with the fee for data. Unproven (2026-11-24): read from no live node.
    usualFee: { from: '0.000001', to: '0.00001' },
    cheaperThan: ['ethereum', 'tron', 'solana'],
    gasPrices: { leastTip: GWEI / 1000n, mostTip: GWEI, mostPrice: 10n * GWEI },
    hasBaseFee: true,
    transferGas: 63_000n,
    mostGas: 1_000_000n,
    // OP Stack: posting to Ethereum is charged apart from gas. The predeploy has quoted upper bounds since Fjord.
    dataFee: { oracle: '0x420000000000000000000000000000000000000f', most: 200_000n * GWEI },
    trustWalletCoin: 8453,
    chains: {
      mainnet: {
        chainId: 8453,
        genesis: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd',
        // Tether issues no USDT on Base; what is called so there is bridged.
        tokens: BASE_TOKENS,
        // `finalized` follows Ethereum's finality of the batch: about twenty minutes (docs.base.org, 2026-11-24).
        finalityFallback: null,
        confirmations: 600,
        explorer: 'https://basescan.org/tx/{hash}',
        endpoints: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com'],
        // The list of exchange wallets has none of this network, so every sender counts as one.
        isPaidFromExchanges: true,
      },
      testnet: {
        chainId: 84532,
        genesis: '0x0dcc9e089e30b90ddfc55be9a37dd15bc551aeee999d2e2b51414c54eaf934e4',
        tokens: { USDC: { contract: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', decimals: 6 } },
        finalityFallback: null,
        confirmations: 600,
        explorer: 'https://sepolia.basescan.org/tx/{hash}',
        endpoints: ['https://sepolia.base.org'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31340, tokens: BASE_TOKENS, confirmations: 4 },
    },
  },
];
