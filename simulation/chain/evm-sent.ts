// The transactions of sweeps on a simulated EVM chain, for the checks: those that an account other than the refund wallet has signed.

import type { SentTransaction } from './chain';
import { feeOf, type EvmState, type EvmTransaction } from './evm-state';

const isOfSweep = (state: EvmState, { nonce, from }: EvmTransaction): boolean =>
  nonce !== null && from !== state.wallet;

export function sentOn(state: EvmState): readonly SentTransaction[] {
  const mined = state.blocks.flatMap(({ number, transactions }) =>
    transactions.map((one) => ({ one, blockNumber: number, cost: feeOf(one) + one.value, moved: one.moved })),
  );
  const waiting = state.waiting.map((one) => ({ one, blockNumber: null, cost: 0n, moved: [] }));
  return [...mined, ...waiting]
    .filter(({ one }) => isOfSweep(state, one))
    .map(({ one: { hash, from, nonce }, ...rest }) => ({ hash, from, nonce: nonce ?? 0, ...rest }));
}
