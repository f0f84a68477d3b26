// One run over the sweeps of a TRON chain, and what it needs.

import type { ChainAdapter } from '@/lib/networks/chain';
import type {
  DepositState,
  SponsorState,
  SweepPrices,
  TronSweepChain,
} from '@/lib/networks/families/tron/sweeping/chain';
import type { EnergyMarket } from '@/lib/networks/families/tron/sweeping/energy-market';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { EnergyReading, SweepRun } from '@/lib/sweeps/context';
import type { Costs } from '@/lib/sweeps/costs';
import type { Candidate } from '@/lib/sweeps/rules';
import type { IsOurs } from './forwarders';

/** What the sweeps of one TRON chain need. */
export type Tron = {
  readonly spec: NetworkSpec;
  readonly adapter: Pick<ChainAdapter, 'lookup' | 'head'>;
  readonly chain: TronSweepChain;
  readonly sender: Pick<ChainSender, 'broadcast'>;
  /** Whether the contract of forwarders at an address is that of the signer's wallets. */
  readonly isOurs: IsOurs;
  /** The contract that the settings of the service name for new deposit addresses; null without one. */
  readonly factory: string | null;
  /** From this many cents on, coin may be burned for the energy of a transfer. */
  readonly burnFrom: bigint;
  /** Seconds until an address that waits for energy is read again. */
  readonly energyPause: number;
  /** Null where no energy is rented. */
  readonly renting: Renting | null;
  /** How long answers about the sponsor are used again while nothing is sent, in milliseconds. */
  readonly lasts: number;
  readonly known: {
    cost: { readonly at: number; readonly sun: bigint } | null;
    /** The sponsor's, read with the cost. */
    energy: EnergyReading | null;
    /** Until this time (milliseconds) the sponsor is not asked again whom it lends to. */
    lentReadAgainAt: number;
    reference: { readonly at: number; readonly block: Awaited<ReturnType<TronSweepChain['reference']>> } | null;
    /** Until this time (milliseconds) addresses wait for energy that the sponsor cannot lend yet. */
    noEnergyUntil: number;
    /** Until this time (milliseconds) the energy market gets no request. */
    noMarketUntil: number;
    /** The last price of the energy market, in sun for so much energy. */
    quoted: { readonly at: number; readonly energy: bigint; readonly sun: bigint } | null;
  };
};

/** Where energy may be rented, and for how much. */
export type Renting = {
  readonly market: EnergyMarket;
  /** Sun for a unit of energy at most. */
  readonly maxPrice: bigint;
  /** Sun for all orders of an hour at most. */
  readonly perHour: bigint;
};

/** What a run knows of prices. `sponsor` is what is left of it as the run goes on. */
export type Market = { readonly prices: SweepPrices; sponsor: SponsorState; readonly costs: Costs };
/** An address that holds money, and the energy of its transfer. */
export type Ready = { readonly candidate: Candidate; readonly deposit: DepositState; readonly energy: bigint };

export type TronRun = SweepRun & { readonly tron: Tron };
