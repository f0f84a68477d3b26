// Takes each address of a batch one step further.

import { ChainError } from '@/lib/networks/chain';
import type { DepositState, SponsorState, SweepPrices } from '@/lib/networks/families/tron/sweeping/chain';
import { centsOf, openCosts } from '@/lib/sweeps/costs';
import { postpone, skipAddresses } from '@/lib/sweeps/postpone';
import { readOpenSweeps } from '@/lib/sweeps/rows';
import { isAffordable, movable, type Candidate } from '@/lib/sweeps/rules';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { flushBatch } from './flush';
import type { Market, Ready, TronRun } from './run';
import { nextStep, type Step } from './next-step';
import { isOwn } from './own-keys';
import { rent } from './rent';
import { endRental } from './rentals';
import { startSweep } from './send';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
/** Seconds until the worker reads an address again whose rented energy is on its way. */
const RENTED_PAUSE = 5;
/** Seconds until an address is read again about which the nodes did not answer. */
const UNREAD_PAUSE = 60;
/** Another signer may have answered for a moment. */
const NOT_AUTHORIZED_PAUSE = 3600;
/** A transfer above its fee limit fails and loses the whole limit. The limit caps lent energy too, so it never depends on that. */
const [MORE, OF] = [130n, 100n];
/** What a transaction of the sponsor takes of its bandwidth at most. */
const SPONSOR_BYTES = 350n;

/** Addresses of keys that are taken a step further in one run. */
const MOST_KEYS = 10;

/** Begins what can go of a batch: a call for forwarders, and a step for each address of a key. Returns why one cannot go, or null. */
export async function sendBatch(run: TronRun, batch: readonly Candidate[]): Promise<SweepHold | null> {
  const { tron } = run;
  const contract = tron.spec.tokens[batch[0]?.currency ?? '']?.contract;
  if (contract === undefined) throw new Error(`there is no ${batch[0]?.currency} on ${tron.spec.network}`);
  const forwarders = batch.filter(({ factory }) => factory !== null);
  const flushed = forwarders.length === 0 ? null : await flush(run, forwarders, contract);
  const keys = batch.filter(({ factory }) => factory === null).slice(0, MOST_KEYS);
  const stepped = keys.length === 0 ? null : await stepEach(run, keys, contract);
  return stepped ?? flushed;
}

/** Forwarders about which the nodes do not answer wait, and hold back no address of a key. */
async function flush(run: TronRun, forwarders: readonly Candidate[], contract: string): Promise<SweepHold | null> {
  try {
    return await flushBatch(run, forwarders, contract);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    await postpone(run, forwarders, UNREAD_PAUSE, null);
    return 'chain_unavailable';
  }
}

/** Begins the next transaction of each address, as far as possible. Returns why one cannot go, or null. */
async function stepEach(run: TronRun, batch: readonly Candidate[], contract: string): Promise<SweepHold | null> {
  const { context, tron, wallets } = run;
  const due = await dueNow(run, batch, contract);
  if (due.length === 0) return null;
  const market = {
    prices: await tron.chain.prices(),
    sponsor: await tron.chain.sponsor(wallets.active),
    costs: await openCosts(context.pool, tron.spec, context.clock.now()),
  };
  let hold: SweepHold | null = null;
  for (const candidate of due) hold = (await takeStep(run, { candidate, market, contract })) ?? hold;
  return hold;
}

type One = { readonly candidate: Candidate; readonly market: Market; readonly contract: string };

/** Takes one address a step further. One about which the nodes do not answer waits and does not hold back the others. */
async function takeStep(run: TronRun, { candidate, market, contract }: One): Promise<SweepHold | null> {
  try {
    if (!(await isOwn(run, candidate))) return await leaveOut(run, candidate);
    const ready = await readReady(run, candidate, contract);
    if (!ready) return null;
    // The limit of the transfer caps rented energy too.
    if (isAboveCap(run, ready, market)) return 'fee_too_high';
    const planned = stepOf(run, ready, market);
    const step = (await rent(run, { ready, market, instead: planned })) ?? planned;
    return await take(run, { step, ready, market, contract });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    await postpone(run, [candidate], UNREAD_PAUSE, null);
    return 'chain_unavailable';
  }
}

/**
 * The addresses to look at. The first transfer of a token to an empty treasury takes twice the energy of the others, which therefore
 * wait until it is final.
 */
async function dueNow(run: TronRun, batch: readonly Candidate[], contract: string): Promise<readonly Candidate[]> {
  const { context, tron, wallets, chainId } = run;
  if ((await tron.chain.held(wallets.treasury, contract)) > 0n) return batch;
  const open = await readOpenSweeps(context.pool, chainId);
  const isFirstOnItsWay = open.some(
    ({ currency, request }) =>
      currency === batch[0]?.currency && request.kind !== 'undelegate' && request.kind !== 'flush',
  );
  return isFirstOnItsWay ? [] : batch.slice(0, 1);
}

/** Only the wallet that has the key of the address can move its money. */
async function leaveOut(run: TronRun, candidate: Candidate): Promise<null> {
  await postpone(run, [candidate], NOT_AUTHORIZED_PAUSE, 'not_authorized');
  const { network, environment } = run.tron.spec;
  const { address, addressIndex: index } = candidate;
  run.context.log.error({ network, environment, address, index }, 'the signer has no key of a deposit address');
  return null;
}

async function readReady(run: TronRun, candidate: Candidate, contract: string): Promise<Ready | null> {
  const { tron, wallets } = run;
  const read = await tron.chain.deposit(candidate.address, contract);
  const deposit = { ...read, held: movable(candidate, read.held, run.isScreened) };
  if (deposit.held === 0n) {
    await postpone(run, [candidate], EMPTY_PAUSE, null);
    return null;
  }
  const transfer = { from: candidate.address, to: wallets.treasury, contract, amount: deposit.held };
  const energy = await tron.chain.transferEnergy(transfer);
  if (energy !== null) return { candidate, deposit, energy };
  await skipAddresses(run, [candidate], 'refused');
  const { network, environment } = tron.spec;
  run.context.log.warn(
    { network, environment, address: candidate.address },
    'the token refuses to leave a deposit address',
  );
  return null;
}

function stepOf({ context, sweeping, tron }: TronRun, ready: Ready, { prices, sponsor, costs }: Market): Step {
  const { candidate, deposit, energy } = ready;
  const isLate = context.clock.now().getTime() - candidate.since.getTime() >= sweeping.rules.deadline;
  const mayBurn = (cost: bigint): boolean =>
    (isLate || candidate.cents >= tron.burnFrom) && isAffordable(sweeping.rules, [candidate], centsOf(costs, cost));
  return nextStep({ deposit, energy, prices, sponsor, mayBurn });
}

/** Sun that a transfer may cost in energy. */
const mostFee = ({ tron }: TronRun, { prices }: Market): bigint => tron.spec.feeCap - SPONSOR_BYTES * prices.bandwidth;

const isAboveCap = (run: TronRun, { energy }: Ready, market: Market): boolean =>
  energy * market.prices.energy > mostFee(run, market);

type Taken = { readonly step: Step; readonly ready: Ready; readonly market: Market; readonly contract: string };

async function take(run: TronRun, { step, ready, market, contract }: Taken): Promise<SweepHold | null> {
  const { tron, wallets } = run;
  const { candidate, deposit, energy } = ready;
  const { prices } = market;
  const { addressIndex: index, currency } = candidate;
  const most = mostFee(run, market);
  const planned = { currency, items: [candidate] };
  if (step.kind === 'wait') {
    // Money that is worth burning coin must not wait behind it.
    await postpone(run, [candidate], tron.energyPause, null);
    tron.known.noEnergyUntil = run.context.clock.now().getTime() + tron.energyPause * 1000;
    return 'no_energy';
  }
  if (step.kind === 'rent') {
    await postpone(run, [candidate], RENTED_PAUSE, null);
    return null;
  }
  if (step.kind === 'transfer') {
    if (tron.renting)
      await endRental(run.context.pool, {
        ...run,
        address: candidate.address,
        now: run.context.clock.now(),
        outcome: 'arrived',
      });
    const limit = (energy * prices.energy * MORE) / OF;
    const feeLimit = limit < most ? limit : most;
    const request = { kind: 'transfer' as const, index, contract, amount: deposit.held.toString() };
    return startSweep(run, { ...planned, sender: candidate.address, feeLimit, request });
  }
  const left = leftAfter(market, step, deposit);
  if (left.coin < 0n) return 'sponsor_low';
  market.sponsor = left;
  return startSweep(run, { ...planned, sender: wallets.active, request: requestOf(step, index) });
}

type SponsorStep = Exclude<Step, { readonly kind: 'transfer' | 'wait' | 'rent' }>;

function requestOf(step: SponsorStep, index: number) {
  if (step.kind === 'activate') return { kind: step.kind, index };
  if (step.kind === 'top_up') return { kind: step.kind, index, amount: step.amount.toString() };
  return { kind: step.kind, index, balance: step.balance.toString() };
}

/** What is left of the sponsor. Its coin is negative if it does not cover the step. */
function leftAfter({ sponsor, prices }: Market, step: SponsorStep, { isActive }: DepositState): SponsorState {
  const sent = step.kind === 'top_up' ? step.amount : 0n;
  const fee = isActive ? bandwidthFee(sponsor, prices) : prices.activation;
  return {
    ...sponsor,
    coin: sponsor.coin - sent - fee,
    lendable: sponsor.lendable - (step.kind === 'delegate' ? step.balance : 0n),
    bandwidth: sponsor.bandwidth > SPONSOR_BYTES ? sponsor.bandwidth - SPONSOR_BYTES : 0n,
  };
}

/** Sun that a transaction of the sponsor burns for its bandwidth at most. */
const bandwidthFee = (
  { bandwidth }: Pick<SponsorState, 'bandwidth'>,
  { bandwidth: price }: Pick<SweepPrices, 'bandwidth'>,
): bigint => (bandwidth >= SPONSOR_BYTES ? 0n : SPONSOR_BYTES * price);
