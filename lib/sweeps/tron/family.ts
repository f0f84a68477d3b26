// Sweeps on TRON. Forwarders are flushed by calls of their contract. Every other deposit address sends its own tokens: what it needs for
// that comes from the sponsor, step by step.

import { ChainError } from '@/lib/networks/chain';
import { openSender } from '@/lib/networks/families/clients';
import { openTronSweepChain } from '@/lib/networks/families/tron/sweeping/chain';
import { forwarderFactories, newFactoryOn } from '@/lib/networks/families/tron/sweeping/factories';
import { MAX_SALTS } from '@/lib/networks/families/tron/sweeping/forwarders';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SendingOptions } from '@/lib/networks/registry';
import { SendHold } from '@/lib/networks/sending/send';
import type { SweepFamily } from '@/lib/sweeps/context';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { sendBatch } from './batch';
import { followSweep } from './follow';
import { openForwarderCheck } from './forwarders';
import { stakeToLend } from './next-step';
import { quote } from './rent';
import type { Renting, Tron, TronRun } from './run';
import { takeBackEnergy } from './take-back';

/** Sweeps outside a block. Each address of a key takes transactions of its own. */
const IN_FLIGHT = 30;
const BURN_FROM = 20_000n;
const PUBLIC_LASTS = 60_000;
const [LOCAL_ENERGY_PAUSE, ENERGY_PAUSE] = [5, 600];
/** A transfer to a treasury that holds the token, without room for more. */
const USUAL_ENERGY = 65_000n;

/** What a process knows of a chain before its first request. */
export const NOTHING_KNOWN: Tron['known'] = {
  cost: null,
  energy: null,
  lentReadAgainAt: 0,
  reference: null,
  noEnergyUntil: 0,
  noMarketUntil: 0,
  quoted: null,
};

/** Opens the clients of a chain. No request is sent before the first call. `forwarders`: TRON_FORWARDERS. */
export function openTron(
  spec: NetworkSpec,
  adapter: Tron['adapter'],
  options: SendingOptions,
  { forwarders, renting }: { readonly forwarders: readonly string[]; readonly renting: Renting | null },
): Tron {
  const isLocal = spec.chain === 'local';
  const chain = openTronSweepChain(options);
  return {
    spec,
    adapter,
    chain,
    sender: openSender(options),
    isOurs: openForwarderCheck(chain, options.clock),
    factory: newFactoryOn(forwarderFactories(forwarders), spec),
    // Coin of a local chain costs nothing.
    burnFrom: isLocal ? 0n : BURN_FROM,
    energyPause: isLocal ? LOCAL_ENERGY_PAUSE : ENERGY_PAUSE,
    renting,
    lasts: isLocal ? 0 : PUBLIC_LASTS,
    known: { ...NOTHING_KNOWN },
  };
}

export const tronSweeps = (tron: Tron): SweepFamily => ({
  mostAddresses: MAX_SALTS,
  // TRON has no nonces, so none of them waits for another.
  inFlight: IN_FLIGHT,
  isAtomic: false,
  costEach: (run) => costEach({ ...run, tron }),
  coin: (address) => tron.chain.coin(address),
  energy: () => tron.known.energy,
  send: (run, batch) => sendBatch({ ...run, tron }, batch),
  waitsFor: (run) => waitsFor({ ...run, tron }),
  takeBack: (run) => takeBackEnergy({ ...run, tron }),
  follow: (run, sweep) => followSweep({ ...run, tron }, sweep),
  skipReasons: async ({ wallets }, addresses, contract) => {
    const reasons: ('refused' | 'empty' | null)[] = [];
    for (const address of addresses)
      reasons.push(await skipReason(tron, { address, contract, treasury: wallets.treasury }));
    return reasons;
  },
});

/** Null if no node answers about the address, while they answer about the treasury. */
async function skipReason(
  { chain }: Tron,
  { address, contract, treasury }: { readonly address: string; readonly contract: string; readonly treasury: string },
): Promise<'refused' | 'empty' | null> {
  try {
    // Somebody else moved what an empty address held.
    return (await chain.held(address, contract)) > 0n ? 'refused' : 'empty';
  } catch (error) {
    if (!(error instanceof ChainError) || error.throttled) throw error;
    await chain.held(treasury, contract);
    return null;
  }
}

/** Energy that is used up for today, or a contract for new addresses that could not empty them. */
async function waitsFor({ context, tron, wallets }: TronRun): Promise<SweepHold | null> {
  if (context.clock.now().getTime() < tron.known.noEnergyUntil) return 'no_energy';
  if (tron.factory === null) return null;
  const isNamed = wallets.forwarders?.[0] === tron.factory;
  return isNamed && (await tron.isOurs(tron.factory, wallets)) ? null : 'factory_differs';
}

/** The sun that a new address costs: its account, and its energy, rented or burned, unless the sponsor can lend that now. */
async function costEach(run: TronRun): Promise<bigint> {
  const { tron, wallets, context } = run;
  const now = context.clock.now().getTime();
  const { cost } = tron.known;
  if (cost && now - cost.at < tron.lasts) return cost.sun;
  const prices = await tron.chain.prices();
  const sponsor = await tron.chain.sponsor(wallets.active);
  tron.known.energy = { left: sponsor.energy, readAt: context.clock.now() };
  const isLent = stakeToLend(sponsor, USUAL_ENERGY) <= sponsor.lendable;
  const burned = USUAL_ENERGY * prices.energy;
  const rented = isLent ? null : await quote(run, USUAL_ENERGY);
  const bought = isLent ? 0n : rented !== null && rented < burned ? rented : burned;
  if (!isLent && burned > tron.spec.feeCap)
    throw new SendHold('fee_too_high', `a transfer on ${tron.spec.network} costs more energy than is ever paid for`);
  const sun = prices.activation + bought;
  tron.known.cost = { at: now, sun };
  return sun;
}
