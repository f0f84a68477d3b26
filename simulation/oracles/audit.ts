// An audit that reads no database and no rule of the product: only the final blocks of the simulated chains, and the events that
// merchants received. From these it works out who should have what, and compares it with what was announced and paid out.

import { blockTimeMargin } from '@/lib/networks/networks';
import { arrivals } from '@/simulation/chain/arrivals';
import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { centOf, currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import { isOffered } from '@/simulation/stores';
import { isSumOfSome } from './announced-amounts';
import { announcementsOf, type Announcement, type AuditedStore, type EventObject } from './announcements';
import { splitSent, type AuditedPayout } from './audit-payouts';

/** A session as the answer to its request and its page present it. */
export type AuditedSession = {
  readonly id: string;
  readonly store: string;
  readonly addresses: readonly string[];
  readonly dueCents: bigint;
  readonly networks: readonly string[];
  readonly tokens: readonly string[];
  readonly withheld?: ReadonlySet<string>;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Canceled, or one of its payments was decided about. */
  readonly isDecided: boolean;
};
export type Audited = {
  /** The database was restored: it announces again what it has forgotten. */
  readonly isRestored: boolean;
  /** SentRefunds whose refund the database has forgotten, by their hash. */
  readonly forgotten: ReadonlySet<string>;
  readonly chains: readonly SimulatedChain[];
  readonly wallets: readonly string[];
  /** What goes there is no refund and no payout. */
  readonly coldWallets: readonly string[];
  readonly stores: readonly AuditedStore[];
  readonly sessions: readonly AuditedSession[];
  /** The refunds that merchants requested. */
  readonly requests: readonly { readonly store: string; readonly refundId: string; readonly cents: bigint }[];
  /** The payouts that owners requested. */
  readonly payouts: readonly AuditedPayout[];
};

type Transfer = ChainTransfer & { readonly chain: SimulatedChain; readonly currency: string; readonly fine: bigint };
type Books = {
  readonly audited: Audited;
  readonly arrived: (session: AuditedSession) => readonly Transfer[];
  readonly sentRefunds: readonly Transfer[];
  readonly paidOut: readonly (Transfer & { readonly store: string })[];
  readonly announced: readonly Announcement[];
};

/** One sentence for each thing that does not add up. */
export function audit(audited: Audited): string[] {
  const final = audited.chains.flatMap((chain) => chain.transfers(chain.final()).map((one) => asTransfer(chain, one)));
  const sent = splitSent(
    final.filter(({ payer, recipient }) => audited.wallets.includes(payer) && !audited.coldWallets.includes(recipient)),
    audited.payouts,
  );
  const books: Books = {
    audited,
    arrived: ({ addresses }) =>
      audited.chains.flatMap((chain) =>
        addresses
          .flatMap((address) => arrivals(chain.transfers(chain.final()), address))
          .map((one) => asTransfer(chain, one)),
      ),
    sentRefunds: sent.rest,
    paidOut: sent.paidOut,
    announced: audited.stores.flatMap((store) => announcementsOf(store, audited)),
  };
  return [
    ...books.announced.flatMap((one) => faultsOf(books, one)),
    ...audited.sessions.flatMap((session) => sessionFaults(books, session)),
    ...sentRefundFaults(books),
    ...audited.stores.flatMap((store) => storeFaults(books, store)),
  ];
}

function asTransfer(chain: SimulatedChain, one: ChainTransfer): Transfer {
  const currency = currencyOf(chain, one.token);
  return { ...one, chain, currency, fine: fineAmount(chain, currency, one.amount) };
}

const sumFine = (transfers: readonly Transfer[]): bigint => transfers.reduce((sum, one) => sum + one.fine, 0n);
const sumCents = (amounts: readonly number[]): bigint => amounts.reduce((sum, one) => sum + BigInt(one), 0n);

function faultsOf(books: Books, { store, type, object }: Announcement): string[] {
  const session = books.audited.sessions.find(({ id }) => id === object.session_id);
  const name = `${type} of ${object.session_id}`;
  if (!session || session.store !== store.name) return [`${store.name} was told ${name}, which is not its session`];
  if (type.startsWith('payment.')) return paymentFaults(books, session, { name, type, object });
  return type === 'refund.succeeded' ? refundFaults(books, { name, object }) : [];
}

type Named = { readonly name: string; readonly type: string; readonly object: EventObject };

function paymentFaults({ arrived }: Books, session: AuditedSession, { name, type, object }: Named): string[] {
  const all = arrived(session);
  const total = sumFine(all);
  const said = BigInt(object.amount_received ?? 0);
  const faults = said * FINE > total ? [`${name} says ${said} cents were received, and ${total / FINE} are final`] : [];
  // A decision may have counted a part of a payment, and no event holds a larger number than the last safe one.
  const isExact = !session.isDecided && said < BigInt(Number.MAX_SAFE_INTEGER);
  if (
    isExact &&
    !isSumOfSome(
      said,
      all.map(({ fine }) => fine),
      FINE,
    )
  )
    faults.push(`${name} says ${said} cents were received, which no transfers come to`);
  if (type !== 'payment.completed') return faults;
  if (BigInt(object.amount ?? 0) !== session.dueCents) faults.push(`${name} is over another amount than its session`);
  if (total < session.dueCents * FINE) faults.push(`${name} is announced, and its price is not final`);
  const isBacked = all.some(
    ({ hash, chain, currency }) =>
      hash === object.transaction_hash && chain.network === object.network && currency === object.currency,
  );
  return isBacked ? faults : [...faults, `${name} names a transaction that did not pay it`];
}

function refundFaults({ sentRefunds }: Books, { name, object }: Omit<Named, 'type'>): string[] {
  const cents = BigInt(object.refund_amount ?? 0);
  const sentRefund = sentRefunds.find(
    ({ hash, chain }) => hash === object.transaction_hash && chain.network === object.network,
  );
  const own = `${name} (${object.refund_id})`;
  if (!sentRefund) return [`${own} is announced, and no final transaction of the wallet pays it`];
  const isExact =
    sentRefund.currency === object.refund_currency &&
    sentRefund.amount === cents * centOf(sentRefund.chain, sentRefund.currency);
  return isExact
    ? []
    : [`${own} is over ${cents} cents of ${object.refund_currency}, and its transaction pays another amount`];
}

/** How the service names the refund of a payment that did not count. */
const RETURN = 'exception_';

/** What one session's money went to. */
function sessionFaults({ arrived, announced, audited }: Books, session: AuditedSession): string[] {
  const own = announced.filter(({ object }) => object.session_id === session.id);
  const refunds = own.filter(({ type }) => type === 'refund.succeeded').map(({ object }) => object);
  const ofPrice = refunds.filter(({ refund_id }) => !refund_id?.startsWith(RETURN));
  const [back, returned] = [refunds, ofPrice].map((list) => sumCents(list.map((one) => one.refund_amount ?? 0))) as [
    bigint,
    bigint,
  ];
  const completed = own.filter(({ type }) => type === 'payment.completed').length;
  // What comes after a cancel is late, whatever the session's expiry was.
  const isCanceled = own.some(({ type }) => type === 'payment.cancelled');
  const total = sumFine(arrived(session));
  return [
    ...(completed > 1 ? [`${session.id} was announced as completed ${completed} times`] : []),
    ...(back * FINE > total ? [`${back} cents of ${session.id} were refunded, and ${total / FINE} had arrived`] : []),
    ...(returned > session.dueCents
      ? [`${returned} cents of the price of ${session.id} were refunded, and it is ${session.dueCents}`]
      : []),
    ...(completed === 0 && !isCanceled && isPaidInTime(arrived(session), session) && !hasFailed(audited, session.store)
      ? [`${session.id} was paid in time, and its merchant was not told`]
      : []),
  ];
}

const hasFailed = ({ stores }: Audited, name: string): boolean =>
  stores.some((store) => store.name === name && store.receiver.hasFailed);

function isPaidInTime(all: readonly Transfer[], session: AuditedSession): boolean {
  const { isDecided, createdAt, expiresAt, dueCents } = session;
  const counting = all.filter(
    ({ chain, currency, blockTime }) =>
      isOffered(session, chain.network, currency) &&
      blockTime >= createdAt - blockTimeMargin(chain.network) &&
      blockTime < expiresAt,
  );
  return !isDecided && sumFine(counting) >= dueCents * FINE;
}

/** Every payment of the wallet belongs to one refund: announced, or requested by a merchant whose receiver failed. */
function sentRefundFaults({ audited, sentRefunds, announced, arrived }: Books): string[] {
  const backed = announced.filter(({ type }) => type === 'refund.succeeded').map(({ object }) => object);
  const known = new Set(backed.map(({ network, transaction_hash: hash }) => `${network} ${hash}`));
  const told = new Set(announced.map(({ store, object }) => `${store.name} ${object.refund_id}`));
  const open = audited.requests.filter(
    ({ store, refundId }) => hasFailed(audited, store) && !told.has(`${store} ${refundId}`),
  );
  const returns = audited.sessions.filter(({ store }) => hasFailed(audited, store)).flatMap(arrived);
  return sentRefunds.flatMap((sentRefund) => {
    const { chain, hash, recipient, currency, amount } = sentRefund;
    if (known.has(`${chain.network} ${hash}`) || audited.forgotten.has(hash)) return [];
    const request = open.findIndex(({ cents }) => sentRefund.fine === cents * FINE);
    if (request >= 0) open.splice(request, 1);
    // A payment that did not count goes back without a request of the refund API.
    const isReturn = returns.some((one) => one.payer === recipient && one.fine >= sentRefund.fine);
    return request >= 0 || isReturn
      ? []
      : [
          `${amount} base units of ${currency} left the wallet on ${chain.network} for no refund or payout that a merchant knows`,
        ];
  });
}

/** All sessions of a store together. */
function storeFaults({ audited, announced, arrived, paidOut }: Books, store: AuditedStore): string[] {
  const total = sumFine(audited.sessions.filter((one) => one.store === store.name).flatMap(arrived));
  const own = announced.filter((one) => one.store === store);
  const [paid, refunded] = ['payment.completed', 'refund.succeeded'].map((type) =>
    sumCents(own.filter((one) => one.type === type).map(({ object }) => object.refund_amount ?? object.amount ?? 0)),
  ) as [bigint, bigint];
  const out = sumFine(paidOut.filter((one) => one.store === store.name));
  const back = `${refunded} cents${out > 0n ? ` and was paid out ${out / FINE}` : ''}`;
  return [
    ...(paid * FINE > total ? [`${store.name} was told of ${paid} cents, and ${total / FINE} are final`] : []),
    ...(refunded * FINE + out > total ? [`${store.name} gave back ${back} of ${total / FINE}`] : []),
  ];
}
