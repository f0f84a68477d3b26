// What read-balances.sol returns, computed for a fake EVM node from its responses to single calls.

import { READ_BALANCES_CODE } from '@/lib/networks/families/evm/reading/read-balances-code';

/** Selector of balanceOf(address). */
export const BALANCE_OF = '0x70a08231';

/** `single` responds to an eth_call; anything but one word counts as a revert. */
export function manyBalances(
  data: string,
  block: number,
  single: (call: { to: string; data: string }) => unknown,
): string {
  const [token = '', , , ...holders] = data.slice(READ_BALANCES_CODE.length).match(/.{64}/g) ?? [];
  const answers = holders.map((holder) => single({ to: `0x${token.slice(24)}`, data: BALANCE_OF + holder }));
  const words = answers.map((answer) =>
    typeof answer === 'string' && /^0x[0-9a-f]{64}$/.test(answer) ? BigInt(answer) : null,
  );
  const unread = words.reduce<bigint>((bits, one, index) => (one === null ? bits | (1n << BigInt(index)) : bits), 0n);
  const all = [BigInt(block), unread, ...words.map((one) => one ?? 0n)];
  return `0x${all.map((one) => one.toString(16).padStart(64, '0')).join('')}`;
}
