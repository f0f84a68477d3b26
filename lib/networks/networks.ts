// The networks as data: one row per chain that the service can follow, with everything that differs between them. Token decimals
// are defined here only. Contract addresses were checked on 2026-11-21.

import type { Environment } from '@/lib/platform/ids';
import type { EvmSpec, NetworkSpec, Token } from './network-spec';

export type { EvmSpec, NetworkSpec, Token };

/** A host whose clock is off by more than this refuses all signed requests (X-Service-Timestamp), so the operator notices. */
const CLOCK_TOLERANCE_SECONDS = 300;
const evm = { family: 'evm' } as const;
const GWEI = 10n ** 9n;
/** A block's time is the start of its 12 s slot; the block also takes transactions that arrive later in the slot. */
const ethereum = {
  ...evm,
  network: 'ethereum',
  blockMs: 12_000,
  blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 12,
  feeCap: 20_000_000n * GWEI,
  gasPrices: { leastTip: GWEI / 20n, mostTip: 5n * GWEI, mostPrice: 300n * GWEI },
} as const;
/**
 * A block's time is its slot time in whole seconds, never ahead of the validators' clocks. Since October 2025 validators accept
 * nothing below 0.05 gwei; the usual price is that or little more.
 */
const bsc = {
  ...evm,
  network: 'bsc',
  blockMs: 450,
  blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 3,
  feeCap: 2_000_000n * GWEI,
  gasPrices: { leastTip: GWEI / 20n, mostTip: 3n * GWEI, mostPrice: 3n * GWEI },
} as const;
/** A block's time is the start of its 3 s slot. */
const tron = {
  family: 'tron',
  network: 'tron',
  finalityFallback: null,
  confirmations: 19,
  blockMs: 3000,
  blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 3,
  // A fee limit of 50 TRX and the 345 bytes of bandwidth that every transfer takes.
  feeCap: 50_345_000n,
} as const;
/** A block's time is the median of the validators' votes, estimated between votes. It lags by a few seconds, at times a minute. */
const solana = {
  family: 'solana',
  network: 'solana',
  chainId: null,
  finalityFallback: null,
  confirmations: 32,
  blockMs: 400,
  blockTimeMarginSeconds: CLOCK_TOLERANCE_SECONDS + 60,
  // Includes an account's rent.
  feeCap: 5_000_000n,
} as const;
/** When BSC's fast finality fails, its tags stop moving; 240 blocks are then final, confirmed by two thirds of the validators. */
const BSC_FALLBACK = { lagAbove: 100, confirmations: 240 } as const;

/** Local chains use the production token contracts' addresses but their own chain ids, so that no wallet confuses them. */
export const LOCAL_ETHEREUM_CHAIN_ID = 31337;
export const LOCAL_BSC_CHAIN_ID = 31338;
export const LOCAL_TRON_CHAIN_ID = 31339;

const ETHEREUM_TOKENS = {
  USDT: { contract: '0xdac17f958d2ee523a2206206994597c13d831ec7', decimals: 6 },
  USDC: { contract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', decimals: 6 },
} as const;
const BSC_TOKENS = {
  USDT: { contract: '0x55d398326f99059ff775485246999027b3197955', decimals: 18 },
  USDC: { contract: '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', decimals: 18 },
} as const;
const TRON_USDT = { contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } as const;
const TRON_USDC = { contract: 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', decimals: 6 } as const;
const SOLANA_TOKENS = {
  USDT: { contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', decimals: 6 },
  USDC: { contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 },
} as const;

export const NETWORKS: readonly NetworkSpec[] = [
  {
    ...ethereum,
    chain: 'mainnet',
    environment: 'live',
    chainId: 1,
    genesis: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    tokens: ETHEREUM_TOKENS,
    finalityFallback: null,
    confirmations: 64,
    explorer: 'https://etherscan.io/tx/{hash}',
    endpoints: ['https://ethereum-rpc.publicnode.com'],
  },
  {
    ...bsc,
    chain: 'mainnet',
    environment: 'live',
    chainId: 56,
    genesis: '0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b',
    tokens: BSC_TOKENS,
    finalityFallback: BSC_FALLBACK,
    confirmations: 2,
    explorer: 'https://bscscan.com/tx/{hash}',
    endpoints: ['https://bsc-dataseed.bnbchain.org', 'https://bsc-dataseed-public.bnbchain.org'],
    isPaidFromExchanges: true,
  },
  {
    ...ethereum,
    chain: 'testnet',
    environment: 'test',
    chainId: 11155111,
    genesis: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    tokens: { USDC: { contract: '0x1c7d4b196cb0c7b01d743fbc6116a902379c7238', decimals: 6 } },
    finalityFallback: null,
    confirmations: 64,
    explorer: 'https://sepolia.etherscan.io/tx/{hash}',
    endpoints: ['https://ethereum-sepolia-rpc.publicnode.com'],
  },
  {
    ...bsc,
    chain: 'testnet',
    environment: 'test',
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
  },
  {
    ...ethereum,
    chain: 'local',
    environment: 'test',
    chainId: LOCAL_ETHEREUM_CHAIN_ID,
    genesis: null,
    tokens: ETHEREUM_TOKENS,
    finalityFallback: null,
    confirmations: 4,
    explorer: null,
    endpoints: [],
  },
  {
    ...bsc,
    chain: 'local',
    environment: 'test',
    chainId: LOCAL_BSC_CHAIN_ID,
    genesis: null,
    tokens: BSC_TOKENS,
    finalityFallback: null,
    confirmations: 2,
    explorer: null,
    endpoints: [],
  },
  {
    ...tron,
    chain: 'mainnet',
    environment: 'live',
    chainId: 728126428,
    genesis: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
    // Circle ended USDC on TRON in 2024 and no longer redeems it.
    tokens: { USDT: TRON_USDT, USDC: { ...TRON_USDC, offByDefault: 'discontinued' } },
    explorer: 'https://tronscan.org/#/transaction/{hash}',
    endpoints: ['https://api.trongrid.io'],
    isPaidFromExchanges: true,
  },
  {
    ...tron,
    chain: 'testnet',
    environment: 'test',
    chainId: 3448148188,
    genesis: '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc',
    tokens: { USDT: { contract: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf', decimals: 6 } },
    explorer: 'https://nile.tronscan.org/#/transaction/{hash}',
    endpoints: ['https://nile.trongrid.io'],
  },
  {
    ...tron,
    chain: 'local',
    environment: 'test',
    chainId: LOCAL_TRON_CHAIN_ID,
    genesis: null,
    tokens: { USDT: TRON_USDT, USDC: TRON_USDC },
    explorer: null,
    endpoints: [],
  },
  {
    ...solana,
    chain: 'mainnet',
    environment: 'live',
    genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    tokens: SOLANA_TOKENS,
    explorer: 'https://solscan.io/tx/{hash}',
    endpoints: ['https://api.mainnet-beta.solana.com'],
  },
  {
    ...solana,
    chain: 'testnet',
    environment: 'test',
    genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    tokens: { USDC: { contract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', decimals: 6 } },
    explorer: 'https://explorer.solana.com/tx/{hash}?cluster=devnet',
    endpoints: ['https://api.devnet.solana.com'],
  },
  {
    ...solana,
    chain: 'local',
    environment: 'test',
    genesis: null,
    tokens: SOLANA_TOKENS,
    explorer: null,
    endpoints: [],
  },
];

/** The row of a network in an environment, given the chains that the test environment follows; null if there is none. */
export function networkSpec(
  environment: Environment,
  network: string,
  testChains: 'public' | 'local',
  table: readonly NetworkSpec[] = NETWORKS,
): NetworkSpec | null {
  const chain = environment === 'live' ? 'mainnet' : testChains === 'local' ? 'local' : 'testnet';
  return table.find((row) => row.environment === environment && row.network === network && row.chain === chain) ?? null;
}

/** The token of a contract on a network, matched by exact address; null for any other contract. */
export function tokenOf(spec: NetworkSpec, contract: string): { currency: string; token: Token } | null {
  const found = Object.entries(spec.tokens).find(([, token]) => token.contract === contract);
  return found ? { currency: found[0], token: found[1] } : null;
}

/** Decimals of a contract on a network; the same on every chain that lists it. Null for an unknown contract. */
export function decimalsOf(network: string, contract: string): number | null {
  const row = NETWORKS.find((one) => one.network === network && tokenOf(one, contract) !== null);
  return row ? (tokenOf(row, contract)?.token.decimals ?? null) : null;
}

/** Seconds by which a payment's block time may precede its session. A removed network keeps the clock tolerance only. */
export const blockTimeMargin = (network: string): number =>
  NETWORKS.find((row) => row.network === network)?.blockTimeMarginSeconds ?? CLOCK_TOLERANCE_SECONDS;

/**
 * Whether a fact of this chain may stop all signing. Stopping also blocks live refunds. A public test network is often read from
 * a single public endpoint, so it never stops signing; only its own refunds are held.
 */
export const stopsSigning = ({ chain }: Pick<NetworkSpec, 'chain'>): boolean => chain !== 'testnet';
