// The most that one payment may cost in fees, by network: whoever drafts waits above it, and the signer signs nothing above it.

/**
 * In wei, sun and lamports: several times a dear day's transfer (chains.md section 3). On TRON a fee limit of 50 TRX and the
 * 345 bytes of bandwidth that every transfer takes; on Solana with an account's rent.
 */
export const FEE_CAPS: Readonly<Record<string, bigint>> = {
  ethereum: 20_000_000_000_000_000n,
  bsc: 2_000_000_000_000_000n,
  tron: 50_345_000n,
  solana: 5_000_000n,
};
