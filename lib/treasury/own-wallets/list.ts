// Which wallets of the installation are checked on a network, and what each is for: those of the settings, and those of the signer. Pure.

import { FAMILIES } from '@/lib/networks/families/family';
import type { NetworkSpec } from '@/lib/networks/networks';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import { presentTreasuries, treasuryWallets } from '@/lib/networks/treasury-wallets';
import { coldWallets, isSameChain } from '@/lib/networks/wallet-levels';
import type { Config } from '@/lib/platform/config/config';
import type { SignerState } from '@/lib/signer/client';

/** The first ones name a wallet that is several. `spare`: the sponsor that takes over. */
export const WALLET_ROLES = ['refund', 'treasury', 'cold', 'former_treasury', 'sponsor', 'spare'] as const;
export type WalletRole = (typeof WALLET_ROLES)[number];

export type OwnWallet = {
  /** As the database stores addresses. */
  readonly address: string;
  readonly roles: readonly WalletRole[];
  /** Whether the signer has its key. Each such account on TRON has one key only. */
  readonly isSigners: boolean;
  /** Whether it holds tokens. Sponsors hold coin, which no issuer blocks. */
  readonly holdsTokens: boolean;
};

type Settings = Pick<Config, 'TREASURY_WALLETS' | 'COLD_WALLETS'>;
type Named = readonly [role: WalletRole, address: string];

/** `state`: null without a signer, or while it does not answer; then only the wallets of the settings are known. */
export function ownWallets(spec: NetworkSpec, settings: Settings, state: SignerState | null): readonly OwnWallet[] {
  const signers = state ? signersWallets(spec, state) : [];
  const refund = signers.find(([role]) => role === 'refund')?.[1];
  const named = [...signers, ...namedWallets(spec, settings, refund)].map(([role, address]): Named => [
    role,
    FAMILIES[spec.family].storedAddress(address),
  ]);
  const keys = new Set(named.slice(0, signers.length).map(([, address]) => address));
  return [...new Set(named.map(([, address]) => address))].map((address) => {
    const roles = WALLET_ROLES.filter((role) => named.some(([of, other]) => of === role && other === address));
    const holdsTokens = roles.some((role) => role !== 'sponsor' && role !== 'spare');
    return { address, roles, isSigners: keys.has(address), holdsTokens };
  });
}

function signersWallets(spec: NetworkSpec, { wallets, sweeps = [] }: SignerState): readonly Named[] {
  const { environment, network, chain, family } = spec;
  const sweep = sweeps.find((one) => one.environment === environment && one.network === `${network}@${chain}`);
  return [['refund', wallets[environment][family]], ...(sweep ? sponsorsOf(sweep) : [])];
}

/** The one that signs now is the sponsor, whichever came first. */
const sponsorsOf = ({
  sponsor,
  spareSponsor,
  active,
}: NonNullable<SignerState['sweeps']>[number]): readonly Named[] => [
  ['sponsor', active],
  ['spare', active === sponsor ? spareSponsor : sponsor],
];

/** A treasury that is the refund wallet by its name is left out while the signer has not reported its address. */
function namedWallets(spec: NetworkSpec, settings: Settings, refund: string | undefined): readonly Named[] {
  const treasuries = treasuryWallets(settings.TREASURY_WALLETS).filter((one) => isSameChain(one.spec, spec));
  const present = presentTreasuries(treasuries);
  return [
    ...treasuries.flatMap((one): Named[] => {
      const address = one.address === REFUND_WALLET_NAME ? refund : one.address;
      return address === undefined ? [] : [[present.includes(one) ? 'treasury' : 'former_treasury', address]];
    }),
    ...coldWallets(settings.COLD_WALLETS).flatMap((one): Named[] =>
      isSameChain(one.spec, spec) ? [['cold', one.address]] : [],
    ),
  ];
}
