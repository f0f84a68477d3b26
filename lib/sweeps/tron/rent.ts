// Rents the energy of a transfer at a market, where the sponsor's stake cannot lend it and renting costs less than burning coin. The
// order is stored before it is placed, and an address has one at a time, so that a crash or a lost answer pays once. Energy that arrives
// late, in part or not at all is paid for all the same, and the address goes on without it: it burns coin or waits.

import { MarketError, type EnergyMarket, type EnergyOrder } from '@/lib/networks/families/tron/sweeping/energy-market';
import { centsOf } from '@/lib/sweeps/costs';
import { isAffordable } from '@/lib/sweeps/rules';
import type { Step } from './next-step';
import { endRental, insertRental, markPlaced, readRentals, type Rental, type RentalState } from './rentals';
import type { Market, Ready, Renting, TronRun } from './run';

/** The energy that is asked for: the penalty of a busy contract may rise until it is used. */
const [MORE, OF] = [105n, 100n];
/** The market's smallest order. */
const LEAST_ENERGY = 32_000n;
/** Delegations take a block or two. Energy that has not arrived by then counts as missing. */
const ARRIVES_WITHIN = 120_000;
/** An order that the market does not have by then was probably never placed. It counts as missing, because the market may still book it. */
const LOST_AFTER = 60_000;
const PER_ADDRESS_AND_DAY = 2;
/** A market that did not deliver so often within an hour gets no orders until it is over. */
const MOST_MISSING = 3;
/** The market gets no request for this long after a failure, so that a slow one does not delay sweeps; after a refusal; after a wrong price. */
const [FAILED_PAUSE, REFUSED_PAUSE, WRONG_PAUSE] = [60_000, 600_000, 3_600_000];
/** How long a price is used again for as much energy. */
const PRICE_LASTS = 30_000;

/** Units of energy to rent for a transfer that lacks so much. */
export function energyToRent(missing: bigint): bigint {
  const wanted = (missing * MORE + OF - 1n) / OF;
  return wanted > LEAST_ENERGY ? wanted : LEAST_ENERGY;
}

/** What `missing` energy costs now in sun; null where it cannot be rented within the settings. */
export async function quote(run: TronRun, missing: bigint): Promise<bigint | null> {
  const { renting } = run.tron;
  if (!renting) return null;
  const energy = energyToRent(missing);
  const price = await priceOf(run, energy, renting.market);
  return price !== null && price > 0n && price <= renting.maxPrice * energy ? price : null;
}

type Given = { readonly ready: Ready; readonly market: Market; readonly instead: Step };

/**
 * The step of an address that rents, in place of one that burns coin or waits: `rent` while its order is on the way. Null when it goes
 * on without renting.
 */
export async function rent(run: TronRun, { ready, market, instead }: Given): Promise<Step | null> {
  const { tron, context, chainId } = run;
  const { renting } = tron;
  const { candidate, deposit, energy } = ready;
  const missing = energy - deposit.energy;
  if (!renting || missing <= 0n || (instead.kind !== 'top_up' && instead.kind !== 'wait')) return null;
  const of = { chainId, address: candidate.address, now: context.clock.now() };
  const state = await readRentals(context.pool, of);
  if (state.open)
    return (await isOnItsWay(run, renting.market, { ...state.open, address: candidate.address }))
      ? { kind: 'rent' }
      : null;
  if (isExhausted(state) || state.hour.cost >= renting.perHour) return null;
  const cost = await quote(run, missing);
  if (cost === null || state.hour.cost + cost > renting.perHour) return null;
  // A sponsor that tops up burns this much; one that waits burns nothing, so what the money is worth decides.
  if (instead.kind === 'top_up' && cost >= missing * market.prices.energy) return null;
  if (!isAffordable(run.sweeping.rules, [candidate], centsOf(market.costs, cost))) return null;
  if (!deposit.isActive) return { kind: 'activate' };
  const id = await insertRental(context.pool, { ...of, energy: energyToRent(missing), cost });
  if (id === null) return { kind: 'rent' };
  const order = { reference: id, address: candidate.address, energy: energyToRent(missing) };
  return (await place(run, renting, order)) ? { kind: 'rent' } : null;
}

const isExhausted = ({ day, hour }: RentalState): boolean => day >= PER_ADDRESS_AND_DAY || hour.missing >= MOST_MISSING;

/** False when the market refused the order. */
async function place(
  { tron, context, chainId }: TronRun,
  { market, maxPrice }: Renting,
  order: EnergyOrder,
): Promise<boolean> {
  const { reference: id, address } = order;
  const { pool, clock, log } = context;
  const { network, environment } = tron.spec;
  try {
    const cost = await market.order(order);
    if (cost > maxPrice * order.energy) {
      log.error(
        { network, environment, address, cost: String(cost) },
        'the energy market took more than its highest price',
      );
      pauseMarket(tron, clock.now(), WRONG_PAUSE);
    }
    await markPlaced(pool, { id, cost, now: clock.now() });
    return true;
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    log.warn({ network, environment, address }, error.message);
    pauseMarket(tron, clock.now(), error.isRefusal ? REFUSED_PAUSE : FAILED_PAUSE);
    // Without an answer the order may have been placed: the next run asks the market.
    if (!error.isRefusal) return true;
    await endRental(pool, { chainId, address, now: clock.now(), outcome: 'refused' });
    return false;
  }
}

/** Ends an order that has taken too long. True while it may still come. */
async function isOnItsWay(
  run: TronRun,
  market: EnergyMarket,
  { id, address, orderedAt, placedAt }: Rental & { readonly address: string },
): Promise<boolean> {
  const { context, chainId, tron } = run;
  const { pool, clock, log } = context;
  const age = clock.now().getTime() - orderedAt.getTime();
  if (placedAt === null) {
    const outcome = await answerOf(run, () => market.find(id));
    if (outcome?.kind === 'placed') await markPlaced(pool, { id, cost: outcome.cost, now: clock.now() });
    if (outcome?.kind === 'gone' && age >= LOST_AFTER) {
      await endRental(pool, { chainId, address, now: clock.now(), outcome: 'missing' });
      return false;
    }
  }
  if (age < ARRIVES_WITHIN) return true;
  await endRental(pool, { chainId, address, now: clock.now(), outcome: 'missing' });
  const { network, environment } = tron.spec;
  log.warn({ network, environment, address, order: id }, 'rented energy did not come in time');
  return false;
}

/** An answer of the market; null while it fails. */
async function answerOf<T>({ tron, context }: TronRun, ask: () => Promise<T>): Promise<T | null> {
  const { network, environment } = tron.spec;
  const now = context.clock.now();
  if (now.getTime() < tron.known.noMarketUntil) return null;
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    pauseMarket(tron, now, FAILED_PAUSE);
    context.log.warn({ network, environment }, error.message);
    return null;
  }
}

const pauseMarket = ({ known }: TronRun['tron'], now: Date, milliseconds: number): void =>
  void (known.noMarketUntil = now.getTime() + milliseconds);

/** One request serves all addresses of a run that need as much. */
async function priceOf(run: TronRun, energy: bigint, market: EnergyMarket): Promise<bigint | null> {
  const { known } = run.tron;
  const now = run.context.clock.now().getTime();
  const { quoted } = known;
  if (quoted?.energy === energy && now - quoted.at < PRICE_LASTS) return quoted.sun;
  const sun = await answerOf(run, () => market.price(energy));
  known.quoted = sun === null ? null : { at: now, energy, sun };
  return sun;
}
