// Bandwidth and energy: how much of each an account may use, how usage recovers over a day, and what the remainder costs in
// burned TRX. Prices and totals are those of the main network; the price of energy can be set (state.ts).

import type { Account, Resource, Usage } from './account';
import type { TronState } from './state';

export const PRICES = {
  /** Sun for a byte. */
  bandwidth: 1000n,
  /** Instead of bandwidth, for a transaction that activates an account. */
  activationBandwidth: 100_000n,
  activation: 1_000_000n,
  memo: 1_000_000n,
} as const;
export const FREE_BANDWIDTH = 600;
export const MAX_FEE_LIMIT = 15_000_000_000;
export const TOTALS = {
  BANDWIDTH: { limit: 43_200_000_000, weight: 26_000_000_000 },
  ENERGY: { limit: 180_000_000_000, weight: 19_000_000_000 },
} as const;

const DAY_MS = 86_400_000;
const SUN = 1_000_000n;

/** The daily amount of a resource that an account's stake allows. */
export function staked(account: Account, resource: Resource): number {
  const { own, lent, borrowed } = account.stakes[resource];
  return resourceOf(own - lent + borrowed, resource);
}

/** The daily amount that a stake of so many sun allows. */
export function resourceOf(sun: bigint, resource: Resource): number {
  const { limit, weight } = TOTALS[resource];
  return Number((sun * BigInt(limit)) / (BigInt(weight) * SUN));
}

/** The stake in sun that a daily amount takes. */
export function stakeOf(amount: number, resource: Resource): bigint {
  const { limit, weight } = TOTALS[resource];
  return (BigInt(amount) * BigInt(weight) * SUN) / BigInt(limit);
}

/** The part of a usage that has not recovered yet. */
export function stillUsed({ amount, at }: Usage, time: number): number {
  return time - at >= DAY_MS ? 0 : Math.ceil((amount * (DAY_MS - Math.max(0, time - at))) / DAY_MS);
}

/** How much the account can use now without paying. */
function unused(account: Account, resource: Resource, time: number): number {
  return Math.max(0, staked(account, resource) - stillUsed(account.used[resource], time));
}

export function use(state: TronState, address: string, what: Resource | 'FREE', amount: number): void {
  const { used } = state.account(address);
  const usage = { amount: stillUsed(used[what], state.time) + amount, at: state.time };
  state.update(address, { used: { ...used, [what]: usage } });
}

export type BandwidthBill = { readonly net_usage?: number; readonly net_fee?: number };

/**
 * Takes the bandwidth of a transaction: from the stake, else from the free share, else by burning TRX. A transaction that
 * activates an account has no free share. Returns null, with nothing taken, when the account cannot pay.
 */
export function takeBandwidth(
  state: TronState,
  owner: string,
  bytes: number,
  activates: boolean,
): BandwidthBill | null {
  const account = state.account(owner);
  if (unused(account, 'BANDWIDTH', state.time) >= bytes) {
    use(state, owner, 'BANDWIDTH', bytes);
    return { net_usage: bytes };
  }
  if (!activates && FREE_BANDWIDTH - stillUsed(account.used.FREE, state.time) >= bytes) {
    use(state, owner, 'FREE', bytes);
    return { net_usage: bytes };
  }
  const fee = activates ? PRICES.activationBandwidth : BigInt(bytes) * PRICES.bandwidth;
  if (account.balance < fee) return null;
  state.addBalance(owner, -fee);
  return { net_fee: Number(fee) };
}

/** The energy limit of a call: what the stake leaves and the balance buys, capped by the fee limit. */
export function energyLimit(account: Account, { feeLimit, callValue, time, price }: EnergyTerms): bigint {
  const spendable = account.balance > callValue ? account.balance - callValue : 0n;
  const available = BigInt(unused(account, 'ENERGY', time)) + spendable / price;
  const allowed = BigInt(feeLimit) / price;
  return available < allowed ? available : allowed;
}
export type EnergyTerms = {
  readonly feeLimit: number;
  readonly callValue: bigint;
  readonly time: number;
  /** Sun for a unit. */
  readonly price: bigint;
};

export type EnergyBill = { readonly energy_usage?: number; readonly energy_fee?: number };

/** Takes energy from the stake first and burns TRX for the remainder. */
export function takeEnergy(state: TronState, owner: string, energy: number): EnergyBill {
  const fromStake = Math.min(energy, unused(state.account(owner), 'ENERGY', state.time));
  const fee = BigInt(energy - fromStake) * state.energyPrice;
  if (fromStake > 0) use(state, owner, 'ENERGY', fromStake);
  if (fee > 0n) state.addBalance(owner, -fee);
  return { ...(fromStake > 0 ? { energy_usage: fromStake } : {}), ...(fee > 0n ? { energy_fee: Number(fee) } : {}) };
}
