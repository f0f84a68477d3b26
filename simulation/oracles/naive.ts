// A second implementation of judging, settling and deciding, written from the decisions in docs/ and not from lib/. It keeps one
// row for each transfer and computes everything again from all rows. Slow, and simple enough to be checked by reading.

import type { NaiveTransfer, Reading, State, Status, Terms } from './naive-types';

/** A cent at the precision in which amounts of all tokens are added up. */
export const CENT = 10n ** 16n;
export const fine = (amount: bigint, decimals: number): bigint => amount * 10n ** BigInt(18 - decimals);
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n);

/**
 * One transfer, in base units: `price` paid for the session, `kept` is a surplus that the store keeps, `owed` goes back to the
 * sender. The rest waits for a decision. `kind` and `state` are those of its payment exception.
 */
type Row = {
  readonly transfer: NaiveTransfer;
  price: bigint;
  kept: bigint;
  owed: bigint;
  kind: string | null;
  state: State | null;
  /** A refund of what is owed is under way or has arrived. */
  isReturning: boolean;
};

const newRow = (transfer: NaiveTransfer): Row => ({
  ...{ transfer, price: 0n, kept: 0n, owed: 0n, kind: null, state: null, isReturning: false },
});
export const waiting = ({ transfer, price, kept, owed }: Row): bigint => transfer.amount - price - kept - owed;
const isDust = ({ transfer }: Row): boolean => fine(transfer.amount, transfer.decimals) < CENT;
const isAccepted = ({ kind, state, price, kept }: Row): boolean =>
  state === 'accepted' || (kind !== null && price + kept > 0n);

const STATES = { accept: 'accepted', keep: 'kept', refund: 'refund', leave: 'left' } as const;
type NaiveAction = keyof typeof STATES;

/** The largest number of cents that a session's row and its answers hold. */
const MOST_SHOWN = BigInt(Number.MAX_SAFE_INTEGER);
export const shownCents = (cents: bigint): bigint => (cents < MOST_SHOWN ? cents : MOST_SHOWN);

export class NaiveSession {
  readonly rows: Row[] = [];
  status: Status = 'pending';
  completedAt: number | null = null;
  /** The terminal state in which it closed unpaid. */
  private closedAs: Status | null = null;
  private expiresAt: number;
  private readonly due: bigint;

  constructor(readonly terms: Terms) {
    this.expiresAt = terms.expiresAt;
    this.due = terms.dueCents * CENT;
  }

  find(transfers: readonly NaiveTransfer[]): void {
    this.rows.push(...transfers.map(newRow));
  }

  /** Why a transfer counts only if somebody accepts it. */
  private objection({ network, currency, blockTime }: NaiveTransfer): string | null {
    const { pairs, createdAt, marginOf } = this.terms;
    if (blockTime < createdAt - marginOf(network)) return 'early';
    if (!pairs.some((pair) => pair.network === network)) return 'wrong_network';
    if (!pairs.some((pair) => pair.network === network && pair.currency === currency)) return 'wrong_token';
    const wasGivenUp = this.closedAs === 'expired' || this.closedAs === 'canceled';
    return wasGivenUp || blockTime >= this.expiresAt ? 'late' : null;
  }

  private isCounting(row: Row): boolean {
    return isAccepted(row) || this.objection(row.transfer) === null;
  }

  private received(): bigint {
    const counting = this.rows.filter((row) => this.isCounting(row));
    return sum(counting.map(({ transfer, owed }) => fine(transfer.amount - owed, transfer.decimals)));
  }

  receivedCents(): bigint {
    return this.received() / CENT;
  }

  /** Every offered network was read past the expiry, or the longest wait is over; and nothing on its way makes up the price. */
  private isOver({ now, readThrough, unconfirmed, holdSeconds }: Reading): boolean {
    const coming = unconfirmed.filter((one) => this.objection(one) === null);
    const isComing = this.received() + sum(coming.map((one) => fine(one.amount, one.decimals))) >= this.due;
    if (now < this.expiresAt || isComing) return false;
    const isRead = ({ network }: { readonly network: string }): boolean =>
      (readThrough[network] ?? 0) >= this.expiresAt;
    return now >= this.expiresAt + holdSeconds || this.terms.pairs.every(isRead);
  }

  /** Works out what follows from all transfers and decisions. */
  settle(reading: Reading): void {
    const [isPaid, isOpen] = [this.received() >= this.due, this.status === 'pending'];
    const isAgreed = isOpen || this.rows.some(({ state }) => state === 'accepted');
    if (this.status !== 'completed' && isPaid && isAgreed) {
      this.takePrice();
      this.status = 'completed';
      this.completedAt = reading.now;
    } else if (isOpen && this.isOver(reading)) {
      this.closedAs = this.received() >= CENT ? 'failed' : 'expired';
      this.status = this.closedAs;
    }
    for (const row of this.rows.filter(({ kind }) => kind === null)) this.name(row);
  }

  /** A transfer that is neither part of the price nor below a cent becomes a payment exception, once. */
  private name(row: Row): void {
    const isCompleted = this.status === 'completed';
    if (isDust(row)) {
      if (isCompleted) row.price = row.transfer.amount;
      return;
    }
    const isSurplus = isCompleted && row.price === 0n;
    row.kind = this.objection(row.transfer) ?? (this.status === 'failed' ? 'unfinished' : isSurplus ? 'over' : null);
    if (row.kind !== null) row.state = 'open';
  }

  /** Accepted payments first, then the others in the order of the chain, dust last. What is above the price by a cent or more waits. */
  private takePrice(): void {
    let missing = this.due;
    const counting = this.rows.filter((row) => this.isCounting(row) && row.state !== 'refund');
    for (const row of counting.toSorted(byTurn)) {
      const { amount, decimals } = row.transfer;
      const [worth, unit] = [fine(amount, decimals), fine(1n, decimals)];
      let taken = worth <= missing ? amount : (missing + unit - 1n) / unit;
      if (fine(amount - taken, decimals) < CENT) taken = amount;
      missing -= worth < missing ? worth : missing;
      // The price is paid without it, and it is undecided.
      if (row.kind !== null && row.state !== 'accepted' && taken === 0n) continue;
      row.price = taken;
      if (taken < amount) Object.assign(row, { kind: row.kind ?? 'over', state: 'open' });
      else if (row.kind !== null) row.state = 'accepted';
    }
  }

  /** `same`: it was decided so before. */
  decide(transferId: string, action: NaiveAction): 'done' | 'same' | 'refused' {
    const row = this.rows.find(({ transfer }) => transfer.id === transferId)!;
    const [isUndecided, isCompleted] = [row.state === 'open' || row.state === 'left', this.status === 'completed'];
    const isPossible = {
      accept: isUndecided && !isCompleted,
      keep: isUndecided && isCompleted,
      refund: isUndecided || (row.state === 'accepted' && !isCompleted) || (row.state === 'refund' && !row.isReturning),
      leave: row.state === 'open',
    }[action];
    const wasAccepted = row.price > 0n && row.kind !== 'over';
    const isSame = row.state === STATES[action] || (action === 'accept' && wasAccepted);
    if (!isPossible) return isSame ? 'same' : 'refused';
    if (action === 'keep') row.kept = waiting(row);
    if (action === 'refund') Object.assign(row, { owed: row.owed + waiting(row), isReturning: true });
    row.state = STATES[action];
    return 'done';
  }

  /** Refused when it is over, and once something that counts is on its way or has arrived. */
  cancel({ now, unconfirmed }: Pick<Reading, 'now' | 'unconfirmed'>): boolean {
    const isPaying = [...unconfirmed.map(newRow), ...this.rows].some((row) => !isDust(row) && this.isCounting(row));
    if (this.status !== 'pending' || now >= this.expiresAt || isPaying) return false;
    this.status = this.closedAs = 'canceled';
    this.expiresAt = now;
    return true;
  }

  /** The most urgent payment exception. */
  exception(): string {
    const objected = this.rows.filter((row) => !isDust(row) && row.state !== 'refund' && !this.isCounting(row));
    const kinds = objected.map(({ transfer }) => this.objection(transfer));
    const first = ['wrong_network', 'wrong_token', 'late', 'early'].find((kind) => kinds.includes(kind));
    if (first !== undefined) return first;
    if (this.status === 'failed' && this.received() >= this.due) return 'late';
    const surplus = this.rows.filter((row) => this.isCounting(row));
    const isOver = sum(surplus.map((row) => fine(waiting(row), row.transfer.decimals))) >= CENT;
    if (this.status === 'completed' && isOver) return 'over';
    return this.received() >= CENT && this.received() < this.due ? 'partial' : 'none';
  }
}

const byTurn = (one: Row, other: Row): number =>
  Number(other.state === 'accepted') - Number(one.state === 'accepted') ||
  Number(isDust(one)) - Number(isDust(other)) ||
  one.transfer.blockTime - other.transfer.blockTime ||
  (one.transfer.hash < other.transfer.hash ? -1 : Number(one.transfer.hash > other.transfer.hash)) ||
  one.transfer.ordinal - other.transfer.ordinal;
