// Money at an address of the other environment: real tokens sent to a test payment, or test tokens to a live one. One wallet
// derives the addresses of both, so the operator can recover it. It credits nobody; it is reported as a difference.

import type { FoundTransfer } from '@/lib/chains/chain';
import type { FollowedChain } from '@/lib/chains/registry';
import type { Context } from '@/lib/context';
import { eachAlone } from '@/lib/quarantine';
import { reportDifference } from '@/lib/report-difference';

/**
 * Reports final transfers to such addresses. The next comparison with the chain corrects the amount to what the address holds,
 * and ends the difference when the money is gone (lib/reconcile/addresses).
 */
export async function reportForeign(
  context: Context,
  { environment, network }: FollowedChain,
  chainId: number,
  transfers: readonly FoundTransfer[],
): Promise<void> {
  const sums = new Map<string, { address: string; currency: string; found: bigint }>();
  for (const { recipient: address, currency, amount } of transfers) {
    const key = `${address} ${currency}`;
    sums.set(key, { address, currency, found: (sums.get(key)?.found ?? 0n) + amount });
  }
  const places = [...sums].map(
    ([key, one]) => ({ kind: 'address', id: `${chainId} ${key}`, network, environment, ...one }) as const,
  );
  await eachAlone(context, `watch ${environment} ${network}`, places, async ({ address, currency, found }) => {
    const difference = { chainId, address, currency, environment, network, expected: 0n, found };
    if (!(await reportDifference(context.pool, { ...difference, now: context.clock.now() }))) return;
    const about = { environment, network, currency, address, found: String(found) };
    context.log.error(about, 'money arrived at a deposit address of the other environment');
  });
}
