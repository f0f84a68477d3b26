// Refunds of a session in memory, by the product's pure rules, plan and postings. They repeat what the product's statements do
// around them (lib/refunds/request, lib/ledger/post-refund).

import {
  conversionPostings,
  fundingPostings,
  paidPostings,
  refundAccount,
  reservationPostings,
  shortfallOf,
  type AssetAmount,
} from '@/lib/ledger/postings';
import { planRefund, type DecimalsOf, type RefundPlan } from '@/lib/ledger/sources';
import { baseUnitsToCents, centsToBaseUnits } from '@/lib/money/amounts';
import { ServiceError } from '@/lib/platform/errors/errors';
import { checkPaid, checkRefundable, payableNetworks, refundableCents } from '@/lib/refunds/request/rules';
import type { RefundRequest } from '@/simulation/oracles/naive-ledger';
import { STORE, type ProductSession } from './product-session';

type At = Pick<RefundRequest, 'now' | 'windowDays'>;
type Made = { readonly cents: bigint; readonly currency: string; readonly network: string };

export class ProductRefunds {
  private readonly made = new Map<string, Made>();
  private amountRefunded = 0n;
  private fundings = 0;

  constructor(
    private readonly session: ProductSession,
    private readonly decimalsOf: DecimalsOf,
  ) {}

  private facts() {
    const { status, terms, closedAt } = this.session;
    return { status, closedAt, amountDue: terms.dueCents, amountRefunded: this.amountRefunded };
  }

  refundable({ now, windowDays }: At): bigint {
    return refundableCents(this.facts(), { now: new Date(now * 1000), windowDays });
  }

  /** As `createRefund`: the plan of the refund, or the code of its refusal. */
  request(id: string, { cents, currency, now, windowDays, tokensOn }: RefundRequest): RefundPlan | string {
    try {
      const session = this.facts();
      checkPaid(session);
      const funds = this.session.book.amountsOf('store').filter(({ amount }) => amount > 0n);
      const network = this.session.completedNetwork ?? '';
      const networks = payableNetworks({ currency, network, funds, tokensOn });
      checkRefundable(session, { amount: cents, now: new Date(now * 1000), windowDays });
      const plan = planRefund(funds, { cents, currency, networks }, this.decimalsOf);
      if (!plan) return 'INSUFFICIENT_BALANCE';
      this.session.book.post('refund_reserved', id, reservationPostings(STORE, plan.takes));
      this.made.set(id, { cents, currency, network: plan.network });
      this.amountRefunded += cents;
      return plan;
    } catch (error) {
      if (error instanceof ServiceError) return error.code;
      throw error;
    }
  }

  private paidOf(id: string): AssetAmount {
    const { cents, currency, network } = this.made.get(id)!;
    return { network, currency, amount: centsToBaseUnits(cents, this.decimalsOf({ network, currency })) };
  }

  /** As `convertRefund`. False: the operator has too little. */
  convert(id: string): boolean {
    const { book } = this.session;
    const paid = this.paidOf(id);
    const reserved = book
      .postingsOf(id, ['refund_reserved'])
      .filter(({ account }) => account === refundAccount(STORE))
      .map(({ network, currency, amount }) => ({ network, currency, amount: -amount }));
    const missing = shortfallOf(paid, reserved);
    if (missing === 0n) return true;
    if ((book.balances.get(`operator ${paid.network}-${paid.currency}`) ?? 0n) < missing) return false;
    book.post('refund_converted', id, conversionPostings(STORE, { paid, reserved }));
    return true;
  }

  pay(id: string): void {
    this.session.book.post('refund_paid', id, paidPostings({ storeId: STORE, paid: this.paidOf(id) }));
  }

  /** As `releaseAmounts`: the opposite of what was reserved and converted. */
  release(id: string): void {
    const { book } = this.session;
    const taken = book.postingsOf(id, ['refund_reserved', 'refund_converted']);
    book.post(
      'refund_released',
      id,
      taken.map((one) => ({ ...one, amount: -one.amount })),
    );
    this.amountRefunded -= this.made.get(id)!.cents;
  }

  fund(amount: AssetAmount): void {
    this.session.book.post('funding', `funding-${++this.fundings}`, fundingPostings(amount));
  }

  /** The cents of the refund of a payment exception, as `openCaseRefund`. */
  caseCents(transferId: string): bigint {
    const { transfer, exception } = this.session.stored.find((one) => one.transfer.id === transferId)!;
    return baseUnitsToCents(exception!.amount - exception!.counted, transfer.decimals);
  }

  payCase(transferId: string): void {
    const { transfer } = this.session.stored.find((one) => one.transfer.id === transferId)!;
    const { network, currency, decimals } = transfer;
    const paid = { network, currency, amount: centsToBaseUnits(this.caseCents(transferId), decimals) };
    this.session.book.post('refund_paid', `case ${transferId}`, paidPostings({ storeId: STORE, paid }));
    this.session.caseRefunds.set(transferId, 'completed');
  }
}
