// Direct settlement: an installation with one merchant sweeps straight to the merchant's own wallet, which TREASURY_WALLETS names. What was
// swept has reached the merchant, so nothing is paid out, and what the merchant does with it is no concern of the books. Pure.

import type { Config } from '@/lib/platform/config/config';
import { networkSpec } from './networks';
import { REFUND_WALLET_NAME } from './refund-wallet-name';
import { presentTreasuries, treasuryWallets } from './treasury-wallets';

type Settings = Pick<Config, 'DIRECT_SETTLEMENT' | 'TREASURY_WALLETS' | 'TEST_CHAINS'>;

export type DirectWallet = { readonly network: string; readonly address: string };

/** The merchant's wallet of each network, as the database stores addresses. Empty without direct settlement. */
export const directWallets = (settings: Settings, environment: 'live' | 'test'): readonly DirectWallet[] =>
  walletsOf(settings, environment, presentTreasuries);

/** The same with the wallets that the merchant had before, and that TREASURY_WALLETS still names. */
export function deliveryWallets(settings: Settings, environment: 'live' | 'test'): readonly DirectWallet[] {
  const networks = directWallets(settings, environment).map(({ network }) => network);
  return walletsOf(settings, environment, (all) => all).filter(({ network }) => networks.includes(network));
}

function walletsOf(
  { DIRECT_SETTLEMENT, TREASURY_WALLETS, TEST_CHAINS }: Settings,
  environment: 'live' | 'test',
  choose: typeof presentTreasuries,
): readonly DirectWallet[] {
  if (!DIRECT_SETTLEMENT) return [];
  return choose(treasuryWallets(TREASURY_WALLETS)).flatMap(({ spec, address }) => {
    const isHere = spec.chain === networkSpec(environment, spec.network, TEST_CHAINS)?.chain;
    return isHere && spec.environment === environment && address !== REFUND_WALLET_NAME
      ? [{ network: spec.network, address }]
      : [];
  });
}
