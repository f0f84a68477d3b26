// Sweeps in a history: whether the installation's signer sweeps, with which settings, and every sweep that it signed.

import type { NetworkFamily } from '@/lib/networks/chain';
import { networkSpec } from '@/lib/networks/networks';
import type { Clock } from '@/lib/platform/clock';
import type { RefundSignerParts } from '@/lib/signer/refund-signer';
import type { SignerJournal } from '@/lib/signer/journal/signer-journal';
import type { SignedSweep, SweepParams } from '@/lib/signer/sweeps/orders';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { SolanaSweeps } from '@/lib/signer/sweeps/solana/solana-sweeps';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { TronSweeps } from '@/lib/signer/sweeps/tron/tron-sweeps';
import { solanaSweepKeys } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { SPONSORS as SPONSOR_NAMES, sweepKeys, type Sponsor } from '@/lib/treasury/wallets/derivation-sweep';
import { depositKeys, seed } from '@/testing/refunds/deposit-keys';
import type { Addresses } from './parties';
import type { Random } from './random';

const SWEPT = ['ethereum', 'bsc', 'tron', 'solana'] as const;
const evmKeys = sweepKeys(seed);
const tronKeys = sweepKeys(seed, 'tron');
const solanaKeys = solanaSweepKeys(seed);
type Wallet = { readonly address: string };
type KeysOf = { readonly sponsor: (environment: 'test', which: Sponsor) => Wallet };
const both = ({ sponsor }: KeysOf): readonly string[] => SPONSOR_NAMES.map((which) => sponsor('test', which).address);
/** The accounts that send sweeps, the first one and the spare one. */
export const SPONSORS: Readonly<Record<NetworkFamily, readonly string[]>> = {
  evm: both(evmKeys),
  tron: both(tronKeys),
  solana: both(solanaKeys),
};
/** What each has at first, in the coin's smallest unit: enough for all sweeps of a history. */
export const SPONSORS_COIN: Readonly<Record<NetworkFamily, bigint>> = {
  evm: 10n ** 20n,
  tron: 10n ** 12n,
  solana: 10n ** 12n,
};
const specs = SWEPT.flatMap((network) => networkSpec('test', network, 'local') ?? []);

export type SweepSettings = {
  readonly delaySeconds: number;
  /** How many fee caps of one payment the sweeps of an hour may cost; null for the default. */
  readonly capsPerHour: bigint | null;
  /** Sun that each sponsor has frozen for energy on TRON: none, enough for one transfer a day, or for many. */
  readonly stake: bigint;
};

export type Sweeping = { readonly settings: SweepSettings; readonly sponsor: Sponsor; readonly treasury: Addresses };

const TRX = 1_000_000n;

/** Null: the operator of this installation sweeps with tools of their own only. */
export const drawSweeps = (random: Random): SweepSettings | null =>
  random.chance(75)
    ? {
        delaySeconds: random.pick([0, 0, 60, 1800]),
        capsPerHour: random.pick([null, null, 2n]),
        stake: random.pick([0n, 8000n * TRX, 400_000n * TRX, 400_000n * TRX]),
      }
    : null;

/** Without a setting, as the documents say. */
const USUAL_CAPS = 25n;

/** The most that the sweeps of an hour may cost on a network, in the coin's smallest unit; null for networks without sweeps. */
export const budgetOf = ({ capsPerHour }: Pick<SweepSettings, 'capsPerHour'>, network: string): bigint | null => {
  const spec = specs.find((one) => one.network === network);
  return spec ? (capsPerHour ?? USUAL_CAPS) * spec.feeCap : null;
};

/** The signer of sweeps on the journal that it shares with the signer of refunds. */
export function openSweepSigner(
  { accounts }: Pick<RefundSignerParts, 'accounts'>,
  journal: SignerJournal,
  { settings, sponsor, treasury }: Sweeping,
): SweepSigner {
  const treasuries = specs.map((spec) => ({ spec, treasury: treasury[spec.family] }));
  const budgets = new Map(
    specs.flatMap((spec) => {
      const budget = settings.capsPerHour === null ? null : budgetOf(settings, spec.network);
      return budget === null ? [] : [[`${spec.network}@${spec.chain}`, budget] as const];
    }),
  );
  const policy = { chains: withBudgets(treasuries, budgets), sponsor };
  const refundWallets = (family: NetworkFamily) => ({
    live: accounts.of('live', family).address,
    test: accounts.of('test', family).address,
  });
  const tron = new TronSweeps({ journal, keys: tronKeys, policy, refundWallets: refundWallets('tron') });
  const solana = new SolanaSweeps({ journal, keys: solanaKeys, policy, refundWallets: refundWallets('solana') });
  return new SweepSigner({ journal, keys: evmKeys, policy, refundWallets: refundWallets('evm'), tron, solana });
}

/** A sweep that the signer signed. */
export type SignedRecord = {
  /** Unix milliseconds. */
  readonly at: number;
  readonly network: string;
  readonly hash: string;
  readonly kind: SweepParams['transaction']['kind'];
  /** The token, and the deposit addresses whose session must be over. */
  readonly token: string | null;
  readonly deposits: readonly string[];
};

export function recordOf(params: SweepParams, { hash }: SignedSweep, clock: Clock): SignedRecord {
  const { network, transaction } = params;
  const token = 'contract' in transaction ? transaction.contract : null;
  const family = 'refBlockHash' in params ? 'tron' : 'evm';
  return {
    at: clock.now().getTime(),
    network,
    hash,
    kind: transaction.kind,
    token,
    deposits: depositsOf(transaction, family),
  };
}

function depositsOf(transaction: SweepParams['transaction'], family: 'evm' | 'tron'): readonly string[] {
  if ('deposits' in transaction)
    return transaction.deposits.map((one) =>
      typeof one === 'string' ? one : depositKeys.addressesAt(one.index).solana,
    );
  // Energy is taken back from any address, whatever its session.
  if (!('index' in transaction) || transaction.kind === 'undelegate') return [];
  return [depositKeys.addressesAt(transaction.index)[family]];
}
