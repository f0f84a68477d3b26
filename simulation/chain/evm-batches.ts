// Payouts in batches on a simulated EVM chain: the wallet's allowance for the contract of batches, and what a call of that contract moves,
// item by item. The contract is there from the beginning.

import { PAYOUT_BATCH, SKIPPED_TOPIC } from '@/lib/networks/families/evm/batching/payout-batch';
import { Interface } from 'ethers/abi';
import type { Movement } from './chain';
import { readBatched, type BatchedCall } from './evm-batched-calls';
import { balanceAt, minedUntil, type EvmState, type EvmTransaction } from './evm-state';
import { isBlocked, isRefused } from './refusals';

const erc20 = new Interface(['function allowance(address owner, address spender)']);
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

/** What the contract may move of a token of the wallet after a block. */
function allowanceAt(state: EvmState, { token, block }: { readonly token: string; readonly block: number }): bigint {
  let allowed = 0n;
  for (const { succeeded, from, to, call, moved } of minedUntil(state, block)) {
    if (!succeeded || from !== state.wallet) continue;
    if (call.kind === 'approve' && to === token && call.spender === PAYOUT_BATCH) allowed = call.amount;
    if (call.kind === 'payouts' && call.token === token) for (const { amount } of moved) allowed -= amount;
  }
  return allowed;
}

/** Strict tokens change an allowance only from nothing, or to nothing. */
export const isApproved = (
  state: EvmState,
  { to, call }: Pick<EvmTransaction, 'to'> & { readonly call: Extract<BatchedCall, { readonly kind: 'approve' }> },
  block: number,
): boolean => call.amount === 0n || allowanceAt(state, { token: to, block }) === 0n;

type PayoutsCall = Extract<BatchedCall, { readonly kind: 'payouts' }>;
type Called = {
  readonly from: string;
  readonly call: PayoutsCall;
  readonly block: number;
};

/** What a call moves, and the places of the items that it leaves out: they are not covered, or the token refuses them. */
export function payItems(
  state: EvmState,
  { from, call: { token, items }, block }: Called,
): { readonly moved: readonly Movement[]; readonly skipped: readonly number[] } {
  const moved: Movement[] = [];
  const skipped: number[] = [];
  let held = balanceAt(state, { token, address: from, block });
  let allowed = from === state.wallet ? allowanceAt(state, { token, block }) : 0n;
  for (const [place, { to: recipient, amount }] of items.entries()) {
    const movement = { token, payer: from, recipient, amount };
    const isCovered = amount <= held && amount <= allowed;
    if (!isCovered || isRefused(state.refused, movement) || isBlocked(state.refused, token, from)) skipped.push(place);
    else {
      moved.push(movement);
      held -= amount;
      allowed -= amount;
    }
  }
  return { moved, skipped };
}

/** Gas of the call without that of its items, of each item, and what the contract keeps for one more. */
const [CALL, ITEM, KEPT] = [21_000n, 30_000n, 10_000n];
export const gasOfPayouts = ({ items }: Pick<PayoutsCall, 'items'>): bigint => CALL + BigInt(items.length) * ITEM;
/** An estimate has what the contract keeps before its last item. */
export const keptGas = (gasEach: bigint): bigint => gasEach + gasEach / 63n + KEPT;

export const skippedLog = (place: number) => ({
  address: PAYOUT_BATCH,
  topics: [SKIPPED_TOPIC],
  data: word(BigInt(place)),
});

/** Answers calls about the contract and the allowance for it; null for other ones. */
export function answerBatched(
  state: EvmState,
  { from = '', to, data }: { readonly from?: string; readonly to: string; readonly data: string },
  block: number,
): string | null {
  const read = readBatched(to, data);
  if (read?.kind === 'payouts') {
    const { skipped } = payItems(state, { from: from.toLowerCase(), call: read, block });
    return word(skipped.reduce((bits, place) => bits | (1n << BigInt(place)), 0n));
  }
  const asked = erc20.parseTransaction({ data });
  if (asked?.name !== 'allowance') return null;
  const [owner, spender] = (asked.args as unknown as [string, string]).map((one) => one.toLowerCase());
  const isOfContract = owner === state.wallet && spender === PAYOUT_BATCH;
  return word(isOfContract ? allowanceAt(state, { token: to, block }) : 0n);
}
