// An independent judgement of what every session has received: computed from the simulated chains and the sessions' terms
// alone, by adding up again each time.

import { blockTimeMargin } from '@/lib/networks/networks';
import { arrivals } from '@/simulation/chain/arrivals';
import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import { cents } from '@/simulation/story';
import { type World } from '@/simulation/world';
import { depositAddress, isOffered, type Terms } from '@/simulation/stores';
import type { Check } from './check';
import { takenUnseen } from './hidden';
import { noteIfHeldOut } from './holds';

const CLOSED: readonly string[] = ['expired', 'failed'];

type Payment = ChainTransfer & { readonly chain: SimulatedChain; readonly currency: string };

/** Everything final that came to a session's addresses. */
export const finalTo = ({ chains }: World, terms: Terms): Payment[] =>
  chains.flatMap((chain) => {
    const address = depositAddress(terms, chain);
    return arrivals(chain.transfers(chain.final()), address).map((one) => ({
      ...one,
      chain,
      currency: currencyOf(chain, one.token),
    }));
  });

/** Whether it came before its session, so that it belongs to another order. */
export const isEarly = ({ blockTime, chain }: Payment, { createdAt }: Terms): boolean =>
  blockTime < createdAt - blockTimeMargin(chain.network);

const fine = ({ amount, chain, currency }: Payment): bigint => fineAmount(chain, currency, amount);

/** What counts without anybody's decision: in time, on an offered network, in an offered token. */
const countedCents = (world: World, terms: Terms): { readonly exact: bigint; readonly price: bigint } => ({
  exact: finalTo(world, terms)
    .filter(({ chain, currency }) => isOffered(terms, chain.network, currency))
    .filter(({ blockTime }) => blockTime < terms.expiresAt)
    .filter((one) => !isEarly(one, terms))
    .reduce((sum, one) => sum + fine(one), 0n),
  price: terms.dueCents * FINE,
});

/** Every stored transfer is one final transfer of the chain to its own session, and is stored once. */
export const storedTransfersAreReal: Check = ({ world, after, story }) => {
  const seen = new Set<string>();
  return after.transfers.flatMap((row) => {
    const own = story.name('payment', row.hash);
    const place = `${row.network} ${row.hash} ${row.ordinal}`;
    if (seen.has(place)) return [`${own} is stored twice`];
    seen.add(place);
    const terms = world.sessions.find(({ id }) => id === row.session_id);
    const chain = world.chains.find(({ network }) => network === row.network);
    if (!chain?.transfers(chain.final()).some(({ hash }) => hash === row.hash))
      return [`${own} is stored, and it is not final on ${row.network}`];
    const here = terms ? finalTo(world, terms).filter(({ hash }) => hash === row.hash) : [];
    if (!terms || here.length === 0 || depositAddress(terms, chain) !== row.recipient)
      return [`${own} is stored for a session that it did not pay`];
    const isReal = here.some(
      ({ amount, payer, currency }) =>
        String(amount) === row.amount && payer === row.payer && currency === row.currency,
    );
    const [real] = here as [Payment];
    // Two rows of one transaction are two transfers of it.
    const isTooOften = after.transfers.filter(({ hash, session_id }) => hash === row.hash && session_id === terms.id);
    if (isTooOften.length > here.length) return [`${own} is stored twice`];
    return isReal
      ? []
      : [
          `${own} is stored as ${row.amount} ${row.currency} of ${row.payer}, the chain says ${real.amount} ${real.currency} of ${real.payer}`,
        ];
  });
};

/** No session is completed before its price is final on the chains, unless somebody decided so. */
export const completedSessionsArePaid: Check = ({ world, after, story }) =>
  after.sessions.flatMap((row) => {
    const terms = world.sessions.find(({ id }) => id === row.id);
    if (!terms) return [`no merchant created ${story.name('session', row.id)}`];
    if (row.status !== 'completed' || terms.isDecided) return [];
    const { exact, price } = countedCents(world, terms);
    return exact >= price
      ? []
      : [
          `${story.name('session', row.id)} is completed, and ${cents(exact / FINE)} of ${cents(terms.dueCents)} arrived`,
        ];
  });

/**
 * A session that closed unpaid was indeed unpaid when everything up to its end was final, unless its networks were unread for as
 * long as the settings let it wait, or what arrived was hidden and taken.
 */
export const closedSessionsAreUnpaid: Check = ({ world, before, after, story }) => {
  const wasClosed = new Set(before.sessions.filter(({ status }) => CLOSED.includes(status)).map(({ id }) => id));
  return after.sessions.flatMap((row) => {
    const terms = world.sessions.find(({ id }) => id === row.id);
    if (!terms || !CLOSED.includes(row.status) || terms.isDecided) return [];
    if (!wasClosed.has(row.id)) noteIfHeldOut(world, terms);
    if (world.records.unread.has(row.id)) return [];
    const { exact, price } = countedCents(world, terms);
    const least = exact === 0n ? 0n : exact - takenUnseen(world, terms, after);
    if (least >= price) return [`${story.name('session', row.id)} is ${row.status}, and its price arrived in time`];
    return (row.status === 'failed' ? exact >= FINE : least < FINE)
      ? []
      : [`${story.name('session', row.id)} is ${row.status} with ${cents(exact / FINE)} received`];
  });
};

/**
 * When everything is quiet: each final transfer to a session is stored. A payment that is older than its session may be
 * reported to the operator as a discrepancy of the address instead.
 */
export const everyTransferIsStored: Check = ({ world, after, story }) => {
  const stored = new Set(after.transfers.map(({ network, hash, session_id }) => `${network} ${hash} ${session_id}`));
  const reported = new Set(after.discrepancies.map(({ address }) => address));
  return world.sessions.flatMap((terms) =>
    finalTo(world, terms)
      .filter(({ chain, hash }) => !stored.has(`${chain.network} ${hash} ${terms.id}`))
      .filter((one) => !(isEarly(one, terms) && reported.has(one.recipient)))
      .map(({ hash }) => `${story.name('payment', hash)} reached ${story.name('session', terms.id)} and is not stored`),
  );
};
