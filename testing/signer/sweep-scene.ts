// A signer of sweeps on the journal of signer-scene's wallet, for the local EVM chains.

import fs from 'node:fs';
import path from 'node:path';
import { delegateAddress } from '@/lib/networks/families/evm/sweeping/sweep-delegate';
import { NETWORKS, type EvmSpec } from '@/lib/networks/networks';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import type { EvmSweepOrder, EvmSweepParams } from '@/lib/signer/sweeps/orders';
import { nameOf, treasuriesOf, withBudgets, type SweepPolicy } from '@/lib/signer/sweeps/policy';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { partsOf, seed, START } from './signer-scene';

/** Its key is unknown. */
export const TREASURY = '0x7982d9b7cffc2f9f186b06a6c109d593908c3762';
export const LOCAL_EVM_CHAINS: readonly EvmSpec[] = NETWORKS.filter(
  (row): row is Extract<typeof row, { family: 'evm' }> => row.family === 'evm' && row.chain === 'local',
);
/** Deposit addresses up to this index were given. */
export const HIGHEST_INDEX = 9;

const [sponsor, spareSponsor] = (['first', 'spare'] as const).map(
  (which) => sweepKeys(seed).sponsor('test', which).address,
) as [string, string];
/** Of every local chain. */
export const wallets = { treasury: TREASURY, sponsor, spareSponsor };
export const delegate = delegateAddress(wallets);

const addressKeys = keysFromSeed(seed);
export const depositAddress = (index: number): string => addressKeys.addressesAt(index).evm;

export const sweepPolicy = (budgets: ReadonlyMap<string, bigint> = new Map()): SweepPolicy => ({
  chains: withBudgets(treasuriesOf(LOCAL_EVM_CHAINS.map((spec) => `${nameOf(spec)}=${TREASURY}`).join()), budgets),
  sponsor: 'first',
});

/** The signer of sweeps on a journal. */
export const sweepSignerOn = (journal: SignerJournal, policy = sweepPolicy()): SweepSigner =>
  new SweepSigner({ journal, keys: sweepKeys(seed), policy, refundWallets: {} });

export type SweepScene = {
  readonly time: { now: number };
  readonly journalFile: string;
  readonly refunds: RefundSigner;
  readonly sweeps: SweepSigner;
  /** Stops both signers and starts them on the same journal. */
  readonly restart: () => void;
};

/** Both signers on one new journal, in which the addresses up to `HIGHEST_INDEX` are given. */
export function openSweepScene(
  directory: string,
  { policy = sweepPolicy(), segmentBytes }: { policy?: SweepPolicy; segmentBytes?: number } = {},
): SweepScene {
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'sweeps-')), 'journal');
  const time = { now: START };
  const open = (isNewWallet: boolean) => {
    const parts = {
      ...partsOf(journalFile, time),
      ...{ accounts: refundAccounts(seed), isNewWallet },
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    };
    const journal = new SignerJournal(parts);
    return { refunds: new RefundSigner(parts, journal), sweeps: sweepSignerOn(journal, policy) };
  };
  const scene = {
    ...{ time, journalFile },
    ...open(true),
    restart: () => {
      scene.sweeps.close();
      scene.refunds.close();
      Object.assign(scene, open(false));
    },
  };
  scene.refunds.giveIndexes({ from: 0, count: HIGHEST_INDEX + 1 });
  return scene;
}

/** The parameters of a sweep on a local chain, cheap enough for every row. */
export const sweepOf = (transaction: EvmSweepOrder, changes: Partial<EvmSweepParams> = {}): EvmSweepParams => ({
  ...{ environment: 'test', network: 'ethereum', nonce: 0, transaction },
  ...{ maxFeePerGas: '1000000000', maxPriorityFeePerGas: '100000000', gasLimit: '500000' },
  ...changes,
});

/** USDT on Ethereum. */
export const CONTRACT = LOCAL_EVM_CHAINS.find(({ network }) => network === 'ethereum')?.tokens.USDT?.contract as string;

export const batchOf = (
  changes: Partial<Extract<EvmSweepOrder, { kind: 'batch' }>> = {},
): Extract<EvmSweepOrder, { kind: 'batch' }> => ({
  ...{ kind: 'batch', contract: CONTRACT, gasEach: 100_000 },
  ...{ deposits: [0, 1, 2].map(depositAddress), authorizations: [] },
  ...changes,
});
