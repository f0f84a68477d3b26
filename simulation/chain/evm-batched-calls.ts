// The calls of a batch of payouts on a simulated EVM chain, as they are read from a transaction: the allowance for the contract of batches, and
// the call that pays.

import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { Interface } from 'ethers/abi';

type PayoutItem = { readonly to: string; readonly amount: bigint };
export type BatchedCall =
  | { readonly kind: 'approve'; readonly spender: string; readonly amount: bigint }
  | {
      readonly kind: 'payouts';
      readonly token: string;
      readonly gasEach: bigint;
      readonly items: readonly PayoutItem[];
    };

const contract = new Interface(['function pay(address token, uint256 gasEach, uint256[] items)']);
const erc20 = new Interface(['function approve(address spender, uint256 amount)']);
const ADDRESS_BITS = 160n;
const ADDRESS_MASK = (1n << ADDRESS_BITS) - 1n;

/** Null for any other call. */
export function readBatched(to: string, data: string): BatchedCall | null {
  if (to === PAYOUT_BATCH) {
    const read = contract.parseTransaction({ data });
    if (!read) return null;
    const [token, gasEach, items] = read.args as unknown as [string, bigint, readonly bigint[]];
    return {
      kind: 'payouts',
      token: token.toLowerCase(),
      gasEach,
      items: items.map((item) => ({
        to: `0x${(item & ADDRESS_MASK).toString(16).padStart(40, '0')}`,
        amount: item >> ADDRESS_BITS,
      })),
    };
  }
  const read = erc20.parseTransaction({ data });
  if (read?.name !== 'approve') return null;
  const [spender, amount] = read.args as unknown as [string, bigint];
  return { kind: 'approve', spender: spender.toLowerCase(), amount };
}
