// Direct settlement as a store's pages show it: the wallet that the store's money goes to, and the refund wallet that has to be funded.

import { directWallets } from '@/lib/networks/direct-settlement';
import { networkSpec } from '@/lib/networks/networks';
import { tokenText } from '@/lib/dashboard/payment/payment';
import { shownAddress } from '@/lib/payouts/view';
import type { Context } from '@/lib/platform/context';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

/** Addresses as wallets show them. `refundWallet`: null before its first reading. */
export type DirectNetwork = {
  readonly network: string;
  readonly address: string;
  readonly refundWallet: {
    readonly address: string;
    readonly tokens: readonly { readonly currency: string; readonly amount: string }[];
  } | null;
};

type Row = { readonly network: string; readonly asset: string; readonly address: string; readonly amount: string };

/** Null without direct settlement. */
export async function directSettlementOf(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  { environment }: Pick<StoreScope, 'environment'>,
): Promise<readonly DirectNetwork[] | null> {
  if (!config.DIRECT_SETTLEMENT) return null;
  const { rows } = await pool.query<Row>({
    name: 'direct-refund-wallets',
    text: `SELECT DISTINCT ON (c.network, w.asset) c.network, w.asset, w.address, w.amount::text AS amount
           FROM wallet_balances w JOIN chains c ON c.id = w.chain_id
           WHERE c.environment = $1::"Environment" AND c.retired_at IS NULL AND w.asset <> 'fee'
           ORDER BY c.network, w.asset, w.read_at DESC`,
    values: [environment],
  });
  return directWallets(config, environment).map(({ network, address }) => {
    const own = rows.filter((row) => row.network === network);
    const [first] = own;
    const decimalsOf = (currency: string) =>
      networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency]?.decimals;
    return {
      network,
      address: shownAddress(network, address),
      refundWallet: first
        ? {
            address: shownAddress(network, first.address),
            tokens: own.flatMap(({ asset, amount }) => {
              const decimals = decimalsOf(asset);
              return decimals === undefined ? [] : [{ currency: asset, amount: tokenText(BigInt(amount), decimals) }];
            }),
          }
        : null,
    };
  });
}
