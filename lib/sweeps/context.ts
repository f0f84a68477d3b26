// What sweeping on one network needs: the signer, the wallets that it has pinned, and what differs between the families of networks.

import type { TransactionReport } from '@/lib/networks/chain';
import type { HeldCoin } from '@/lib/networks/endpoints/balances-reader';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { TreasuryWallet } from '@/lib/networks/treasury-wallets';
import type { Context } from '@/lib/platform/context';
import type { SignerClient, SignerState } from '@/lib/signer/client';
import type { Candidate, SweepRules } from './rules';
import type { Sweep } from './rows';
import type { SkipReason, SweepHold } from './reasons';

/** The signer's entry for a network: treasury, sponsor, delegate and fee budget. Amounts are decimal text. */
export type SignerSweeps = NonNullable<SignerState['sweeps']>[number];

export type SweepSigning = Pick<SignerClient, 'authorize' | 'owns' | 'sweep' | 'state' | 'freeze'>;

/** `left`: what the sponsor could use or lend without burning coin. The network gives it back within a day. */
export type EnergyReading = { readonly left: bigint; readonly readAt: Date };

/** How the sweeps of one chain are planned, sent and followed. All methods throw a ChainError when no endpoint answers. */
export type SweepFamily = {
  /** The most addresses that are sent in one run. */
  readonly mostAddresses: number;
  /** While this many sweeps of the sponsor are outside a block, no other begins. */
  readonly inFlight: number;
  /**
   * Whether a transaction moves exactly what was planned for every address or nothing at all. Addresses of one that failed are then
   * tried again alone.
   */
  readonly isAtomic: boolean;
  /** What the sweep of one address costs now, in the coin's smallest unit. Throws SendHold above the network's limit. */
  readonly costEach: (run: SweepRun) => Promise<bigint>;
  /** The coin of an address. */
  readonly coin: (address: string) => Promise<HeldCoin>;
  /** Energy that the sponsor had left when it was last read for a sweep. Null before. It sends no request. */
  readonly energy?: () => EnergyReading | null;
  /** Sends a batch of one token, or what has to come before it. Returns why it cannot go, or null. */
  readonly send: (run: SweepRun, batch: readonly Candidate[]) => Promise<SweepHold | null>;
  /** What an operator has to know while nothing is sent: why addresses that were postponed wait, or null. */
  readonly waitsFor?: (run: SweepRun) => Promise<SweepHold | null>;
  /** Takes back what was lent to deposit addresses and is no longer needed there. Returns why it cannot, or null. */
  readonly takeBack?: (run: SweepRun) => Promise<SweepHold | null>;
  /** Advances a sweep that has not ended. Returns why it waits, or null. */
  readonly follow: (run: SweepRun, sweep: Sweep) => Promise<SweepHold | null>;
  /**
   * Why these addresses were not moved by a final transaction that others were moved by. Null for an address that no endpoint can answer
   * about, while they answer about the treasury.
   */
  readonly skipReasons: (
    run: SweepRun,
    addresses: readonly string[],
    contract: string,
  ) => Promise<readonly (SkipReason | 'empty' | null)[]>;
};

/** One network. It is opened once per process. */
export type Sweeping = {
  readonly spec: NetworkSpec;
  readonly genesis: () => Promise<string>;
  readonly family: SweepFamily;
  readonly signer: SweepSigning;
  /** The treasury that this process expects (TREASURY_WALLETS); null without one. */
  readonly treasury: TreasuryWallet | null;
  readonly rules: SweepRules;
  /** Seconds after the end of a session until its address may be swept. */
  readonly delaySeconds: number;
};

/** One run on the chain that is followed now. */
export type SweepRun = {
  readonly context: Context;
  readonly sweeping: Sweeping;
  readonly chainId: number;
  readonly wallets: SignerSweeps;
  /** The tokens that are swept now: those whose issuer does not block the treasury. */
  readonly currencies: readonly string[];
  /** Whether everyone who paid to an address is screened before it is swept. */
  readonly isScreened: boolean;
  /** Whether the treasury is the refund wallet, so that a sweep pays what waits there. */
  readonly fillsRefundWallet: boolean;
  /** Delegates of former treasuries, by the database and by the settings: own ones too. */
  readonly formerDelegates: readonly string[];
};

/** A final report, reduced to what ends a sweep. */
export type FinalReport = Pick<TransactionReport, 'transactionHash' | 'succeeded' | 'fee' | 'movements'>;
