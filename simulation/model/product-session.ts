// A session in memory that lives by the product's pure functions: judge, shares, moves and postings. It repeats what the product's
// statements do around them (lib/payments/sessions/settle, lib/payments/exceptions), and nothing else.

import { movePostings, transferPostings } from '@/lib/ledger/postings';
import { allowedActions, EXCEPTION_MOVES, type ExceptionAction } from '@/lib/payments/exceptions/states';
import { SESSION_MOVES, type SessionMove } from '@/lib/payments/sessions/states';
import {
  sharesOf,
  type JudgedTransfer,
  type Shares,
  type TransferException,
} from '@/lib/payments/sessions/settle/exceptions';
import {
  isDust,
  judge,
  objection,
  pairName,
  type JudgedSession,
  type Payment,
} from '@/lib/payments/sessions/settle/judge';
import type { NaiveTransfer, Reading, Terms } from '@/simulation/oracles/naive-types';
import type { RefundStatus, SessionException, SessionStatus } from '@/prisma/generated/enums';
import { Book } from './book';

export const STORE = 'store-1';

type Stored = { readonly transfer: NaiveTransfer; readonly payment: Payment; exception: TransferException | null };

export class ProductSession {
  readonly book = new Book();
  readonly stored: Stored[] = [];
  status: SessionStatus = 'pending';
  acceptedFrom: SessionStatus | null = null;
  closedAt: Date | null = null;
  received = 0n;
  exception: SessionException = 'none';
  completedNetwork: string | null = null;
  /** The newest refund of each payment exception. */
  readonly caseRefunds = new Map<string, RefundStatus>();
  private expiresAt: number;
  private readonly networks: readonly string[];
  private readonly offeredPairs: readonly string[];

  constructor(readonly terms: Terms) {
    this.expiresAt = terms.expiresAt;
    this.networks = [...new Set(terms.pairs.map(({ network }) => network))];
    this.offeredPairs = terms.pairs.map(pairName);
  }

  private facts(): JudgedSession {
    const { status, acceptedFrom, networks, offeredPairs, expiresAt } = this;
    const { dueCents: amountDue, createdAt } = this.terms;
    return { status, acceptedFrom, amountDue, createdAt, networks, offeredPairs, expiresAt };
  }

  find(transfers: readonly NaiveTransfer[]): void {
    this.stored.push(...transfers.map((transfer) => ({ transfer, payment: paymentOf(transfer), exception: null })));
  }

  /** As `settleSessions`. */
  settle({ now, readThrough, unconfirmed, holdSeconds }: Reading): void {
    const session = this.facts();
    const transfers = this.stored.map((one) => this.judged(one));
    const circumstances = { now, holdSeconds, seen: unconfirmed.map(paymentOf), scannedThrough: readThrough };
    const verdict = judge(session, transfers, circumstances);
    this.received = verdict.received;
    this.exception = verdict.exception;
    if (verdict.move !== null) {
      this.move(verdict.move, now);
      if (this.status === 'completed') this.completedNetwork = verdict.completedBy?.network ?? null;
    }
    const isCompletedNow = verdict.move !== null && this.status === 'completed';
    const shares = sharesOf(session, transfers, { status: this.status, isCompletedNow });
    this.post(transfers, shares);
    this.record(shares);
  }

  private move(move: SessionMove, now: number): void {
    const { from, to } = SESSION_MOVES[move];
    if (!from.includes(this.status)) throw new Error(`the move ${move} cannot start from ${this.status}`);
    if (this.status !== 'pending') this.acceptedFrom = this.status;
    this.status = to;
    this.closedAt = new Date(now * 1000);
  }

  private judged({ payment, exception }: Stored): JudgedTransfer {
    const rest = exception === null ? 0n : exception.amount - exception.counted;
    const unresolved = this.book.amountOf(payment.id, 'unresolved');
    return {
      ...payment,
      decision: decisionOf(exception),
      returned: exception?.state === 'refund' ? rest : 0n,
      kept: exception?.state === 'kept' ? rest : 0n,
      unresolved: unresolved === null ? null : -unresolved,
      exception,
    };
  }

  private post(transfers: readonly JudgedTransfer[], { toStore }: Shares): void {
    for (const { id, amount, unresolved, network, currency } of transfers) {
      const share = toStore.get(id) ?? 0n;
      const asset = { network, currency };
      if (unresolved === null) {
        const postings = transferPostings({ storeId: STORE, amount, toStore: share });
        this.book.post('transfer', id, Book.inAsset(asset, postings));
        continue;
      }
      const counted = share < unresolved ? share : unresolved;
      if (counted === 0n) continue;
      const postings = movePostings({ storeId: STORE, amount: counted, to: 'store' });
      this.book.post('counted', id, Book.inAsset(asset, postings));
    }
  }

  private record({ newExceptions, countedExceptions }: Shares): void {
    for (const { transfer, kind, amount } of newExceptions) {
      const stored = this.find1(transfer.id);
      stored.exception ??= { id: `case-${transfer.id}`, kind, state: 'open', amount, counted: 0n };
    }
    for (const { id, state, counted } of countedExceptions) {
      const stored = this.stored.find(({ exception }) => exception?.id === id)!;
      const { from } = EXCEPTION_MOVES[state === 'accepted' ? 'count' : 'split'];
      if (!from.includes(stored.exception!.state)) throw new Error(`${id} was decided before it could be counted`);
      stored.exception = { ...stored.exception!, state, counted };
    }
  }

  /** As `decide`, without settling afterwards. */
  decide(transferId: string, action: ExceptionAction): 'done' | 'same' | 'refused' {
    const stored = this.find1(transferId);
    const found = stored.exception!;
    const refund = this.caseRefunds.get(transferId) ?? null;
    if (!allowedActions({ state: found.state, sessionStatus: this.status, refund }).includes(action)) {
      const isSame = found.state === EXCEPTION_MOVES[action].to || (action === 'accept' && found.counted > 0n);
      return isSame ? 'same' : 'refused';
    }
    stored.exception = { ...found, state: EXCEPTION_MOVES[action].to };
    if (action === 'keep' || action === 'refund') {
      const to = action === 'keep' ? 'store' : 'refund';
      const postings = movePostings({ storeId: STORE, amount: found.amount - found.counted, to });
      this.book.post(action === 'keep' ? 'kept' : 'refund_owed', transferId, Book.inAsset(stored.transfer, postings));
    }
    if (action === 'refund') this.caseRefunds.set(transferId, 'pending');
    return 'done';
  }

  /** As `cancelIn`. */
  cancel({ now, unconfirmed }: Pick<Reading, 'now' | 'unconfirmed'>): boolean {
    const session = this.facts();
    const known = [...unconfirmed.map(paymentOf), ...this.stored.map((one) => this.judged(one))];
    const isPaying = known.some((one) => !isDust(one) && objection(session, one) === null);
    if (this.status !== 'pending' || now >= this.expiresAt || isPaying) return false;
    this.move('cancel', now);
    this.expiresAt = now;
    return true;
  }

  private find1(transferId: string): Stored {
    return this.stored.find(({ transfer }) => transfer.id === transferId)!;
  }
}

/** As the statements `decisionOf` and `returnedOf` (lib/payments/sessions/settle/judge). */
const decisionOf = (exception: TransferException | null) =>
  exception !== null && (exception.kind === 'over' || exception.counted > 0n) ? 'accepted' : (exception?.state ?? null);

const paymentOf = ({ id, network, currency, amount, decimals, blockTime, hash, ordinal }: NaiveTransfer): Payment => ({
  ...{ id, network, currency, amount, decimals, blockTime, ordinal, transactionHash: hash },
  ...{ decision: null, returned: 0n, kept: 0n },
});
