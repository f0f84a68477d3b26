// The accounts of sponsors and deposit addresses on a simulated TRON chain: coin, stakes, what of them is lent, energy and bandwidth. All of it
// is computed from what the transactions of sweeps did, so a reorganisation needs no undoing.

import { resourceOf, stakeOf, stillUsed } from '@/sandbox/chains/tron/resources';
import type { Resource, TronEffects, TronState } from './tron-state';

export const FREE_BANDWIDTH = 600;

export const NO_EFFECTS: TronEffects = { fee: 0n, coin: [], activated: null, lent: null, used: [] };

/** Accounts after a block. */
export type Accounts = ReturnType<typeof accountsAt>;

export function accountsAt(state: TronState, through: number) {
  const own = state.sweeps.filter(({ block }) => block.number <= through);
  const effects = own.map((one) => one.effects);
  const time = state.blocks[through]?.time ?? 0;
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  const lendings = effects.flatMap(({ lent }) => lent ?? []);
  const lent = (from: string | null, to: string | null): bigint =>
    sum(
      lendings
        .filter((one) => (from ?? one.from) === one.from && (to ?? one.to) === one.to)
        .map(({ amount }) => amount),
    );
  const stake = (address: string): bigint => state.stakes.get(address) ?? 0n;
  const used = (address: string, what: Resource): number =>
    Math.max(
      0,
      own
        .flatMap(({ effects: { used: all }, block }) => all.map((one) => ({ ...one, at: block.time })))
        .filter((one) => one.address === address && one.what === what)
        .reduce((all, { amount, at }) => all + stillUsed({ amount, at }, time), 0),
    );
  const energyLimit = (address: string): number =>
    resourceOf(stake(address) - lent(address, null) + lent(null, address), 'ENERGY');
  return {
    /** Sun. */
    coin: (address: string): bigint =>
      state.penniless.has(address)
        ? 0n
        : (state.gifts.get(address) ?? 0n) +
          sum(effects.flatMap(({ coin }) => coin.filter((one) => one.address === address).map(({ amount }) => amount))),
    isActive: (address: string): boolean =>
      state.gifts.has(address) || effects.some(({ activated }) => activated === address),
    /** Sun that one account lends to another one. */
    lentTo: (from: string, to: string): bigint => lent(from, to),
    /** Those that an account lends to. */
    borrowers: (from: string): string[] =>
      [...new Set(lendings.filter((one) => one.from === from).map(({ to }) => to))].filter((to) => lent(from, to) > 0n),
    /** Its stake without what it lends. */
    ownStake: (address: string): bigint => stake(address) - lent(address, null),
    /** Sun that it can lend now. */
    lendable: (address: string): bigint => {
      const free = stake(address) - lent(address, null) - stakeOf(used(address, 'ENERGY'), 'ENERGY');
      return free > 0n ? free : 0n;
    },
    used,
    energyLimit,
    energyLeft: (address: string): number => Math.max(0, energyLimit(address) - used(address, 'ENERGY')),
  };
}
