// Money at an address of the other environment: real tokens sent to a test payment, or test tokens to a live one. One wallet
// derives the addresses of both, so the operator can recover it. It is credited to no session and reported as a discrepancy.

import type { FoundTransfer } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { eachAlone } from '@/lib/platform/database/quarantine';
import { countOpenDiscrepancies, reportDiscrepancy } from '@/lib/ledger/reconciliation/report-discrepancy';

/** Test tokens cost nothing. Without this limit, a stranger could hide the operator's other discrepancies among many new ones. */
const MAX_OF_TEST_TOKENS = 20;

/**
 * Reports final transfers to such addresses; amounts below a cent are not worth a report. The next reconciliation corrects the amount to
 * the balance of the address, and closes the discrepancy once the money was moved away (lib/ledger/reconciliation/addresses).
 */
export async function reportForeign(
  context: Context,
  { environment, network, spec }: FollowedChain,
  chainId: number,
  transfers: readonly FoundTransfer[],
): Promise<void> {
  const sums = new Map<string, { address: string; currency: string; found: bigint }>();
  for (const { recipient: address, currency, amount } of transfers) {
    const key = `${address} ${currency}`;
    sums.set(key, { address, currency, found: (sums.get(key)?.found ?? 0n) + amount });
  }
  const isDust = ({ currency, found }: { currency: string; found: bigint }): boolean => {
    const token = spec.tokens[currency];
    return token !== undefined && baseUnitsToCents(found, token.decimals) === 0n;
  };
  const worth = [...sums].filter(([, one]) => !isDust(one));
  if (worth.length === 0) return;
  const open = environment === 'test' ? await countOpenDiscrepancies(context.pool, chainId) : 0;
  const room = environment === 'test' ? Math.max(0, MAX_OF_TEST_TOKENS - open) : worth.length;
  const places = worth
    .slice(0, room)
    .map(([key, one]) => ({ kind: 'address', id: `${chainId} ${key}`, network, environment, ...one }) as const);
  await eachAlone(context, `watch ${environment} ${network}`, places, async ({ address, currency, found }) => {
    const discrepancy = { chainId, address, currency, environment, network, expected: 0n, found };
    if (!(await reportDiscrepancy(context.pool, { ...discrepancy, now: context.clock.now() }))) return;
    const about = { environment, network, currency, address, found: String(found) };
    context.log.error(about, 'money arrived at a deposit address of the other environment');
  });
}
