// What a seed decides about the loop of money: whether sweeps go into the refund wallet, and the marks above which the wallet's excess
// goes to the cold wallet. A part of the installations have neither.

import { coldWallets } from '@/lib/networks/wallet-levels';
import { networkSpec } from '@/lib/networks/networks';
import type { Policy } from '@/lib/signer/policy';
import { NETWORKS, type Network } from '@/simulation/chain/open-chain';
import { COLD, TREASURY, WALLET, type Addresses } from '@/simulation/parties';
import type { Random } from '@/simulation/random';

export type ColdSettings = {
  /** Sweeps go into the refund wallet. */
  readonly isTreasury: boolean;
  /** In whole tokens, the same for every token of every network. */
  readonly low: number;
  readonly high: number;
  /** In cents, of the signer. */
  readonly perTransfer: bigint;
  readonly perHour: bigint;
};

/** Above what any wallet of a history holds. */
const UNLIMITED = 10n ** 12n;
const PERCENT = 40;

/** Null: the wallet keeps what it has, and sweeps go elsewhere. */
export function drawCold(random: Random): ColdSettings | null {
  if (!random.chance(PERCENT)) return null;
  const low = random.pick([1, 5, 20]);
  const [perTransfer, perHour] = random.pick([
    [UNLIMITED, UNLIMITED],
    [UNLIMITED, UNLIMITED],
    [UNLIMITED, UNLIMITED],
    [50_000n, 200_000n],
  ] as const);
  return { isTreasury: random.chance(75), low, high: low + random.pick([20, 60, 400]), perTransfer, perHour };
}

export const isUnlimited = ({ perTransfer }: ColdSettings): boolean => perTransfer === UNLIMITED;

/** Where deposit addresses are swept to. */
export const treasuryOf = (cold: ColdSettings | null): Addresses => (cold?.isTreasury ? WALLET : TREASURY);

const familyOf = (network: Network): keyof Addresses => networkSpec('test', network, 'local')!.family;
const named = (of: (network: Network) => string): string =>
  NETWORKS.map((network) => `${network}@local=${of(network)}`).join();
const walletsText = named((network) => COLD[familyOf(network)]);

/** The settings of the service. */
export const coldConfig = (cold: ColdSettings | null): Record<string, string> => ({
  TREASURY_WALLETS: named((network) => (cold?.isTreasury ? 'refund-wallet' : TREASURY[familyOf(network)])),
  ...(cold
    ? {
        COLD_WALLETS: walletsText,
        REFUND_WALLET_LEVELS: NETWORKS.flatMap((network) =>
          Object.keys(networkSpec('test', network, 'local')!.tokens).map(
            (token) => `${network}@local/${token}=${cold.low}:${cold.high}`,
          ),
        ).join(),
      }
    : {}),
});

/** What the signer has pinned. */
export const coldPolicy = (cold: ColdSettings | null): Policy['cold'] => ({
  wallets: cold ? coldWallets(walletsText.split(',')) : [],
  limits: { perRefund: cold?.perTransfer ?? 0n, perHour: cold?.perHour ?? 0n, perDay: UNLIMITED },
});
