// A store's payout addresses as its page shows them.

import { networkFacts } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import { listPayoutAddresses, type PayoutAddressState } from '@/lib/payouts/addresses/list';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

/** Times in Unix seconds. */
export type PayoutAddressView = {
  readonly id: string;
  readonly network: string;
  /** As wallets show it. */
  readonly address: string;
  readonly state: PayoutAddressState;
  readonly isContract: boolean;
  readonly isSigned: boolean;
  readonly createdAt: number;
  readonly creator: string | null;
  readonly payAfter: number | null;
  readonly stoppedAt: number | null;
};

/** `delaySeconds`: how long a new address waits. */
export async function payoutAddressesOf(
  { pool, clock, config }: Context,
  of: StoreScope,
): Promise<{ readonly addresses: readonly PayoutAddressView[]; readonly delaySeconds: number }> {
  const rows = await listPayoutAddresses(pool, { ...of, now: clock.now() });
  const addresses = rows.map((row) => ({
    ...row,
    address: shown(row.network, row.address),
    createdAt: unixSeconds(row.createdAt),
    payAfter: row.payAfter && unixSeconds(row.payAfter),
    stoppedAt: row.stoppedAt && unixSeconds(row.stoppedAt),
  }));
  const isLive = of.environment === 'live';
  const delaySeconds = isLive ? config.PAYOUT_ADDRESS_DELAY_SECONDS_LIVE : config.PAYOUT_ADDRESS_DELAY_SECONDS_TEST;
  return { addresses, delaySeconds };
}

function shown(network: string, address: string): string {
  const facts = networkFacts(network);
  return facts ? displayAddress(facts.family, address) : address;
}
