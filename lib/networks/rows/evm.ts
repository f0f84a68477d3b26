// The EVM networks of every installation, one row each. Contract addresses were checked on 2026-11-21.

import { COINS } from '../coins';
import type { NetworkRow } from '../network-spec';
import { CLOCK_TOLERANCE_SECONDS, LOCAL } from './common';

const GWEI = 10n ** 9n;

const ETHEREUM_TOKENS = {
  USDT: { contract: '0xdac17f958d2ee523a2206206994597c13d831ec7', decimals: 6 },
  USDC: { contract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: 6 },
} as const;
const BSC_TOKENS = {
  USDT: { contract: '0x55d398326f99059ff775485246999027b3197955', decimals: 18 },
  USDC: { contract: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', decimals: 18 },
} as const;
/** When BSC's fast finality fails, its tags stop moving; 240 blocks are then final, confirmed by two thirds of the validators. */
const BSC_FALLBACK = { lagAbove: 100, confirmations: 240 } as const;

/** Local chains use the production token contracts' addresses but their own chain ids, so that no wallet confuses them. */
export const EVM_ROWS: readonly NetworkRow[] = [
  {
    family: 'evm',
    network: 'ethereum',
    name: 'Ethereum',
    isStandard: true,
    coin: COINS.ETH,
    // A block's time is the start of its 12 s slot; the block also takes transactions that arrive later in the slot.
    blockMs: 12_000,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 12,
    feeCap: 20_000_000n * GWEI,
    lowCoin: 10n ** 16n,
    // At 0.5 to 20 gwei.
    usualFee: { from: '0.00003', to: '0.0013' },
    cheaperThan: [],
    gasPrices: { leastTip: GWEI / 20n, mostTip: 5n * GWEI, mostPrice: 300n * GWEI },
    hasBaseFee: true,
    transferGas: 63_000n,
    mostGas: 1_000_000n,
    dataFee: null,
    trustWalletCoin: 60,
    chains: {
      mainnet: {
        chainId: 1,
        genesis: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
        tokens: ETHEREUM_TOKENS,
        finalityFallback: null,
        confirmations: 64,
        explorer: 'https://etherscan.io/tx/{hash}',
        endpoints: ['https://ethereum-rpc.publicnode.com'],
        isPaidFromExchanges: false,
      },
      testnet: {
        chainId: 11155111,
        genesis: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
        tokens: { USDC: { contract: '0x1c7d4b196cb0c7b01d743fbc6116a902379c7238', decimals: 6 } },
        finalityFallback: null,
        confirmations: 64,
        explorer: 'https://sepolia.etherscan.io/tx/{hash}',
        endpoints: ['https://ethereum-sepolia-rpc.publicnode.com'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31337, tokens: ETHEREUM_TOKENS, confirmations: 4 },
    },
  },
  {
    family: 'evm',
    network: 'bsc',
    name: 'BNB Smart Chain',
    isStandard: true,
    coin: COINS.BNB,
    // A block's time is its slot time in whole seconds, never ahead of the validators' clocks.
    blockMs: 450,
    blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 3,
    feeCap: 2_000_000n * GWEI,
    lowCoin: 10n ** 16n,
    // At the validators' floor of 0.05 gwei and at the 0.2 gwei that some wallets offer.
    usualFee: { from: '0.000003', to: '0.00002' },
    cheaperThan: ['ethereum', 'tron', 'solana'],
    // Since October 2025 validators accept nothing below 0.05 gwei; the usual price is that or little more.
    gasPrices: { leastTip: GWEI / 20n, mostTip: 3n * GWEI, mostPrice: 3n * GWEI },
    hasBaseFee: false,
    transferGas: 63_000n,
    mostGas: 1_000_000n,
    dataFee: null,
    trustWalletCoin: 20000714,
    chains: {
      mainnet: {
        chainId: 56,
        genesis: '0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b',
        tokens: BSC_TOKENS,
        finalityFallback: BSC_FALLBACK,
        confirmations: 2,
        explorer: 'https://bscscan.com/tx/{hash}',
        endpoints: ['https://bsc-dataseed.bnbchain.org', 'https://bsc-dataseed-public.bnbchain.org'],
        isPaidFromExchanges: true,
      },
      testnet: {
        chainId: 97,
        genesis: '0x6d3c66c5357ec91d5c43af47e234a939b22557cbb552dc45bebbceeed90fbe34',
        tokens: {
          USDT: { contract: '0x337610d27c682e347c9cd60bd4b3b107c9d34ddd', decimals: 18 },
          USDC: { contract: '0x64544969ed7ebf5f083679233325356ebe738930', decimals: 18 },
        },
        finalityFallback: BSC_FALLBACK,
        confirmations: 2,
        explorer: 'https://testnet.bscscan.com/tx/{hash}',
        endpoints: ['https://bsc-testnet-dataseed.bnbchain.org', 'https://bsc-testnet.bnbchain.org'],
        isPaidFromExchanges: false,
      },
      local: { ...LOCAL, chainId: 31338, tokens: BSC_TOKENS, confirmations: 2 },
    },
  },
];
