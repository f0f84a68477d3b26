// The state of a simulated EVM chain, and what can be computed from its blocks: balances, coins and nonces after a block.

import type { NetworkSpec } from '@/lib/networks/networks';
import { movementsOf, type ChainTransfer, type Payment } from './chain';

/** What a refund wallet with plenty of each token has at first, in whole tokens. */
export const PLENTY = 1_000_000n;
/** Coins that everybody has at first. */
const COINS = 1_000_000n;
export const GAS_USED = 63_000n;
export const GWEI = 10n ** 9n;

/** Wei per gas in quiet times. */
export const basePrice = (spec: NetworkSpec): bigint => (spec.family === 'evm' && spec.hasBaseFee ? GWEI : GWEI / 10n);

/** A transaction. `nonce` is null for customers, who are not followed. */
export type EvmTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: number | null;
  readonly gasPrice: bigint;
  readonly movement: Payment;
};
export type MinedTransaction = EvmTransaction & { readonly succeeded: boolean };
export type EvmBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
  readonly transactions: readonly MinedTransaction[];
};

export type EvmState = {
  readonly spec: NetworkSpec;
  readonly blocks: EvmBlock[];
  waiting: EvmTransaction[];
  /** What the mempool replaced by a transaction with the same nonce. A node that missed the newer one still has it. */
  replaced: EvmTransaction[];
  readonly wallet: string;
  /** What the wallet has of each token at first, in whole tokens. */
  readonly funds: bigint;
  finalNumber: number;
  fees: bigint;
  /** What issuers refuse (refusals.ts). */
  readonly refused: Set<string>;
  /** Addresses with code. */
  readonly contracts: Set<string>;
  /** Wallets that delegate to a contract (EIP-7702). */
  readonly delegated: Set<string>;
  readonly submit: (raw: string) => { readonly hash: string } | { readonly error: string };
};

export const transfersOf = (blocks: readonly EvmBlock[]): ChainTransfer[] =>
  blocks.flatMap(({ number, time, transactions }) =>
    transactions
      .filter(({ succeeded }) => succeeded)
      .flatMap(({ hash, movement }) =>
        movementsOf(movement).map(({ token, payer, recipient, amount }, ordinal) => ({
          ...{ hash, ordinal, token, payer, recipient, amount, blockNumber: number, blockTime: time },
        })),
      ),
  );

/** A token's balance after a block. Only the refund wallet has one from the beginning; customers never run out. */
export function balanceAt(
  state: EvmState,
  { token, address, block }: { token: string; address: string; block: number },
) {
  const decimals = Object.values(state.spec.tokens).find(({ contract }) => contract === token)?.decimals ?? 0;
  let amount = address === state.wallet ? state.funds * 10n ** BigInt(decimals) : 0n;
  for (const one of transfersOf(state.blocks.slice(0, block + 1))) {
    if (one.token !== token) continue;
    if (one.recipient === address) amount += one.amount;
    if (one.payer === address && (address === state.wallet || amount >= one.amount)) amount -= one.amount;
  }
  return amount;
}

/** Wei of the refund wallet after a block. Everybody else has plenty. */
export const coinAt = (state: EvmState, address: string, block: number): bigint => {
  const paid = state.blocks
    .slice(0, block + 1)
    .flatMap(({ transactions }) => transactions)
    .filter(({ from }) => from === address)
    .reduce((sum, { gasPrice }) => sum + gasPrice * GAS_USED, 0n);
  return COINS * 10n ** 18n - paid;
};

/** The next account nonce after a block. */
export const nonceAt = (state: EvmState, address: string, block: number): number =>
  state.blocks
    .slice(0, block + 1)
    .flatMap(({ transactions }) => transactions)
    .filter(({ from, nonce }) => nonce !== null && from === address).length;
