// A signer of sweeps on the local TRON chain, on the journal of signer-scene's wallet.

import fs from 'node:fs';
import path from 'node:path';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { RefundSigner } from '@/lib/signer/refund-signer';
import type { TronSweepOrder, TronSweepParams } from '@/lib/signer/sweeps/tron/orders';
import { TronSweeps } from '@/lib/signer/sweeps/tron/tron-sweeps';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { refundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys, type Sponsor } from '@/lib/treasury/wallets/derivation-sweep';
import { partsOf, seed, START } from './signer-scene';

/** Its key is unknown. */
export const TREASURY = 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA';
export const TRON = networkSpec('test', 'tron', 'local') as NetworkSpec;
/** USDT. */
export const CONTRACT = TRON.tokens.USDT?.contract as string;
/** Deposit addresses up to this index were given. */
export const HIGHEST_INDEX = 9;
const addressKeys = keysFromSeed(seed);
export const depositAddress = (index: number): string => addressKeys.addressesAt(index).tron;

/** A contract of forwarders in the signer's settings. */
export const FACTORY = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';

export type Given = {
  /** Sun. */
  readonly feesPerHour?: bigint;
  readonly treasury?: string;
  readonly sponsor?: Sponsor;
};

/** The signers on one new journal, in which the addresses up to `HIGHEST_INDEX` are given. `restart` opens them on it again. */
export function openTronSweepScene(directory: string, given: Given = {}) {
  const { feesPerHour = 10n ** 12n, treasury = TREASURY, sponsor = 'first' } = given;
  const journalFile = path.join(fs.mkdtempSync(path.join(directory, 'sweeps-')), 'journal');
  const time = { now: START };
  const policy = { chains: [{ spec: TRON, treasury, feesPerHour }], sponsor };
  const open = (isNewWallet: boolean) => {
    const accounts = refundAccounts(seed);
    const parts = { ...partsOf(journalFile, time), accounts, isNewWallet };
    const journal = new SignerJournal(parts);
    const refundWallets = { live: accounts.of('live', 'tron').address };
    const factories = [{ spec: TRON, factory: FACTORY }];
    const tron = new TronSweeps({ journal, keys: sweepKeys(seed, 'tron'), policy, refundWallets, factories });
    const sweeps = new SweepSigner({ journal, keys: sweepKeys(seed), policy, refundWallets: {}, tron });
    return { refunds: new RefundSigner(parts, journal), sweeps };
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

/** The parameters of a sweep, valid for five minutes. */
export const sweepOf = (transaction: TronSweepOrder, changes: Partial<TronSweepParams> = {}): TronSweepParams => ({
  ...{ environment: 'test', network: 'tron', refBlockBytes: '00ff', refBlockHash: '0123456789abcdef' },
  ...{ timestamp: START, expiration: START + 300_000 },
  feeLimit: transaction.kind === 'transfer' || transaction.kind === 'flush' ? '8357050' : '0',
  transaction,
  ...changes,
});
