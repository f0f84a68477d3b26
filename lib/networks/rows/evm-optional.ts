// The EVM networks that are off until the settings name endpoints of them (LIVE_…_URLS, TEST_…_URLS), one row each. Another one needs
// another row here and its names in the catalogues (docs/architecture.md, "Add a network"). Chain ids, first blocks and contracts were
// checked against published sources on 2026-11-24, not against live nodes.

import { COINS } from '../coins';
import type { NetworkRow } from '../network-spec';
import { CLOCK_TOLERANCE_SECONDS, LOCAL } from './common';

const GWEI = 10n ** 9n;

const BASE_TOKENS = { USDC: { contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 } } as const;
const POLYGON_TOKENS = {
  USDT: { contract: '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', decimals: 6 },
  USDC: { contract: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', decimals: 6 },
} as const;
const ARBITRUM_TOKENS = {
  // USDT0, at the address of the former USDT.
  USDT: { contract: '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', decimals: 6 },
  USDC: { contract: '0xaf88d065e77c8cc2239327c5edb3a432268e5831', decimals: 6 },
} as const;

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
  {
    family: 'evm',
    network: 'polygon',
    name: 'Polygon',
    isStandard: false,
    coin: COINS.POL,
    // A block's time is its slot time in whole seconds.
    blockMs: 2000,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 12,
    feeCap: 500_000_000n * GWEI,
    lowCoin: 10n ** 17n,
    // At 30 to 300 gwei. Unproven (2026-11-24): read from no live node.
    usualFee: { from: '0.002', to: '0.02' },
    cheaperThan: ['ethereum', 'tron', 'solana'],
    // Validators ignore transactions below their least tip: 25 or 30 gwei, depending on the version of their node.
    gasPrices: { leastTip: 30n * GWEI, mostTip: 500n * GWEI, mostPrice: 3000n * GWEI },
    hasBaseFee: true,
    transferGas: 63_000n,
    mostGas: 1_000_000n,
    dataFee: null,
    trustWalletCoin: 966,
    chains: {
      mainnet: {
        chainId: 137,
        genesis: '0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b',
        tokens: POLYGON_TOKENS,
        // `finalized` is the last milestone: two to five seconds (docs.polygon.technology, 2026-11-24), 15 minutes in September 2025.
        finalityFallback: null,
        confirmations: 3,
        explorer: 'https://polygonscan.com/tx/{hash}',
        // Unproven (2026-11-24): whether it serves logs and the finalized tag.
        endpoints: ['https://polygon-bor-rpc.publicnode.com'],
        // The list of exchange wallets has none of this network, so every sender counts as one.
        isPaidFromExchanges: true,
      },
      testnet: {
        chainId: 80002,
        genesis: '0x7202b2b53c5a0836e773e319d18922cc756dd67432f9a1f65352b61f4406c697',
        tokens: { USDC: { contract: '0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582', decimals: 6 } },
        finalityFallback: null,
        confirmations: 3,
        explorer: 'https://amoy.polygonscan.com/tx/{hash}',
        endpoints: ['https://rpc-amoy.polygon.technology'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31341, tokens: POLYGON_TOKENS, confirmations: 2 },
    },
  },
  {
    family: 'evm',
    network: 'arbitrum',
    name: 'Arbitrum One',
    isStandard: false,
    coin: COINS.ETH,
    // A quarter of a second. The sequencer's clock may run up to a minute ahead or behind. Unproven (2026-11-24) how far it does.
    blockMs: 250,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 60,
    feeCap: 1_000_000n * GWEI,
    lowCoin: 10n ** 15n,
    // At 0.02 to 0.1 gwei. Unproven (2026-11-24): read from no live node.
    usualFee: { from: '0.000001', to: '0.00001' },
    cheaperThan: ['ethereum', 'tron', 'solana'],
    // The sequencer ignores tips and charges none, but a replacement must still raise it.
    gasPrices: { leastTip: GWEI / 1000n, mostTip: GWEI / 100n, mostPrice: 10n * GWEI },
    hasBaseFee: true,
    // Gas includes the cost of posting to Ethereum, divided by the price of gas here: it rises and falls with Ethereum's price.
    transferGas: 100_000n,
    mostGas: 10_000_000n,
    dataFee: null,
    trustWalletCoin: 10042221,
    chains: {
      mainnet: {
        chainId: 42161,
        genesis: '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442',
        tokens: ARBITRUM_TOKENS,
        // `finalized` follows Ethereum's finality of the batch: about twenty minutes. Unproven (2026-11-24) for this network.
        finalityFallback: null,
        confirmations: 4800,
        explorer: 'https://arbiscan.io/tx/{hash}',
        endpoints: ['https://arb1.arbitrum.io/rpc'],
        // The list of exchange wallets has none of this network, so every sender counts as one.
        isPaidFromExchanges: true,
      },
      testnet: {
        chainId: 421614,
        genesis: '0x77194da4010e549a7028a9c3c51c3e277823be6ac7d138d0bb8a70197b5c004c',
        tokens: { USDC: { contract: '0x75faf114eafb1bdbe2f0316df893fd58ce46aa4d', decimals: 6 } },
        finalityFallback: null,
        confirmations: 4800,
        explorer: 'https://sepolia.arbiscan.io/tx/{hash}',
        endpoints: ['https://sepolia-rollup.arbitrum.io/rpc'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31342, tokens: ARBITRUM_TOKENS, confirmations: 2 },
    },
  },
];
