// What must hold whatever merchants, customers and operators do: keys end, links are not overrun, signing stops when it
// was stopped, and large refunds have two approvals.

import type { ChainTransfer } from '@/simulation/chain/chain';
import { currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import { namedFor, type Records } from '@/simulation/records';
import type { RefundRow, Snapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import type { Check, Checked } from './check';

/** A key works until it ends, and never again. */
export const formerKeysAreRefused: Check = ({ world }) =>
  world.records.keyUses.flatMap(({ store, at, validUntil, status }) => {
    // The database or the store's own state may refuse a key that is valid.
    if (at >= validUntil)
      return status === 401 || status >= 500 ? [] : [`a former key of ${store} was answered ${status}`];
    return status === 401 ? [`a key of ${store} was refused before its end`] : [];
  });

/** Nothing is signed from a freeze until a person unfreezes the signer, and a freeze that the product took has reached it. */
export const nothingIsSignedWhileFrozen: Check = ({ world, after }) => {
  const { log } = world.harness.signer;
  let isFrozen = false;
  let signed = 0;
  for (const answer of log) {
    if (answer === 'signed' && isFrozen) signed++;
    if (answer !== 'signed') isFrozen = answer === 'frozen';
  }
  const carriedOut = after.freezes.filter(({ is_carried_out: isCarriedOut }) => isCarriedOut).length;
  const reached = log.filter((answer) => answer === 'frozen').length;
  return [
    ...(signed > 0 ? [`the signer signed ${signed} times while it was frozen`] : []),
    ...(carriedOut > reached
      ? [`${carriedOut} freezes count as carried out, and the signer was asked ${reached} times`]
      : []),
    ...(after.freezes.length > world.records.freezes ? ['a freeze has no operator who requested it'] : []),
  ];
};

/** At most `most_paid` clients complete sessions of a link. Only a client that pays several of its own may take more places. */
export const linksAreNotOverrun: Check = ({ world, after }) =>
  world.records.links.flatMap(({ id, store, mostPaid }) => {
    const completed = new Set(after.sessions.filter(({ status }) => status === 'completed').map((one) => one.id));
    const clients = new Set(
      world.sessions
        .filter((one) => one.link?.id === id && completed.has(one.id) && !one.isDecided)
        .map(({ link }) => link?.client),
    );
    return mostPaid !== null && clients.size > mostPaid
      ? [`${clients.size} clients paid a link of ${store.name} for ${mostPaid}`]
      : [];
  });

/** A session is created only while the paid and pending ones of its store's day stay within the limit. */
export const dayLimitsHold: Check = ({ world, before, after }) => {
  const known = new Set(before.sessions.map(({ id }) => id));
  return world.stores.flatMap(({ name, storeId, dayLimit }) => {
    const own = world.sessions.filter(({ store, link }) => store.storeId === storeId && link === undefined);
    const [made] = own.filter(({ id }) => !known.has(id));
    if (dayLimit === null || !made) return [];
    const day = (seconds: number): number => Math.floor(seconds / 86_400);
    const counted = new Set(
      after.sessions.filter(({ status }) => status === 'pending' || status === 'completed').map(({ id }) => id),
    );
    const sum = own
      .filter(({ id, createdAt }) => counted.has(id) && day(createdAt) === day(made.createdAt))
      .reduce((total, { dueCents }) => total + dueCents, 0n);
    return sum > dayLimit
      ? [`sessions of ${name} over ${cents(sum)} exist with a limit of ${cents(dayLimit)} a day`]
      : [];
  });
};

/** SentRefunds with their refunds, as far as the database knows these. */
const sentRefunds = ({ world, after }: Pick<Checked, 'world' | 'after'>) =>
  world.chains.flatMap((chain) =>
    chain
      .transfers(chain.height())
      .filter(({ payer }) => payer === WALLET[chain.spec.family])
      .flatMap((one: ChainTransfer) => {
        const intent = after.attempts.find(({ hash }) => hash === one.hash)?.refund_id;
        const refund = after.refunds.find(({ id }) => id === intent);
        return refund ? [{ refund, fine: fineAmount(chain, currencyOf(chain, one.token), one.amount) }] : [];
      }),
  );

/** Without two operators' approvals, at most the threshold leaves for the refunds of one session. */
export const largeRefundsNeedTwoOperators: Check = (checked) => {
  const { world, story } = checked;
  const threshold = BigInt(world.context.config.REFUND_APPROVAL_ABOVE) * FINE;
  const sums = new Map<string, bigint>();
  for (const { refund, fine } of sentRefunds(checked)) {
    if (world.records.approved.has(refund.id)) continue;
    sums.set(refund.session_id, (sums.get(refund.session_id) ?? 0n) + fine);
  }
  return [...sums].flatMap(([id, sum]) =>
    sum > threshold
      ? [
          `${cents(sum / FINE)} left for ${story.name('session', id)} without an approval, above ${cents(threshold / FINE)}`,
        ]
      : [],
  );
};

/**
 * A refund fails only for a reason that lasts: the token's issuer has blocked its recipient, or it stopped the token between the
 * signature and the block.
 */
export const refundsFailForLastingReasons: Check = ({ world: { records }, after, story }) =>
  after.refunds.flatMap((refund) => {
    const { id, status, network, currency } = refund;
    const isRefused = (address: string): boolean => records.blocked.has(`${network} ${currency} ${address}`);
    const isSigned = after.attempts.some((one) => one.refund_id === id);
    const isStopped = isSigned && isRefused('*');
    return status === 'failed' &&
      !records.ended.has(id) &&
      !isStopped &&
      !recipientsOf(refund, records, after).some(isRefused)
      ? [`${story.name('refund', id)} failed although its recipient was not blocked`]
      : [];
  });

/** The recipient of a refund. One that failed before its signature was requested has none yet: then everybody it could go to. */
function recipientsOf(refund: RefundRow, records: Records, { transfers }: Snapshot): readonly string[] {
  if (refund.destination !== null) return [refund.destination];
  const { byLink, onPage } = namedFor(records, refund);
  const payers = transfers.filter(
    (one) => one.session_id === refund.session_id && one.network === refund.network && one.currency === refund.currency,
  );
  return [...payers.map(({ payer }) => payer), ...byLink, ...onPage];
}
