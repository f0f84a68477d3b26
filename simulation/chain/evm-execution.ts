// What the transactions of a simulated EVM block do. Each runs on the state that the ones before it left, so after a reorganisation the
// same transaction may do something else.

import type { Movement } from './chain';
import { movementsOf, type Payment } from './chain';
import type { SignedCall, SignedDelegation } from './evm-calls';
import {
  balanceAt,
  basePrice,
  coinAt,
  delegateAt,
  instanceAt,
  NO_EFFECT,
  nonceAt,
  type EvmBlock,
  type EvmState,
  type EvmTransaction,
  type MinedTransaction,
} from './evm-state';
import { gasOfPayouts, isApproved, payItems } from './evm-batches';
import { isBlocked, isRefused } from './refusals';

/** Gas of a plain transaction, of the deployment, of each address of a batch and of each delegation. */
const [PLAIN, DEPLOYMENT, EACH, DELEGATION] = [21_000n, 700_000n, 50_000n, 25_000n];

export const gasOf = (call: EvmTransaction['call'], delegations: number): bigint => {
  const more = BigInt(delegations) * DELEGATION;
  switch (call.kind) {
    case 'tokens':
      return NO_EFFECT.gasUsed;
    case 'deploy':
      return PLAIN + DEPLOYMENT;
    case 'batch':
      return PLAIN + BigInt(call.deposits.length) * EACH + more;
    case 'payouts':
      return gasOfPayouts(call);
    case 'approve':
      return NO_EFFECT.gasUsed;
    default:
      return PLAIN + more;
  }
};

/** Moves what the next block takes from the mempool into it: everything with the next nonce of its sender. */
export function fillBlock(state: EvmState, block: EvmBlock & { readonly transactions: MinedTransaction[] }): void {
  const left: EvmTransaction[] = [];
  const inOrder = state.waiting.toSorted((one, other) => (one.nonce ?? 0) - (other.nonce ?? 0));
  for (const one of inOrder) {
    const { from, nonce } = one;
    const expected = nonce === null ? 0 : nonceAt(state, from, block.number);
    if (nonce !== null && nonce < expected) continue;
    const isEarly = nonce !== null && (nonce > expected || one.gasPrice < basePrice(state.spec) * state.fees);
    if (isEarly || !canPay(state, one, block.number)) left.push(one);
    else block.transactions.push(execute(state, one, block.number));
  }
  state.waiting = left;
}

/** Whether its sender has the coin for the most that it may cost. */
export const canPay = (state: EvmState, one: EvmTransaction, block: number): boolean =>
  one.gasLimit === undefined ||
  coinAt(state, one.from, block) >= one.gasLimit * one.gasPrice + (one.call.kind === 'coin' ? one.call.value : 0n);

function execute(state: EvmState, one: EvmTransaction, block: number): MinedTransaction {
  const delegated: SignedDelegation[] = [];
  const nonces = new Map<string, number>();
  for (const delegation of one.delegations ?? []) {
    const { authority, nonce, chainId } = delegation;
    const isOwn = authority === one.from && one.nonce !== null ? 1 : 0;
    const expected = nonces.get(authority) ?? nonceAt(state, authority, block) + isOwn;
    if (nonce !== expected || chainId !== state.spec.chainId) continue;
    nonces.set(authority, nonce + 1);
    delegated.push(delegation);
  }
  const gasUsed = gasOf(one.call, one.delegations?.length ?? 0);
  const failed = { ...one, ...NO_EFFECT, gasUsed: one.gasLimit ?? gasUsed, delegated };
  if (one.gasLimit !== undefined && one.gasLimit < gasUsed) return failed;
  const { call } = one;
  if (call.kind === 'deploy') {
    if (instanceAt(state, call.instance.address, block)) return failed;
    return { ...failed, succeeded: true, gasUsed, created: call.instance };
  }
  if (call.kind === 'coin') return { ...failed, succeeded: true, gasUsed, value: call.value };
  if (call.kind === 'approve') return { ...failed, succeeded: isApproved(state, { to: one.to, call }, block), gasUsed };
  if (call.kind === 'payouts')
    return { ...failed, succeeded: true, gasUsed, ...payItems(state, { from: one.from, call, block }) };
  const moved =
    call.kind === 'batch' ? movedBy(state, one, { call, delegated, block }) : paidBy(state, call.movement, block);
  return moved === null ? { ...failed, gasUsed } : { ...failed, succeeded: true, gasUsed, moved };
}

/** A customer never runs out of tokens. The refund wallet and deposit addresses do. */
function paidBy(state: EvmState, payment: Payment, block: number): readonly Movement[] | null {
  if (payment.fails || isRefused(state.refused, payment)) return null;
  const all = movementsOf(payment);
  if (payment.needsFunds && all.some(({ token, payer }) => isBlocked(state.refused, token, payer))) return null;
  const isLimited = (payer: string): boolean => payment.needsFunds === true || payer === state.wallet;
  const isCovered = all.every(
    ({ payer, token, amount }) => !isLimited(payer) || balanceAt(state, { token, address: payer, block }) >= amount,
  );
  return isCovered ? all : null;
}

type Batch = {
  readonly call: Extract<SignedCall, { readonly kind: 'batch' }>;
  /** What the same transaction delegated. */
  readonly delegated: readonly SignedDelegation[];
  readonly block: number;
};

/** Null: the contract refuses its caller. An address without the contract's code, or whose token is refused, is left out. */
function movedBy(
  state: EvmState,
  { from, to }: EvmTransaction,
  { call: { token, deposits }, delegated, block }: Batch,
): readonly Movement[] | null {
  const instance = instanceAt(state, to, block);
  if (!instance) return [];
  if (!instance.callers.includes(from)) return null;
  const moved: Movement[] = [];
  for (const payer of new Set(deposits)) {
    const now = delegated.findLast(({ authority }) => authority === payer)?.delegate;
    if ((now ?? delegateAt(state, payer, block)) !== to) continue;
    const amount = balanceAt(state, { token, address: payer, block });
    const movement = { token, payer, recipient: instance.treasury, amount };
    if (amount > 0n && !isRefused(state.refused, movement) && !isBlocked(state.refused, token, payer))
      moved.push(movement);
  }
  return moved;
}

/** Why a call would fail now; null if it would not. */
export function failureOf(
  state: EvmState,
  { from, to, call }: Pick<EvmTransaction, 'from' | 'to' | 'call'>,
  block: number,
): string | null {
  // Refunds read what stops a token before they estimate.
  if (from === state.wallet) return null;
  const isFailing =
    (call.kind === 'tokens' && paidBy(state, { ...call.movement, needsFunds: true }, block) === null) ||
    (call.kind === 'deploy' && instanceAt(state, call.instance.address, block) !== null) ||
    (call.kind === 'batch' && instanceAt(state, to, block)?.callers.includes(from) === false);
  return isFailing ? 'execution reverted' : null;
}
