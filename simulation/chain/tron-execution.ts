// What transactions do on a simulated TRON chain, and those of sweeps as java-tron executes them: each on the state that the ones before it left. Only a call of a contract can enter a block and fail; any other transaction is left out.

import { resourceOf } from '@/sandbox/chains/tron/resources';
import { hexOf, mined, transferLog, type TronMined } from '@/testing/tron/tron-shapes';
import { movementsOf, type Payment } from './chain';
import { isBlocked, isRefused } from './refusals';
import { accountsAt, FREE_BANDWIDTH, NO_EFFECTS, type Accounts } from './tron-accounts';
import {
  ENERGY,
  ENERGY_PRICE,
  tip,
  tronBalance,
  type TronEffects,
  type TronOrder,
  type TronState,
  type TronWaiting,
} from './tron-state';

/** Sun for a byte; for a new account; and in place of the bandwidth of a transaction that creates one. */
export const BANDWIDTH_PRICE = 1000n;
export const [ACTIVATION, ACTIVATION_BANDWIDTH] = [1_000_000n, 100_000n];
/** Bytes of a token transfer and of any other transaction. */
const [TRANSFER_BYTES, PLAIN_BYTES] = [345, 300];
/** The network lends no less. */
const LEAST_LENT = 1_000_000n;

type TronResult = { readonly result: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY' | null; readonly effects: TronEffects };
type Given = { readonly state: TronState; readonly accounts: Accounts; readonly from: TronWaiting };

/** What a transaction does in the newest block. Null: the block does not take it. */
export function minedOf(
  state: TronState,
  from: TronWaiting,
): { readonly own: TronMined; readonly effects: TronEffects | null } | null {
  const { id, owner, contract, movement, type, order } = from;
  const logs = movement
    ? movementsOf(movement).map(({ token, payer, recipient, amount }) => transferLog(token, payer, recipient, amount))
    : [];
  const done =
    order === null ? { result: resultOf(state, from), effects: null } : executeSweep(state, from, tip(state).number);
  if (done === null) return null;
  const { result, effects } = done;
  const named = { ...(contract === null ? {} : { contract }), ...(type === undefined ? {} : { type }) };
  return { own: mined({ owner, ...named, ...valueOf(order), result, logs }, id), effects };
}

/** The fields of a sponsor's transaction, as a block lists them. */
function valueOf(order: TronOrder | null): { readonly value?: object } {
  switch (order?.kind) {
    case 'activate':
      return { value: { account_address: hexOf(order.to) } };
    case 'coin':
      return { value: { to_address: hexOf(order.to), amount: Number(order.amount) } };
    case 'delegate':
    case 'undelegate':
      return { value: { receiver_address: hexOf(order.to), balance: Number(order.amount) } };
    default:
      return {};
  }
}

function resultOf(state: TronState, { movement, signed }: TronWaiting): string {
  const isOverLimit = signed !== null && BigInt(ENERGY) * ENERGY_PRICE * state.fees > signed.feeLimit;
  const isReverted =
    movement !== null && (movement.fails || isRefused(state.refused, movement) || lacks(state, movement));
  return isReverted ? 'REVERT' : isOverLimit ? 'OUT_OF_ENERGY' : 'SUCCESS';
}

/** Customers never run out. Deposit addresses do. */
const lacks = (state: TronState, movement: Payment): boolean =>
  movement.needsFunds === true &&
  movementsOf(movement).some(
    ({ token, payer, amount }) =>
      isBlocked(state.refused, token, payer) ||
      tronBalance(state, { token, address: payer, block: tip(state).number }) < amount,
  );

/** The state after block `through` decides. Null: no block takes it. */
export function executeSweep(state: TronState, from: TronWaiting, through: number): TronResult | null {
  const { order } = from;
  const accounts = accountsAt(state, through);
  const given = { state, accounts, from };
  if (order === null || !accounts.isActive(from.owner)) return null;
  switch (order.kind) {
    case 'token':
      return call(given, through);
    case 'activate':
      return accounts.isActive(order.to) ? null : sent(given, { activated: order.to });
    case 'coin': {
      const activated = accounts.isActive(order.to) ? null : order.to;
      return sent(given, { activated, coin: [{ address: order.to, amount: order.amount }], amount: order.amount });
    }
    case 'delegate': {
      const { to, amount } = order;
      const isFit = accounts.isActive(to) && amount >= LEAST_LENT && amount <= accounts.lendable(from.owner);
      return isFit ? sent(given, { lent: { from: from.owner, to, amount } }) : null;
    }
    case 'undelegate': {
      const { to, amount } = order;
      const lent = accounts.lentTo(from.owner, to);
      if (amount <= 0n || amount > lent) return null;
      const used = returned(accounts, { from: from.owner, to, amount });
      return sent(given, { lent: { from: from.owner, to, amount: -amount }, used });
    }
    default:
      return order satisfies never;
  }
}

type Lent = { readonly from: string; readonly to: string; readonly amount: bigint };

/** Energy that the borrower used returns to the lender as used. Rounded down. */
function returned(accounts: Accounts, { from, to, amount }: Lent): TronEffects['used'] {
  const limit = accounts.energyLimit(to);
  const share = limit === 0 ? 0 : Math.floor((accounts.used(to, 'ENERGY') * resourceOf(amount, 'ENERGY')) / limit);
  const used = Math.min(share, resourceOf(amount, 'ENERGY'));
  return [
    { address: to, what: 'ENERGY', amount: -used },
    { address: from, what: 'ENERGY', amount: used },
  ];
}

type Sent = Partial<Pick<TronEffects, 'activated' | 'coin' | 'lent' | 'used'>> & { readonly amount?: bigint };

/** A transaction of the sponsor. Null when it has too little coin. */
function sent({ accounts, from: { owner } }: Given, { amount = 0n, ...effects }: Sent): TronResult | null {
  const isNew = (effects.activated ?? null) !== null;
  const bill = isNew ? { fee: ACTIVATION + ACTIVATION_BANDWIDTH, free: 0 } : bandwidth(accounts, owner, PLAIN_BYTES);
  if (accounts.coin(owner) < bill.fee + amount) return null;
  return {
    result: null,
    effects: {
      ...NO_EFFECTS,
      ...effects,
      fee: bill.fee,
      coin: [...(effects.coin ?? []), { address: owner, amount: -bill.fee - amount }],
      used: [...(effects.used ?? []), { address: owner, what: 'FREE', amount: bill.free }],
    },
  };
}

/** What a transaction takes of the free bandwidth of a day, or burns. */
function bandwidth(accounts: Accounts, owner: string, bytes: number): { readonly fee: bigint; readonly free: number } {
  const isFree = FREE_BANDWIDTH - accounts.used(owner, 'FREE') >= bytes;
  return isFree ? { fee: 0n, free: bytes } : { fee: BigInt(bytes) * BANDWIDTH_PRICE, free: 0 };
}

/** A transfer of a deposit address: energy that it borrows first, then coin, and never above its fee limit. */
function call({ state, accounts, from }: Given, through: number): TronResult | null {
  const { owner, movement, signed } = from;
  if (movement === null || signed === null) return null;
  const bytes = bandwidth(accounts, owner, TRANSFER_BYTES);
  const coin = accounts.coin(owner) - bytes.fee;
  if (coin < 0n) return null;
  const price = ENERGY_PRICE * state.fees;
  const left = accounts.energyLeft(owner);
  const [spendable, allowed] = [left + Number(coin / price), Number(signed.feeLimit / price)];
  const limit = Math.min(spendable, allowed);
  const needed = energyOf(state, movement, through);
  const energy = Math.min(needed, limit);
  const fee = bytes.fee + BigInt(Math.max(0, energy - left)) * price;
  const isMoved = canMove(state, movement, through);
  return {
    result: needed > limit ? 'OUT_OF_ENERGY' : isMoved ? 'SUCCESS' : 'REVERT',
    effects: {
      ...NO_EFFECTS,
      fee,
      coin: [{ address: owner, amount: -fee }],
      used: [
        { address: owner, what: 'FREE', amount: bytes.free },
        { address: owner, what: 'ENERGY', amount: Math.min(energy, left) },
      ],
    },
  };
}

type Moved = { readonly token: string; readonly payer: string; readonly recipient: string; readonly amount: bigint };

/** Whether a deposit address holds what it sends, and the token's issuer refuses neither side. */
export const canMove = (state: TronState, movement: Moved, through: number): boolean =>
  !isRefused(state.refused, movement) &&
  !isBlocked(state.refused, movement.token, movement.payer) &&
  tronBalance(state, { token: movement.token, address: movement.payer, block: through }) >= movement.amount;

/** A first transfer to an address takes twice the energy of others. */
export const energyOf = (
  state: TronState,
  { token, recipient }: Pick<Moved, 'token' | 'recipient'>,
  block: number,
): number => (tronBalance(state, { token, address: recipient, block }) === 0n ? 2 * ENERGY : ENERGY);
