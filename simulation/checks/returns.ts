// What goes back: to whom, at most how much, and only when it may. SentRefunds that a restored database has forgotten count too.

import { currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { CUSTOMERS, WALLET } from '@/simulation/parties';
import { sentRefundsOf, placeOf, type SentRefund } from '@/simulation/sent-refunds';
import { namedFor } from '@/simulation/records';
import type { RefundRow } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import { depositAddress, type Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';

type Moved = ChainTransfer & { readonly chain: SimulatedChain; readonly currency: string; readonly fine: bigint };

const movedOn = ({ chains }: World): Moved[] =>
  chains.flatMap((chain) =>
    chain.transfers(chain.height()).map((one) => {
      const currency = currencyOf(chain, one.token);
      return { ...one, chain, currency, fine: fineAmount(chain, currency, one.amount) };
    }),
  );

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

const sumOf = (all: readonly Moved[]): bigint => all.reduce((sum, { fine }) => sum + fine, 0n);

/** What left the refund wallet, with what it was for. */
function returned({ world, after }: Checked): (Moved & { readonly sentRefund: SentRefund })[] {
  const known = new Map(sentRefundsOf(after).map((one) => [one.hash, one]));
  return movedOn(world).flatMap((one) => {
    const sentRefund = known.get(one.hash) ?? world.lost.returns.get(one.hash);
    return sentRefund && one.payer === WALLET[one.chain.spec.family] ? [{ ...one, sentRefund }] : [];
  });
}

/** What goes back for one payment together is at most the payment, and those for one session at most what reached it. */
export const nothingGoesBackTwice: Check = (checked) => {
  const { world, story } = checked;
  const [moved, back] = [movedOn(world), returned(checked)];
  const known = [...world.sessions, ...world.lost.sessions];
  const ofTransfer = groupBy(back, ({ sentRefund }) => sentRefund.transfer ?? '');
  ofTransfer.delete('');
  return [
    ...[...ofTransfer].flatMap(([place, sentRefunds]) => {
      const came = moved.filter(({ chain: { network }, ...one }) => placeOf({ network, ...one }) === place);
      return sumOf(sentRefunds) > sumOf(came)
        ? [`${cents(sumOf(sentRefunds) / FINE)} went back for a payment of ${cents(sumOf(came) / FINE)}`]
        : [];
    }),
    ...[...groupBy(back, ({ sentRefund }) => sentRefund.session)].flatMap(([id, sentRefunds]) => {
      const terms = known.find((one) => one.id === id);
      if (!terms) return [];
      const came = moved.filter(({ chain, recipient }) => recipient === depositAddress(terms, chain));
      return sumOf(sentRefunds) > sumOf(came)
        ? [
            `${cents(sumOf(sentRefunds) / FINE)} went back for ${story.name('session', id)}, which got ${cents(sumOf(came) / FINE)}`,
          ]
        : [];
    }),
  ];
};

/** A payment that did not count goes back to who sent it, or to the address that the customer named for this refund. */
export const paymentsGoBackToTheirSenders: Check = (checked) => {
  const { world, after, story } = checked;
  return returned(checked).flatMap(({ recipient, sentRefund }) => {
    const refund = after.refunds.find(({ id }) => id === sentRefund.refund);
    const exception = after.exceptions.find(({ id }) => id === refund?.case_id);
    const transfer = after.transfers.find(({ id }) => id === exception?.transfer_id);
    if (!refund || !transfer || transfer.payer === recipient) return [];
    return namedFor(world.records, refund).byLink.has(recipient)
      ? []
      : [`${story.name('refund', refund.id)} of ${story.name('payment', transfer.hash)} went to ${recipient}`];
  });
};

const A_DAY = 86_400_000;
const dayOf = (milliseconds: number): number => Math.floor(milliseconds / A_DAY);
const isLive = ({ status }: RefundRow): boolean => status !== 'failed' && status !== 'canceled';

/** A refund is created only while those of its store's day stay within the limit. A recovered one was created before. */
export const refundDayLimitsHold: Check = ({ world, before, after }) => {
  if (world.isRestored || world.records.hasClockGoneBack) return [];
  const known = new Set(before.refunds.map(({ id }) => id));
  return world.stores.flatMap(({ name, storeId, refundDayLimit }) => {
    const own = after.refunds.filter((one) => one.store_id === storeId && one.case_id === null && isLive(one));
    const made = own.find(({ id }) => !known.has(id));
    if (!made) return [];
    const sum = own
      .filter((one) => dayOf(one.created_at) === dayOf(made.created_at))
      .reduce((total, { amount }) => total + BigInt(amount), 0n);
    return sum > refundDayLimit
      ? [`refunds of ${name} over ${cents(sum)} exist with a limit of ${cents(refundDayLimit)} a day`]
      : [];
  });
};

/** Until the worker has carried out an operator's freeze, it drafts no payment. Later the signer refuses. */
export const nothingIsDraftedWhileFreezing: Check = ({ world: { records }, after, story }) => {
  const { freezing } = records;
  return freezing === null || after.freezes.every((one) => one.is_carried_out)
    ? []
    : [
        ...after.refunds.map((one) => ({ ...one, kind: 'refund' as const })),
        ...after.payouts.map((one) => ({ ...one, kind: 'payout' as const })),
        ...after.cold_transfers.map((one) => ({ ...one, kind: 'cold transfer' as const })),
      ]
        .filter(({ id, is_drafted: isDrafted }) => isDrafted && !freezing.has(id))
        .map(({ id, kind }) => `${story.name(kind, id)} was drafted while a freeze was requested`);
};

const WAITS = 'destination_needed';
const isWallet = (payer: string): boolean =>
  CUSTOMERS.some(({ addresses }) => Object.values(addresses).includes(payer));

/** Whether one customer paid what the refund returns with plain transfers of its own token: a session's money, or one payment of it. */
function isPaidByOneWallet({ world, after }: Checked, terms: Terms, refund: RefundRow): boolean {
  const { records } = world;
  const moved = movedOn(world);
  const exception = after.exceptions.find(({ id }) => id === refund.case_id);
  const sentBack = after.transfers.find(({ id }) => id === exception?.transfer_id)?.hash;
  const came = moved.filter(
    ({ chain, recipient, hash }) =>
      recipient === depositAddress(terms, chain) && (refund.case_id === null || hash === sentBack),
  );
  const isPlain = ({ hash, payer, chain, currency }: Moved): boolean =>
    isWallet(payer) &&
    !records.relayed.has(hash) &&
    chain.network === refund.network &&
    currency === refund.currency &&
    !records.blocked.has(`${chain.network} ${currency} ${payer}`) &&
    moved.filter((one) => one.hash === hash).length === 1;
  return new Set(came.map(({ payer }) => payer)).size === 1 && came.every(isPlain);
}

/** A refund that asks for an address is judged again after this long at the latest (lib/refunds/sending/sending-context). */
const LONGEST_HOLD = 6 * 3_600_000;

/** Notes which refunds ask for an address while payments have no proof, as they should. */
export function noteUnproven({ clock, records }: World, refunds: readonly RefundRow[]): void {
  for (const { id, hold } of refunds) if (hold === WAITS) records.judgedUnproven.set(id, clock.now().getTime());
}

/** A refund to the only payer, who used a wallet of their own, does not ask for an address. */
export const walletsNeedNoAddress: Check = (checked) => {
  const { world, after, story } = checked;
  if (world.records.hasUnproven) noteUnproven(world, after.refunds);
  const isUnproven = ({ id }: RefundRow): boolean =>
    world.clock.now().getTime() - (world.records.judgedUnproven.get(id) ?? -Infinity) <= LONGEST_HOLD;
  return world.isRestored
    ? []
    : after.refunds
        .filter(({ hold, refund_id: refundId }) => hold === WAITS && !isSplit(refundId))
        .filter((refund) => !isUnproven(refund))
        .filter((refund) => {
          const terms = world.sessions.find(({ id }) => id === refund.session_id);
          const { byLink, onPage } = namedFor(world.records, refund);
          const isChosen = world.records.addressWanted.has(refund.id) || byLink.size + onPage.size > 0;
          const { case_id: caseId, session_id: session } = refund;
          // A decision about one payment changes who paid the price.
          const isClear = caseId !== null || !after.exceptions.some((one) => one.session_id === session);
          return terms && !isChosen && isClear && isPaidByOneWallet(checked, terms, refund);
        })
        .map(({ id }) => `${story.name('refund', id)} asks for an address, and the only payer used a wallet`);
};

const isSplit = (refundId: string): boolean => refundId.startsWith('split-');
