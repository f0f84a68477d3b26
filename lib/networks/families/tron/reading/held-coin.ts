// The TRX of an account on the solid side: what it can spend, what it has staked, and what it has unstaked and not withdrawn. One
// request reads all of it, so a stake never shows without the coin that is missing for it.

import { z } from 'zod';
import type { HeldCoin } from '@/lib/networks/endpoints/balances-reader';
import { requestAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';
import { account } from '@/lib/networks/families/tron/sending/shapes';

const integer = z.number().int().nonnegative();

/** java-tron names stakes of each resource without what is lent of them, which has fields of its own. */
const heldAccount = account.extend({
  frozenV2: z.array(z.object({ amount: integer.default(0) })).default([]),
  delegated_frozenV2_balance_for_bandwidth: integer.default(0),
  account_resource: z.object({ delegated_frozenV2_balance_for_energy: integer.default(0) }).optional(),
  unfrozenV2: z
    .array(z.object({ unfreeze_amount: integer.default(0), unfreeze_expire_time: integer.default(0) }))
    .default([]),
});

/** Throws a ChainError. */
export async function readHeldCoin(node: TronNode, address: string): Promise<HeldCoin> {
  const body = { address: requestAddress(address) };
  const found = await node.client.request({ side: 'walletsolidity', api: 'getaccount', body, shape: heldAccount });
  const lent = [
    found.delegated_frozenV2_balance_for_bandwidth,
    found.account_resource?.delegated_frozenV2_balance_for_energy ?? 0,
  ];
  const ends = found.unfrozenV2.map((one) => one.unfreeze_expire_time);
  return {
    amount: BigInt(found.balance),
    stake: {
      staked: sumOf([...found.frozenV2.map(({ amount }) => amount), ...lent]),
      unstaking: sumOf(found.unfrozenV2.map((one) => one.unfreeze_amount)),
      withdrawableAt: ends.length === 0 ? null : new Date(Math.min(...ends)),
    },
  };
}

const sumOf = (amounts: readonly number[]): bigint => amounts.reduce((sum, one) => sum + BigInt(one), 0n);
