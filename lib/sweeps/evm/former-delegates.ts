// The delegates of all treasuries that the settings name, former ones too. A database that was restored from a backup does not know every
// delegate that deposit addresses have run since, and an unknown one freezes the signer.

import { delegateAddress } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import type { NetworkSpec } from '@/lib/networks/networks';
import { resolveTreasuries, treasuryWallets } from '@/lib/networks/treasury-wallets';
import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';
import type { SignerSweeps } from '@/lib/sweeps/context';

type Given = {
  readonly settings: Pick<Config, 'TREASURY_WALLETS'>;
  readonly spec: NetworkSpec;
  readonly state: SignerState;
  readonly wallets: SignerSweeps;
};

/** Of one network, in lower case; none where addresses do not delegate. */
export function delegatesOfSettings({ settings, spec, state, wallets }: Given): readonly string[] {
  if (wallets.delegate === null) return [];
  const { sponsor, spareSponsor } = wallets;
  const named = treasuryWallets(settings.TREASURY_WALLETS).filter(
    (one) => one.spec.network === spec.network && one.spec.chain === spec.chain,
  );
  return resolveTreasuries(named, state.wallets).map(({ address: treasury }) =>
    delegateAddress({ treasury, sponsor, spareSponsor }),
  );
}
