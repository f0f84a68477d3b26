// Reads what a signed transaction on a simulated TRON chain is for: a payment of the refund wallet, or a step of a sweep.

import { fromEvm, readAddress, toBase58 } from '@/sandbox/chains/tron/address';
import type { Transaction } from '@/sandbox/chains/tron/transaction';
import type { TronOrder, TronState, TronWaiting } from './tron-state';

const TRANSFER = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

/** Null for a transaction that this chain does not execute. */
export function waitingOf(
  { wallet }: Pick<TronState, 'wallet'>,
  { id, owner, expiration, feeLimit, type, value }: Transaction,
): TronWaiting | null {
  const payer = toBase58(owner);
  const signed = { expiration, feeLimit: BigInt(feeLimit) };
  if (type !== 'TriggerSmartContract') {
    const order = orderOf(type, value);
    return order && { id, owner: payer, contract: null, movement: null, type, order, signed };
  }
  const [, to, amount] = TRANSFER.exec(String(value.data)) ?? [];
  const contract = readAddress(value.contract_address);
  if (to === undefined || contract === null) return null;
  const token = toBase58(contract);
  const movement = { token, payer, recipient: toBase58(fromEvm(`0x${to}`)), amount: BigInt(`0x${amount}`) };
  const order: TronOrder | null = payer === wallet ? null : { kind: 'token' };
  return { id, owner: payer, contract: token, movement, order, signed };
}

function orderOf(type: Transaction['type'], value: Transaction['value']): TronOrder | null {
  const named = (field: string): string => toBase58(readAddress(value[field]) ?? '');
  switch (type) {
    case 'AccountCreateContract':
      return { kind: 'activate', to: named('account_address') };
    case 'TransferContract':
      return { kind: 'coin', to: named('to_address'), amount: BigInt(String(value.amount)) };
    case 'DelegateResourceContract':
      return { kind: 'delegate', to: named('receiver_address'), amount: BigInt(String(value.balance)) };
    case 'UnDelegateResourceContract':
      return { kind: 'undelegate', to: named('receiver_address'), amount: BigInt(String(value.balance)) };
    default:
      return null;
  }
}
