// The product's own sweeps, judged by the simulated chains, by what the signer signed, and by when sessions closed.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf, currencyOf } from '@/simulation/chain/units';
import { treasuryOf } from '@/simulation/cold/settings';
import { COLD } from '@/simulation/parties';
import { isUnderWay } from '@/simulation/snapshot-sweeps';
import { depositAddress, type Terms } from '@/simulation/stores';
import { budgetOf, SPONSORS, type SignedRecord } from '@/simulation/sweeping';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';
import { finalTo, isEarly } from './credits';

const AN_HOUR = 3_600_000;
/** Without what the cold wallet has sent back (cold-returns.ts). */
const sentOn = (chain: SimulatedChain | undefined) =>
  (chain?.sent?.() ?? []).filter(({ from }) => chain && from !== COLD[chain.spec.family]);

/** What a sweep moves goes to the treasury. */
export const sweepsGoToTheTreasury: Check = ({ world }) =>
  world.chains.flatMap((chain) =>
    sentOn(chain)
      .flatMap(({ hash, moved }) => moved.map((one) => ({ ...one, hash })))
      .filter(({ recipient }) => recipient !== treasuryOf(world.harness.signer.settings.cold)[chain.spec.family])
      .map(({ hash, recipient }) => `the sweep ${hash} on ${chain.network} paid ${recipient}`),
  );

/** Signatures for a deposit address only when its session is over for as long as the settings say, and its payment is final. */
export const sweepsWaitForTheirSessions: Check = (checked) => {
  const { records, harness } = checked.world;
  const { sweeps, settings } = harness.signer;
  const signed = sweeps.slice(records.judgedSweeps);
  records.judgedSweeps = sweeps.length;
  // A restored database may have opened a session again that was over.
  if (checked.before === checked.after || settings.sweeps === null) return [];
  const delay = settings.sweeps.delaySeconds * 1000;
  return signed.flatMap((one) => one.deposits.flatMap((address) => signedTooEarly(checked, { one, address, delay })));
};

function signedTooEarly(
  { world, before, after, story }: Checked,
  { one, address, delay }: { readonly one: SignedRecord; readonly address: string; readonly delay: number },
): string[] {
  const chain = world.chains.find(({ network }) => network === one.network);
  const terms = chain && world.sessions.find((session) => depositAddress(session, chain) === address);
  if (!terms) return [];
  const own = story.name('session', terms.id);
  const closings = [before, after].flatMap(({ sessions }) => {
    const row = sessions.find(({ id }) => id === terms.id);
    return row && row.status !== 'pending' ? [row.closed_at ?? 0] : [];
  });
  if (closings.length === 0) return [`a sweep of ${own} is signed while the session is open`];
  const isFinal = chain
    .transfers(chain.final())
    .some(({ recipient, token }) => recipient === address && (one.token === null || token === one.token));
  if (!isFinal) return [`a sweep of ${own} is signed, and no payment to its address is final`];
  const isEarlyNow = Math.min(...closings) + delay > one.at && !world.records.hasClockGoneBack;
  return isEarlyNow ? [`a sweep of ${own} is signed within ${delay / 1000} s of its end`] : [];
}

/** What the signatures of any hour cost on their chain is within the budget. */
export const sweepsStayWithinTheirBudget: Check = ({ world: { chains, records, harness } }) => {
  const { sweeps, settings } = harness.signer;
  if (settings.sweeps === null || records.hasClockGoneBack) return [];
  const given = settings.sweeps;
  return chains.flatMap((chain) => {
    const budget = budgetOf(given, chain.network);
    if (budget === null) return [];
    const costs = new Map(sentOn(chain).map(({ hash, cost }) => [hash, cost]));
    const paid = sweeps
      .filter(({ network }) => network === chain.network)
      .map(({ at, hash }) => ({ at, cost: costs.get(hash) ?? 0n }));
    return paid.flatMap(({ at: end }) => {
      const sum = paid
        .filter(({ at }) => at <= end && at > end - AN_HOUR)
        .reduce((total, { cost }) => total + cost, 0n);
      return sum > budget ? [`sweeps of an hour on ${chain.network} cost ${sum}, with a budget of ${budget}`] : [];
    });
  });
};

/** A deposit address is in at most one sweep at a time. */
export const openSweepsShareNoAddress: Check = ({ after }) => {
  const places = after.sweeps
    .filter(isUnderWay)
    .flatMap(({ network, addresses }) => addresses.map((address) => `${network} ${address}`));
  return places
    .filter((place, at) => places.indexOf(place) !== at)
    .map((place) => `the deposit address ${place} is in two sweeps at once`);
};

/** While an operator has paused a network, no sweep of it is planned. */
export const nothingIsPlannedWhilePaused: Check = ({ before, after }) => {
  const isPaused = (network: string): boolean =>
    [before, after].every(({ sweep_states: states }) => states.some((one) => one.network === network && one.is_paused));
  const known = new Set(before.sweeps.map(({ id }) => id));
  return after.sweeps
    .filter(({ id, network }) => !known.has(id) && isPaused(network))
    .map(({ network, kind }) => `a sweep (${kind}) was planned on ${network} while it was paused`);
};

/** Its nonce was taken by another transaction. */
const TAKEN = /has its nonce$/;

const haveAllWorked = ({ endpoints }: World, network: string): boolean =>
  endpoints.every(({ chain, hasFailed }) => chain.network !== network || !hasFailed);

/**
 * A sweep that counts as final is final and moved what its items say. One whose nonce was taken never landed, and where every endpoint
 * always worked, neither did one that lapsed for another reason.
 */
export const endedSweepsTellTheTruth: Check = ({ world, after, story }) => {
  const final = new Map(
    world.chains.flatMap((chain) =>
      sentOn(chain)
        .filter(({ blockNumber }) => blockNumber !== null && blockNumber <= chain.final())
        .map((one) => [`${chain.network} ${one.hash}`, one] as const),
    ),
  );
  return after.sweeps.flatMap(({ id, network, hashes, status, moved, message }) => {
    const landed = hashes.flatMap((hash) => final.get(`${network} ${hash}`) ?? []);
    const own = story.name('sweep', id);
    if (status === 'lapsed' && landed.length > 0 && (TAKEN.test(message ?? '') || haveAllWorked(world, network)))
      return [`${own} counts as lapsed, and it is in a final block`];
    if (status !== 'final' && status !== 'reverted') return [];
    if (landed.length === 0) return [`${own} counts as ${status}, and no final block has it`];
    const real = landed.flatMap((one) => one.moved).reduce((sum, { amount }) => sum + amount, 0n);
    return real === BigInt(moved) ? [] : [`${own} says that it moved ${moved}, the chain says ${real}`];
  });
};

/** Every sweep ends. */
export const sweepsEnd: Check = ({ after, story }) =>
  after.sweeps
    .filter(isUnderWay)
    .map(({ id, network, kind, status }) => `${story.name('sweep', id)} (${kind} on ${network}) stays ${status}`);

/**
 * No account of sweeps has a transaction left behind a gap, or at a price that no block takes. One that the product gave up may be left:
 * an endpoint that invents transactions makes it wait for a nonce that comes later, and then it moves nothing.
 */
export const sweepsLeaveNoGap: Check = ({ world, after }) => {
  const givenUp = new Set(after.sweeps.filter(({ status }) => status === 'lapsed').flatMap(({ hashes }) => hashes));
  return world.chains.flatMap((chain) =>
    sentOn(chain)
      .filter(({ blockNumber, hash }) => blockNumber === null && !givenUp.has(hash))
      .map(({ hash, nonce }) => `the sweep ${hash} on ${chain.network} with nonce ${nonce} never lands`),
  );
};

/** The account that sends sweeps has taken back the energy that it lent. What the other one lent comes back once it sends sweeps again. */
export const nothingStaysLent: Check = ({ world: { chains, harness } }) =>
  chains.flatMap((chain) => {
    const active = SPONSORS[chain.spec.family][harness.signer.sponsor === 'first' ? 0 : 1];
    const borrowers = active === undefined ? [] : (chain.lent?.(active) ?? []);
    return borrowers.map((address) => `energy on ${chain.network} stays lent to ${address}`);
  });

/** In an installation that sweeps, nothing worth a cent stays at the address of a session that is over. */
export const sweepsEmptyTheirAddresses: Check = ({ world, after, story }) => {
  if (world.harness.signer.settings.sweeps === null) return [];
  const over = new Set(after.sessions.filter(({ status }) => status !== 'pending').map(({ id }) => id));
  return world.sessions
    .filter((terms) => over.has(terms.id) && !isHeld(world, terms))
    .flatMap((terms) =>
      leftOf(world, terms).map((left) => `${left} stays at the address of ${story.name('session', terms.id)}`),
    );
};

/** Money from before the session stays in dispute, and its address with it, until an operator explains it. */
const isHeld = (world: World, terms: Terms): boolean => finalTo(world, terms).some((one) => isEarly(one, terms));

function leftOf({ chains }: World, terms: Terms): string[] {
  return chains
    .filter(({ sent }) => sent !== undefined)
    .flatMap((chain) => {
      const address = depositAddress(terms, chain);
      const held = new Map<string, bigint>();
      for (const { token, payer, recipient, amount } of chain.transfers(chain.final())) {
        const change = (recipient === address ? amount : 0n) - (payer === address ? amount : 0n);
        held.set(token, (held.get(token) ?? 0n) + change);
      }
      return [...held]
        .map(([token, amount]) => ({ currency: currencyOf(chain, token), amount }))
        .filter(({ currency, amount }) => amount >= centOf(chain, currency))
        .map(({ currency, amount }) => `${amount} ${currency} on ${chain.network}`);
    });
}
