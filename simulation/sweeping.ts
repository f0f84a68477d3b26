// Sweeps in a history: whether the installation's signer sweeps, with which settings, and every sweep that it signed.

import { networkSpec } from '@/lib/networks/networks';
import type { Clock } from '@/lib/platform/clock';
import type { RefundSignerParts } from '@/lib/signer/refund-signer';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { EvmSweepParams, SignedSweep } from '@/lib/signer/sweeps/orders';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { sweepKeys, type Sponsor } from '@/lib/treasury/wallets/derivation-sweep';
import { depositKeys, seed } from '@/testing/refunds/deposit-keys';
import type { Random } from './random';

const SWEPT = ['ethereum', 'bsc'] as const;
const keys = sweepKeys(seed);
/** The accounts that send sweeps. */
export const SPONSORS: Readonly<Record<Sponsor, string>> = {
  first: keys.sponsor('test', 'first').address,
  spare: keys.sponsor('test', 'spare').address,
};
const specs = SWEPT.flatMap((network) => {
  const spec = networkSpec('test', network, 'local');
  return spec?.family === 'evm' ? [spec] : [];
});

export type SweepSettings = {
  readonly delaySeconds: number;
  /** How many fee caps of one payment the sweeps of an hour may cost; null for the default. */
  readonly capsPerHour: bigint | null;
};

/** `treasury`: an address on EVM networks. */
export type Sweeping = { readonly settings: SweepSettings; readonly sponsor: Sponsor; readonly treasury: string };

/** Null: the operator of this installation sweeps with tools of their own only. */
export const drawSweeps = (random: Random): SweepSettings | null =>
  random.chance(75)
    ? { delaySeconds: random.pick([0, 0, 60, 1800]), capsPerHour: random.pick([null, null, 2n]) }
    : null;

/** Without a setting, as the documents say. */
const USUAL_CAPS = 25n;

/** The most that the sweeps of an hour may cost on a network, in wei; null for networks without sweeps. */
export const budgetOf = ({ capsPerHour }: SweepSettings, network: string): bigint | null => {
  const spec = specs.find((one) => one.network === network);
  return spec ? (capsPerHour ?? USUAL_CAPS) * spec.feeCap : null;
};

/** The signer of sweeps on the journal that it shares with the signer of refunds. */
export function openSweepSigner(
  { accounts }: Pick<RefundSignerParts, 'accounts'>,
  journal: SignerJournal,
  { settings, sponsor, treasury }: Sweeping,
): SweepSigner {
  const treasuries = specs.map((spec) => ({ spec, treasury }));
  const budgets = new Map(
    specs.flatMap((spec) => {
      const budget = settings.capsPerHour === null ? null : budgetOf(settings, spec.network);
      return budget === null ? [] : [[`${spec.network}@${spec.chain}`, budget] as const];
    }),
  );
  const refundWallets = { live: accounts.of('live', 'evm').address, test: accounts.of('test', 'evm').address };
  return new SweepSigner({
    journal,
    keys,
    policy: { chains: withBudgets(treasuries, budgets), sponsor },
    refundWallets,
  });
}

/** A sweep that the signer signed. */
export type SignedRecord = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly network: string;
  readonly hash: string;
  readonly kind: EvmSweepParams['transaction']['kind'];
  /** The token, and the deposit addresses that it is for. */
  readonly token: string | null;
  readonly deposits: readonly string[];
};

export function recordOf({ network, transaction }: EvmSweepParams, { hash }: SignedSweep, clock: Clock): SignedRecord {
  const token = 'contract' in transaction ? transaction.contract : null;
  const common = { at: clock.now().getTime(), network, hash, kind: transaction.kind, token };
  if (transaction.kind === 'batch') return { ...common, deposits: transaction.deposits };
  if (transaction.kind === 'deploy') return { ...common, deposits: [] };
  return { ...common, deposits: [depositKeys.addressesAt(transaction.index).evm] };
}
