// What operators have stopped is not signed: payments during a pause, payments with a hit or without an answer of the screening, and payouts
// of money that a hit freezes. Each is judged by the first signature of a payment and by what stood in its way when it was requested.

import { centOf } from '@/simulation/chain/units';
import { firstSigned } from '@/simulation/payouts/signed';
import { depositAddress } from '@/simulation/stores';
import { screeningKey } from '@/simulation/stops/records';
import type { GuardedCall } from '@/simulation/stops/signed';
import type { Check, Checked } from './check';

type First = GuardedCall & { readonly place: number };

const firsts = ({ world, after }: Checked): readonly First[] => [
  ...firstSigned(world.harness.signer.guarded, (id) => after.attempts.some((one) => one.refund_id === id)).values(),
];

const nameOf = ({ story }: Checked, { kind, id }: GuardedCall): string =>
  story.name(kind === 'refunds' ? 'refund' : kind === 'payouts' ? 'payout' : 'cold transfer', id);

export const nothingIsSignedWhilePaused: Check = (checked) =>
  firsts(checked)
    .filter(({ stops }) => stops.isPaused)
    .map((one) => `${nameOf(checked, one)} was signed while the ${one.kind} of ${one.network} were paused`);

/** The screenings that a payment depends on: of its payee, and of everybody who paid the session of a refund. */
function screeningsOf({ after }: Checked, { id, network, to }: GuardedCall): readonly string[] {
  const session = after.refunds.find((one) => one.id === id)?.session_id;
  const senders = after.transfers.filter((one) => one.session_id === session);
  return [
    screeningKey({ role: 'payee', network, address: to, hash: '' }),
    ...senders.map((one) => screeningKey({ role: 'sender', network: one.network, address: one.payer, hash: one.hash })),
  ];
}

export const nothingIsSignedWithoutAnAnswer: Check = (checked) =>
  firsts(checked)
    .filter(({ kind }) => kind !== 'cold_transfers')
    .flatMap((one) => {
      const keys = screeningsOf(checked, one);
      return [
        ...(keys.some((key) => one.stops.hits.has(key))
          ? [`${nameOf(checked, one)} was signed in spite of a hit`]
          : []),
        ...(keys.some((key) => one.stops.unknown.has(key))
          ? [`${nameOf(checked, one)} was signed before the screening answered`]
          : []),
      ];
    });

/**
 * Up to each payout, what a store got of a token is at most what reached its sessions without a hit on that network. A restored database has
 * forgotten sessions, so it cannot be told.
 */
export const noFrozenMoneyIsPaidOut: Check = (checked) => {
  const { world, after } = checked;
  if (world.isRestored) return [];
  const requested = new Map(world.records.payouts.requested.map((one) => [one.id, one]));
  const gone = new Set(
    after.payouts.filter(({ status }) => status === 'failed' || status === 'canceled').map(({ id }) => id),
  );
  const paid = firsts(checked).filter(({ kind, id }) => kind === 'payouts' && !gone.has(id));
  return paid
    .filter(({ stops }) => stops.hits.size > 0)
    .flatMap((one) => {
      const { network, currency, place, stops } = one;
      const storeId = requested.get(one.id)?.storeId;
      const chain = world.chains.find((each) => each.network === network);
      if (!chain || storeId === undefined) return [];
      const token = chain.spec.tokens[currency]?.contract;
      const arrived = chain.transfers(chain.final());
      const clean = world.sessions
        .filter(({ store }) => store.storeId === storeId)
        .map((terms) => arrived.filter(({ recipient }) => recipient === depositAddress(terms, chain)))
        .filter((all) =>
          all.every(
            ({ payer, hash }) => !stops.hits.has(screeningKey({ role: 'sender', network, address: payer, hash })),
          ),
        )
        .flat()
        .filter((each) => each.token === token)
        .reduce((sum, { amount }) => sum + amount, 0n);
      const got = paid
        .filter((each) => each.place <= place && each.network === network && each.currency === currency)
        .filter(({ id }) => requested.get(id)?.storeId === storeId)
        .reduce((sum, { amount }) => sum + amount, 0n);
      const cent = centOf(chain, currency);
      return got > clean
        ? [
            `${nameOf(checked, one)} pays out frozen money: ${got / cent} cents left, and ${clean / cent} came without a hit`,
          ]
        : [];
    });
};

/** A hit is of an address that a list or the hook has named, and no address on the present list is clear. */
export const hitsFollowTheLists: Check = ({ world, after, story }) => {
  const { listed, everNamed } = world.records.stops;
  return after.screenings.flatMap(({ id, verdict, address }) => [
    ...(verdict === 'hit' && !everNamed.has(address)
      ? [`${story.name('screening', id)} is a hit, and neither a list nor the hook named ${address}`]
      : []),
    ...(verdict === 'clear' && listed?.has(address)
      ? [`${story.name('screening', id)} is clear, and the list names ${address}`]
      : []),
  ]);
};

/** Judged at the time of the steps and pages (stops/funds.ts, payouts/scheduled.ts). */
export const booksOfStopsAgree: Check = ({ world }) => [...world.records.stops.broken];

/** Near the tip, only what a thief sent from a deposit address counts as a theft. */
export const onlyTheftsAreStopped: Check = ({ world, after }) =>
  after.tip_outflows
    .filter(({ network, payer }) => {
      const chain = world.chains.find((one) => one.network === network);
      return chain !== undefined && world.sessions.some((terms) => depositAddress(terms, chain) === payer);
    })
    .filter(({ hash }) => !world.records.thefts.has(hash))
    .map(({ network, hash }) => `${hash} on ${network} counts as a theft from a deposit address, and is none`);
