// Whether the wallets that an operator typed in the set-up can take the money: an address of the right network that is no token, no address
// of this installation, and no contract unless the operator confirms it. A smart wallet is a contract, and most other contracts cannot
// return what they receive.

import { NETWORKS } from '@/lib/networks/networks';
import { readRecipient, type RecipientRefusal } from '@/lib/networks/recipients/recipient';
import { endpointsOf } from '@/lib/networks/registry';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import { isWallet, type AddressContext } from '@/lib/refunds/customer-address/kind';
import { isOwnAddress } from '@/lib/refunds/customer-address/own-address';
import type { TreasuryGiven } from './treasury';

export type TypedTreasury = {
  readonly wallets: TreasuryGiven;
  /** They are the wallets of the installation's only merchant, so none is the refund wallet. */
  readonly isDirect: boolean;
  readonly areContractsConfirmed: boolean;
};

/** `no_wallet`: direct settlement without a wallet. */
export type TreasuryRefusal = { readonly network: string } & (
  RecipientRefusal | { readonly code: 'refund_wallet' | 'contract' | 'no_wallet' }
);

/**
 * Null when every wallet can take the money. `context.config` has the endpoints that the set-up has saved. Throws SERVICE_UNAVAILABLE when
 * they do not report whether an address is a contract; a network without endpoints is swept nowhere and is not asked.
 */
export async function refusedTreasury(
  context: AddressContext,
  { wallets, isDirect, areContractsConfirmed }: TypedTreasury,
): Promise<TreasuryRefusal | null> {
  const entries = Object.entries(wallets);
  if (isDirect && entries.length === 0) return { network: '', code: 'no_wallet' };
  for (const [network, typed = ''] of entries) {
    const spec = NETWORKS.find((row) => row.network === network && row.chain === 'mainnet');
    if (!spec) return { network, code: 'malformed' };
    if (typed === REFUND_WALLET_NAME) {
      if (isDirect) return { network, code: 'refund_wallet' };
      continue;
    }
    const read = readRecipient(spec, typed);
    if ('refused' in read) return { network, ...read.refused };
    const { address } = read;
    if (await isOwnAddress(context.pool, spec.family, address)) return { network, code: 'ours' };
    const place = { environment: 'live', network } as const;
    if (areContractsConfirmed || !endpointsOf(context.config, context, place)) continue;
    if (!(await isWallet(context, { ...place, address }))) return { network, code: 'contract' };
  }
  return null;
}
