// A second implementation of what a session's money allows, and of whose it is: what can be refunded, from which assets, and the
// balance of every account. Everything is added up from the rows of naive.ts and the list of refunds.

import { CENT, fine, sum, waiting, type NaiveSession } from './naive';
import type { Amount, Asset } from './naive-types';

/** `takes`: what it takes of the session's money. `converted`: the operator has exchanged what is not in the paid asset. */
export type NaiveRefund = {
  readonly id: string;
  readonly cents: bigint;
  readonly paid: Asset;
  readonly takes: readonly Amount[];
  state: 'reserved' | 'converted' | 'paid' | 'released';
};
/** A payment that has arrived back at its sender, in whole cents of its token. */
type Returned = { readonly transferId: string; readonly cents: bigint };
type At = { readonly now: number; readonly windowDays: number };
export type RefundRequest = At & {
  readonly cents: bigint;
  readonly currency: string;
  /** Where the session was completed. */
  readonly network: string;
  readonly tokensOn: (network: string) => readonly string[];
};
type Plan = { readonly network: string; readonly takes: readonly Amount[] };

const nameOf = ({ network, currency }: Asset): string => `${network}-${currency}`;
const amountIn = (list: readonly Amount[], asset: Asset): bigint =>
  sum(list.filter((one) => nameOf(one) === nameOf(asset)).map(({ amount }) => amount));

export class NaiveLedger {
  readonly refunds: NaiveRefund[] = [];
  readonly returned: Returned[] = [];
  /** What the operator put into the refund wallet. */
  readonly funding: Amount[] = [];

  constructor(
    private readonly session: NaiveSession,
    private readonly decimalsOf: (asset: Asset) => number,
  ) {}

  private readonly worth = (one: Amount): bigint => fine(one.amount, this.decimalsOf(one));
  private readonly unitsOf = (cents: bigint, asset: Asset): bigint => cents * 10n ** BigInt(this.decimalsOf(asset) - 2);

  private live(): readonly NaiveRefund[] {
    return this.refunds.filter(({ state }) => state !== 'released');
  }

  /** What the session gave its store and no refund has taken. */
  remaining(): Amount[] {
    const given = this.session.rows.map(({ transfer, price, kept }) => ({ ...transfer, amount: price + kept }));
    const taken = this.live().flatMap(({ takes }) => takes);
    const assets = new Map(
      given.map(({ network, currency }) => [nameOf({ network, currency }), { network, currency }]),
    );
    return [...assets.values()]
      .map((asset) => ({ ...asset, amount: amountIn(given, asset) - amountIn(taken, asset) }))
      .filter(({ amount }) => amount > 0n);
  }

  /** Cents of the price that no refund has used up. */
  private left(): bigint {
    return this.session.terms.dueCents - sum(this.live().map(({ cents }) => cents));
  }

  private isPast({ now, windowDays }: At): boolean {
    return now - (this.session.completedAt ?? 0) > windowDays * 86_400;
  }

  refundable(at: At): bigint {
    return this.session.status !== 'completed' || this.isPast(at) ? 0n : this.left();
  }

  /** Where a refund can be paid: where the session was paid, in a token that is offered there or arrived there. */
  private networksFor({ currency, network, tokensOn }: RefundRequest): string[] {
    const funds = this.remaining();
    const networks = new Set([network, ...funds.map((one) => one.network)]);
    return [...networks].filter(
      (on) => tokensOn(on).includes(currency) || amountIn(funds, { network: on, currency }) > 0n,
    );
  }

  /** Every reason to refuse a request. */
  objectionsTo(request: RefundRequest): string[] {
    if (this.session.status !== 'completed') return ['INVALID_SESSION_STATUS'];
    const available = sum(this.remaining().map(this.worth));
    const reasons = {
      INVALID_CURRENCY: this.networksFor(request).length === 0,
      REFUND_TIME_EXPIRED: this.isPast(request),
      REFUND_AMOUNT_EXCEEDED: request.cents > this.left(),
      INSUFFICIENT_BALANCE: available < request.cents * CENT,
    };
    return Object.entries(reasons).flatMap(([code, applies]) => (applies ? [code] : []));
  }

  /** What is wrong with the assets that a refund is to take, before it takes them. */
  planFaults({ network, takes }: Plan, request: RefundRequest): string[] {
    const { currency, cents } = request;
    const [funds, networks] = [this.remaining(), this.networksFor(request)];
    const isEnough = (on: string): boolean =>
      amountIn(funds, { network: on, currency }) >= this.unitsOf(cents, { network: on, currency });
    const isUsedUp = (one: Amount): boolean => amountIn(takes, one) === one.amount;
    const isOwn = (one: Asset): boolean => nameOf(one) === nameOf({ network, currency });
    const isMixed = !takes.every(isOwn);
    const solid = funds.filter((one) => this.worth(one) >= CENT);
    const takesDust = takes.some((one) => this.worth({ ...one, amount: amountIn(funds, one) }) < CENT);
    const total = sum(takes.map(this.worth));
    // A fraction of a base unit cannot be taken, and the operator bears it.
    const unit = fine(1n, Math.min(...funds.map((one) => this.decimalsOf(one))));
    const reasons = {
      'it is paid on a network without a payment': !networks.includes(network),
      'it takes more of an asset than is left': takes.some((one) => amountIn(takes, one) > amountIn(funds, one)),
      'it takes more than it pays': total > cents * CENT,
      'it takes less than it pays': total + unit <= cents * CENT,
      'it converts although one asset is enough': isMixed && networks.some(isEnough),
      'it converts before the paid asset is used up': isMixed && !solid.filter(isOwn).every(isUsedUp),
      'it takes dust before the rest is used up': takesDust && !solid.every(isUsedUp),
    };
    return Object.entries(reasons).flatMap(([reason, applies]) => (applies ? [reason] : []));
  }

  /** Every account that is not empty. Assets are positive, and so is what is owed. */
  balances(): Map<string, bigint> {
    const all = new Map<string, bigint>();
    const add = (account: string, asset: Asset, amount: bigint): void => {
      if (amount === 0n) return;
      const key = `${account} ${nameOf(asset)}`;
      all.set(key, (all.get(key) ?? 0n) + amount);
    };
    for (const row of this.session.rows) {
      add('received', row.transfer, row.transfer.amount);
      add('store', row.transfer, row.price + row.kept);
      add('unresolved', row.transfer, waiting(row));
      add('refund', row.transfer, row.owed);
    }
    for (const one of this.funding) {
      add('operator', one, one.amount);
      add('refund_wallet', one, one.amount);
    }
    for (const { transferId, cents } of this.returned) {
      const { transfer } = this.session.rows.find((row) => row.transfer.id === transferId)!;
      for (const account of ['refund', 'refund_wallet']) add(account, transfer, -this.unitsOf(cents, transfer));
    }
    for (const { state, takes, paid, cents } of this.live()) {
      for (const take of takes) add('store', take, -take.amount);
      // After the conversion, the operator has what was reserved and owes what is paid.
      for (const take of takes) add(state === 'reserved' ? 'refund' : 'operator', take, take.amount);
      if (state === 'reserved') continue;
      const units = this.unitsOf(cents, paid);
      add('operator', paid, -units);
      if (state === 'paid') add('refund_wallet', paid, -units);
      else add('refund', paid, units);
    }
    return new Map([...all].filter(([, amount]) => amount !== 0n));
  }
}
