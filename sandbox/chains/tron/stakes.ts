// Stakes and delegations. Delegated energy that the receiver used returns to the lender as used: a stake gives its daily
// amount once a day, however often it is delegated (UnDelegateResourceActuator.java).

import type { Resource } from './account';
import { addressIn, resourceOf as resourceIn, sun } from './parameters';
import { resourceOf, stakeOf, stillUsed, use } from './resources';
import { delegationKey, type TronState } from './state';
import type { Transaction } from './transaction';

/** One account's delegation to another, in sun. */
export type Lending = {
  readonly owner: string;
  readonly receiver: string;
  readonly resource: Resource;
  readonly amount: bigint;
};

export const lendingIn = ({ owner, value }: Transaction): Lending => ({
  owner,
  receiver: addressIn(value, 'receiver_address'),
  resource: resourceIn(value),
  amount: sun(value.balance),
});

/** Sun that an account can delegate now: its stake without what it delegated, and without what it used today. */
export function delegatable(state: TronState, address: string, resource: Resource): bigint {
  const account = state.account(address);
  const { own, lent, borrowed } = account.stakes[resource];
  const used = stakeOf(stillUsed(account.used[resource], state.time), resource);
  // Usage falls on what others delegated to the account first.
  const usedOfOwn = used > borrowed ? used - borrowed : 0n;
  return own - lent > usedOfOwn ? own - lent - usedOfOwn : 0n;
}

export const freeze = (state: TronState, owner: string, resource: Resource, amount: bigint): void =>
  changeStake(state, owner, { resource, own: amount });

/** Days of the main network (getUnfreezeDelayDays). */
const UNSTAKING_MS = 14 * 86_400_000;

/** What an account can withdraw now. */
export const withdrawable = (state: TronState, address: string): bigint =>
  state
    .account(address)
    .unstaking.filter(({ until }) => until <= state.time)
    .reduce((sum, { amount }) => sum + amount, 0n);

export function withdraw(state: TronState, owner: string): void {
  state.addBalance(owner, withdrawable(state, owner));
  state.update(owner, { unstaking: state.account(owner).unstaking.filter(({ until }) => until > state.time) });
}

/** It also withdraws what can be withdrawn (UnfreezeBalanceV2Actuator.java). */
export function unfreeze(state: TronState, owner: string, resource: Resource, amount: bigint): void {
  withdraw(state, owner);
  changeStake(state, owner, { resource, own: -amount });
  const { unstaking } = state.account(owner);
  state.update(owner, { unstaking: [...unstaking, { resource, amount, until: state.time + UNSTAKING_MS }] });
}

export const delegate = (state: TronState, lending: Lending): void => move(state, lending, lending.amount);

export function undelegate(state: TronState, lending: Lending): void {
  const { owner, receiver, resource, amount } = lending;
  const account = state.account(receiver);
  const used = stillUsed(account.used[resource], state.time);
  const { own, lent, borrowed } = account.stakes[resource];
  const share = Number((BigInt(used) * amount) / (own - lent + borrowed));
  const returned = Math.min(share, resourceOf(amount, resource));
  move(state, lending, -amount);
  if (returned === 0) return;
  use(state, receiver, resource, -returned);
  use(state, owner, resource, returned);
}

function move(state: TronState, { owner, receiver, resource }: Lending, amount: bigint): void {
  const key = delegationKey(owner, receiver, resource);
  const sum = (state.delegations.get(key) ?? 0n) + amount;
  state.delegations.set(key, sum === 0n ? undefined : sum);
  changeStake(state, owner, { resource, lent: amount });
  changeStake(state, receiver, { resource, borrowed: amount });
}

type StakeChange = { readonly resource: Resource; own?: bigint; lent?: bigint; borrowed?: bigint };

function changeStake(state: TronState, address: string, change: StakeChange): void {
  const { resource, own = 0n, lent = 0n, borrowed = 0n } = change;
  const { stakes } = state.account(address);
  const now = stakes[resource];
  const stake = { own: now.own + own, lent: now.lent + lent, borrowed: now.borrowed + borrowed };
  state.update(address, { stakes: { ...stakes, [resource]: stake } });
}
