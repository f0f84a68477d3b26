// A signer of sweeps on Solana, on the journal of signer-scene's wallet, for the local chain.

import fs from 'node:fs';
import path from 'node:path';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { treasuriesOf, withBudgets, type SweepPolicy } from '@/lib/signer/sweeps/policy';
import type { SolanaSweepOrder, SolanaSweepParams } from '@/lib/signer/sweeps/solana/orders';
import { SolanaSweeps } from '@/lib/signer/sweeps/solana/solana-sweeps';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { solanaSweepKeys } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { partsOf, seed, START } from './signer-scene';

/** Its key is unknown. */
export const SOLANA_TREASURY = 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF';
export const LOCAL_SOLANA = NETWORKS.find((row) => row.family === 'solana' && row.chain === 'local') as NetworkSpec;
/** USDT. */
export const MINT = LOCAL_SOLANA.tokens.USDT?.contract as string;
/** Deposit addresses up to this index were given. */
export const HIGHEST_INDEX = 9;
export const BLOCKHASH = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR';

const keys = keysFromSeed(seed);
export const solanaDeposit = (index: number): string => keys.addressesAt(index).solana;
const sponsors = solanaSweepKeys(seed);
export const solanaSponsor = sponsors.sponsor('test', 'first').address;
export const solanaSpare = sponsors.sponsor('test', 'spare').address;

export const solanaPolicy = (budget?: bigint, treasury = SOLANA_TREASURY): SweepPolicy => ({
  chains: withBudgets(
    treasuriesOf(`solana@local=${treasury}`),
    budget === undefined ? new Map() : new Map([['solana@local', budget]]),
  ),
  sponsor: 'first',
});

/** Both signers on one new journal, in which the addresses up to `HIGHEST_INDEX` are given. */
export function openSolanaSigner(directory: string, policy = solanaPolicy()) {
  const time = { now: START };
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'solana-')), 'journal');
  const open = (isNewWallet: boolean) => {
    const accounts = refundAccounts(seed);
    const parts = { ...partsOf(journalFile, time), accounts, isNewWallet };
    const journal = new SignerJournal(parts);
    const refundWallets = { live: accounts.of('live', 'solana').address };
    const solana = new SolanaSweeps({ journal, keys: solanaSweepKeys(seed), policy, refundWallets });
    const sweeps = new SweepSigner({ journal, keys: sweepKeys(seed), policy, refundWallets: {}, solana });
    return { refunds: new RefundSigner(parts, journal), sweeps };
  };
  const scene = {
    time,
    journalFile,
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

export const solanaBatch = (
  changes: Partial<Extract<SolanaSweepOrder, { kind: 'batch' }>> = {},
): Extract<SolanaSweepOrder, { kind: 'batch' }> => ({
  kind: 'batch',
  contract: MINT,
  deposits: [2, 0, 1].map((index) => ({ index, amount: String(12_340_000 + index) })),
  close: true,
  ...changes,
});

/** The parameters of a sweep on the local chain. */
export const solanaSweep = (
  transaction: SolanaSweepOrder,
  changes: Partial<SolanaSweepParams> = {},
): SolanaSweepParams => ({
  ...{ environment: 'test', network: 'solana', blockhash: BLOCKHASH },
  ...{ unitLimit: 5000, unitPrice: '20000', transaction },
  ...changes,
});
