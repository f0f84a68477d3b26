// Moves the money of forwarders: up to twenty deposit addresses by one call of their contract, which the sponsor pays for. No key of a
// deposit address takes part.

import { ChainError } from '@/lib/networks/chain';
import type { SponsorState, SweepPrices } from '@/lib/networks/families/tron/sweeping/chain';
import { forwarderAddress, MAX_ENERGY_EACH, MAX_SALTS } from '@/lib/networks/families/tron/sweeping/forwarders';
import { centsOf, openCosts, type Costs } from '@/lib/sweeps/costs';
import { postpone, skipAddresses } from '@/lib/sweeps/postpone';
import { readOpenSweeps } from '@/lib/sweeps/rows';
import { isAffordable, movable, type Candidate } from '@/lib/sweeps/rules';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { leastCounted, leftOf } from './budget';
import type { TronRun } from './run';
import { startSweep } from './send';

/** Seconds until an address is read again that is empty, that no node answered about, or that holds what is not screened yet. */
const [EMPTY_PAUSE, UNREAD_PAUSE, UNSCREENED_PAUSE] = [600, 60, 60];
/** Seconds that an address waits whose own call no node simulates, so that many of them do not hold back the others. */
const REFUSED_PAUSE = 600;
/** A call above its fee limit fails and loses the whole limit. The limit caps energy of the stake too. */
const [LIMIT_MORE, LIMIT_OF] = [130n, 100n];
/** The penalty of a busy contract may rise until the call lands. */
const [ENERGY_MORE, ENERGY_OF] = [105n, 100n];
/**
 * What one forwarder may use, as a multiple of the average. The first transfer to an empty treasury takes twice the energy of others. The
 * fee limit caps it too.
 */
const EACH_MORE = 3n;
/** Bytes of a call with its result, and of each forwarder in it, at most. */
const [CALL_BYTES, SALT_BYTES] = [550n, 32n];

/** A batch of one contract and one token that holds money which may move. */
type Ready = {
  readonly factory: string;
  readonly contract: string;
  readonly items: readonly Candidate[];
  /** Of the whole call, as the node simulates it now. */
  readonly energy: bigint;
};
type Market = { readonly prices: SweepPrices; readonly sponsor: SponsorState; readonly costs: Costs };

/** Begins at most one call. `batch`: forwarders of one token. Returns why none can go, or null. */
export async function flushBatch(
  run: TronRun,
  batch: readonly Candidate[],
  contract: string,
): Promise<SweepHold | null> {
  const { context, tron, wallets, chainId } = run;
  const open = await readOpenSweeps(context.pool, chainId);
  // What it uses of the sponsor's energy is not on the chain yet, so another one could burn coin without need.
  if (open.some(({ request, status }) => request.kind === 'flush' && status !== 'mined')) return null;
  const items = await ownOnly(run, batch);
  const [first] = items;
  if (!first?.factory) return null;
  const { factory } = first;
  const alike = items.filter((one) => one.factory === factory && one.skips === first.skips);
  const held = await withMoney(run, alike.slice(0, sizeOf(alike.length, first.skips)), contract);
  const ready = held.length === 0 ? null : await simulated(run, { factory, contract, items: held });
  if (!ready) return null;
  const market = {
    prices: await tron.chain.prices(),
    sponsor: await tron.chain.sponsor(wallets.active),
    costs: await openCosts(context.pool, tron.spec, context.clock.now()),
  };
  return send(run, ready, market);
}

/** After a failure a batch goes in halves of those that failed with it, and does not hold back those that have not failed. */
const sizeOf = (alike: number, skips: number): number =>
  skips === 0 ? MAX_SALTS : Math.max(1, Math.min(MAX_SALTS >> Math.min(skips, 8), Math.ceil(alike / 2)));

/** Without those whose contract is not ours, or does not give this address. */
async function ownOnly(run: TronRun, batch: readonly Candidate[]): Promise<readonly Candidate[]> {
  const { context, tron, wallets } = run;
  const verdicts = new Map<string, boolean>();
  for (const factory of new Set(batch.flatMap((one) => one.factory ?? [])))
    verdicts.set(factory, (wallets.forwarders ?? []).includes(factory) && (await tron.isOurs(factory, wallets)));
  const isOwn = ({ factory, evmAddress, address }: Candidate): boolean =>
    factory !== null && verdicts.get(factory) === true && forwarderAddress(factory, evmAddress) === address;
  const others = batch.filter((one) => !isOwn(one));
  if (others.length > 0) {
    const { network, environment } = tron.spec;
    await skipAddresses(run, others, 'other_factory');
    context.log.error(
      { network, environment, addresses: others.map(({ address }) => address) },
      'the contract of these deposit addresses is not in the settings of the signer, or was made for other wallets',
    );
  }
  return batch.filter(isOwn);
}

/** Those that hold what may be moved. A call moves all that is there when it lands. */
async function withMoney(run: TronRun, items: readonly Candidate[], contract: string): Promise<readonly Candidate[]> {
  const ready: Candidate[] = [];
  for (const one of items) {
    try {
      const held = await run.tron.chain.held(one.address, contract);
      if (held === 0n) await postpone(run, [one], EMPTY_PAUSE, null);
      else if (movable(one, held, run.isScreened) < held) await postpone(run, [one], UNSCREENED_PAUSE, null);
      else ready.push(one);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      await postpone(run, [one], UNREAD_PAUSE, null);
    }
  }
  return ready;
}

/**
 * The batch without the addresses that the token refuses to move, which are skipped. Half of it where the nodes or the contract refuse the
 * call as a whole: it may take too long, or one address may be the cause. Null when none is left.
 */
async function simulated(run: TronRun, { items, ...given }: Omit<Ready, 'energy'>): Promise<Ready | null> {
  const { context, tron, wallets } = run;
  const salts = items.map(({ evmAddress }) => evmAddress);
  const call = { ...given, from: wallets.active, energyEach: BigInt(MAX_ENERGY_EACH), salts };
  const tried = await tron.chain.flushEnergy(call).catch(orTooLarge);
  const { network, environment } = tron.spec;
  const addresses = (of: readonly Candidate[]) => ({ network, environment, addresses: of.map((one) => one.address) });
  if ((tried === null || tried === 'too_large') && items.length > 1)
    return simulated(run, { ...given, items: items.slice(0, Math.ceil(items.length / 2)) });
  if (tried === 'too_large') {
    await postpone(run, items, REFUSED_PAUSE, null);
    context.log.warn(addresses(items), 'no node simulates the flush of a deposit address');
    return null;
  }
  const isServed = (at: number): boolean => tried !== null && ((tried.served >> BigInt(at)) & 1n) === 1n;
  const refused = items.filter((_, at) => !isServed(at));
  if (tried && refused.length === 0) return { ...given, items, energy: tried.energy };
  await skipAddresses(run, refused, 'refused');
  context.log.warn(addresses(refused), 'the token refuses to leave deposit addresses');
  const left = items.filter((_, at) => isServed(at));
  return left.length === 0 ? null : simulated(run, { ...given, items: left });
}

function orTooLarge(error: unknown): 'too_large' {
  if (error instanceof ChainError && error.fault === 'too_large') return error.fault;
  throw error;
}

async function send(run: TronRun, ready: Ready, market: Market): Promise<SweepHold | null> {
  const { tron, wallets } = run;
  const { factory, contract, items, energy } = ready;
  const { prices, sponsor } = market;
  const count = BigInt(items.length);
  const bytes = CALL_BYTES + SALT_BYTES * count;
  const most = count * tron.spec.feeCap - bytes * prices.bandwidth;
  if (energy * prices.energy > most) return 'fee_too_high';
  const burned = burnedBy(energy, market);
  const cost = burned + (sponsor.bandwidth >= bytes ? 0n : bytes * prices.bandwidth);
  if (burned > 0n && !mayBurn(run, items, market.costs, cost)) return sendFewer(run, ready, market);
  if (cost > sponsor.coin) return 'sponsor_low';
  const wanted = (energy * prices.energy * LIMIT_MORE) / LIMIT_OF;
  const feeLimit = wanted < most ? wanted : most;
  const fit = fitBudget(run, items.length, feeLimit + bytes * prices.bandwidth);
  if (fit === 0) return 'budget';
  if (fit < items.length) return sendOnly(run, ready, market, items.slice(0, fit));
  // Rounded down.
  const each = (EACH_MORE * energy) / count;
  const request = {
    ...{ kind: 'flush' as const, factory, contract },
    energyEach: each < BigInt(MAX_ENERGY_EACH) ? Number(each) : MAX_ENERGY_EACH,
    salts: items.map(({ evmAddress }) => evmAddress),
  };
  const planned = { currency: items[0]?.currency ?? null, items, sender: wallets.active };
  return startSweep(run, { ...planned, feeLimit, request });
}

/** How many of `count` what is left of the signer's budget is enough for. Its own count decides. Rounded down. */
function fitBudget(run: TronRun, count: number, cost: bigint): number {
  const left = leftOf(run);
  if (left < leastCounted(run)) return 0;
  return cost <= left ? count : Number((BigInt(count) * left) / cost);
}

/** The same for some of the addresses. The others wait for another run. */
async function sendOnly(
  run: TronRun,
  { factory, contract }: Ready,
  market: Market,
  items: readonly Candidate[],
): Promise<SweepHold | null> {
  const ready = await simulated(run, { factory, contract, items });
  return ready && send(run, ready, market);
}

/** Sun for the energy that the sponsor has not left of its stake today. */
function burnedBy(energy: bigint, { prices, sponsor }: Market): bigint {
  const needed = (energy * ENERGY_MORE + ENERGY_OF - 1n) / ENERGY_OF;
  return needed > sponsor.energy ? (needed - sponsor.energy) * prices.energy : 0n;
}

/** Whether each address, and all of them together, are worth coin. */
const mayBurn = (run: TronRun, items: readonly Candidate[], costs: Costs, cost: bigint): boolean =>
  items.every((one) => isWorthCoin(run, one)) && isAffordable(run.sweeping.rules, items, centsOf(costs, cost));

const isWorthCoin = ({ context, sweeping, tron }: TronRun, { since, cents }: Candidate): boolean =>
  cents >= tron.burnFrom || context.clock.now().getTime() - since.getTime() >= sweeping.rules.deadline;

/** As many as the energy of the stake is enough for, else those that are worth coin. The others wait for energy. */
async function sendFewer(run: TronRun, ready: Ready, market: Market): Promise<SweepHold | null> {
  const { tron, context } = run;
  const { items, energy } = ready;
  const fit = Number((BigInt(items.length) * market.sponsor.energy * ENERGY_OF) / (energy * ENERGY_MORE));
  const fewer =
    fit > 0 ? items.slice(0, Math.min(fit, items.length - 1)) : items.filter((one) => isWorthCoin(run, one));
  if (fewer.length > 0 && fewer.length < items.length) return sendOnly(run, ready, market, fewer);
  await postpone(run, items, tron.energyPause, null);
  tron.known.noEnergyUntil = context.clock.now().getTime() + tron.energyPause * 1000;
  return 'no_energy';
}
