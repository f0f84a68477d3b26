// The signer's decision: it signs a draft when it is the order's transfer, the policy allows the order, no other
// payload of the intent may still land, and nothing is frozen. It writes the signature to the journal before it
// answers. Every method but `signApproved` is synchronous, so a hundred equal calls make one attempt and return it a
// hundred times.

import { signing } from '@/lib/networks/sending/draft';
import { crashpoint } from '@/lib/platform/crash-point';
import { sha256 } from '@/lib/platform/crypto';
import type { Outcome } from '@/lib/signer/attestations/refund-evidence';
import { refundAddresses, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { checkApproved, isApproved, isGuarded } from './approvals/rules';
import { checkApprovals, NO_APPROVALS, type Approvals } from './approvals/approvals';
import { checkFollows, checkLapsed, checkAttested } from './attempt-rules';
import type { Attempt, JournalIndex } from './journal/journal-index';
import { checkLife, checkPayment } from './draft-rules';
import { checkLimits, checkNonce, coldWalletsShown, limitsShown } from './limits';
import { costOf, countPaymentFees } from './payment-fees';
import { isSameOrder, openedBy } from './intent';
import { pageOf, type JournalPage } from './journal/page';
import type { Entry } from './journal/record';
import type { Signed, SignParams } from './orders';
import { allow, type Policy } from './policy';
import type { KnownAttempt, SignerState } from './protocol';
import { Refusal } from './refusal';
import { SignerJournal, type SignerJournalParts } from './journal/signer-journal';

export type RefundSignerParts = SignerJournalParts & {
  readonly accounts: RefundAccounts;
  readonly policy: Policy;
};

export class RefundSigner {
  readonly #parts: RefundSignerParts;
  readonly #index: JournalIndex;
  readonly #journal: SignerJournal;

  /** Takes the journal that other signatures share, or opens one of its own. */
  constructor(parts: RefundSignerParts, journal = new SignerJournal(parts)) {
    this.#parts = parts;
    this.#journal = journal;
    this.#index = journal.index;
  }

  /** As `sign`, with passkey signatures. They are verified first, because that lets other calls in. */
  async signApproved(params: SignParams): Promise<Signed> {
    return this.sign(params, await checkApprovals(params.order, params.approvals ?? [], this.#parts.policy.approvals));
  }

  /** The payload of an order, new or as before. `approvals`: who approved exactly this order. Throws a Refusal. */
  sign({ order, draft, lapsed }: SignParams, approvals: Approvals = NO_APPROVALS): Signed {
    this.#journal.needUnfrozen();
    const allowed = allow(order, this.#parts.policy, this.#parts.accounts);
    const intent = this.#index.intent(order.intentId);
    if (intent && !isSameOrder(intent, allowed)) throw new Refusal('conflict', 'the intent has another order');
    if (intent?.isReleased) throw new Refusal('released', 'the intent is closed; a new refund needs a new intent');
    // An approval holds for the whole intent, because another attempt pays the same order.
    if (!intent) checkApproved(this.#index, this.#parts.policy, allowed, approvals);
    if (draft.family === 'evm' && draft.item !== undefined)
      throw new Refusal('draft', 'a batch is only signed as a whole');
    const account = this.#parts.accounts.of(order.environment, allowed.spec.family);
    const { validity, cost } = checkPayment(draft, allowed, account.address);
    const transaction = signing(draft);
    // A Solana message does not contain its height, so the same message with another height is the same payload.
    const digest = sha256(transaction.payload).toString('hex');
    const same = intent?.attempts.find((one) => one.digest === digest);
    if (same) return same.signed;

    const now = this.#parts.clock.now().getTime();
    checkLife(draft, now);
    const former = intent?.attempts.at(-1);
    if (intent && former) {
      const { evidenceKey } = this.#parts.policy;
      checkFollows({ order, former, count: intent.attempts.length, draft, lapsed, evidenceKey, now });
    } else {
      checkNonce(this.#index, { spec: allowed.spec, from: account.address }, validity);
    }
    const replaced = former?.draft.family === 'evm' ? former.draft : null;
    const at = this.#journal.nextTime();
    if (replaced === null) {
      const approved = intent ? intent.isApproved : isApproved(approvals);
      checkLimits(this.#index, this.#parts.policy, allowed, {
        now: at,
        isRepeated: former !== undefined,
        isApproved: approved,
      });
    }
    const { spec } = allowed;
    const fees = countPaymentFees(this.#index, this.#parts.policy, {
      ...{ spec, cost, now: at },
      ...(replaced === null ? {} : { replaced: costOf(spec, replaced) }),
    });
    const signed: Signed = { ...transaction.finish(account.sign(transaction.payload)), validity };
    const opened = openedBy(allowed, isApproved(approvals) ? [...approvals.people] : null);
    const attempt: Entry = {
      kind: 'signed',
      intentId: order.intentId,
      digest,
      draft,
      signed,
      lapsed: (former && lapsed) ?? null,
    };
    crashpoint('before-journal', order.network);
    this.#journal.write([...(intent ? [] : [opened]), fees(signed.hash), attempt]);
    crashpoint('after-journal', order.network);
    return signed;
  }

  /** The attempts of an intent, oldest first, without their bytes while the signer is frozen. */
  attempts(intentId: string): { readonly attempts: readonly KnownAttempt[] } {
    const isFrozen = this.#journal.frozen() !== null;
    const attempts = this.#index.intent(intentId)?.attempts ?? [];
    return {
      attempts: attempts.map(({ at, draft, signed }) => ({
        ...signed,
        bytes: isFrozen ? null : signed.bytes,
        at,
        ...(draft.family === 'evm' && draft.item !== undefined ? { item: draft.item } : {}),
      })),
    };
  }

  /**
   * Closes an intent whose attempts moved nothing and never will. Its cents no longer count against its session, and it
   * is never signed again. The limits per hour and day still count it.
   */
  release(outcome: Outcome): { readonly released: true } {
    this.#journal.needUnfrozen();
    const intent = this.#index.intent(outcome.intentId);
    if (intent?.isReleased) return { released: true };
    const { evidenceKey } = this.#parts.policy;
    const now = this.#parts.clock.now().getTime();
    // Any of the attempts that share a nonce can be the reverted one. Only the last attempt can be the lapsed one.
    const named = intent?.attempts.find(({ signed }) => signed.hash === outcome.hash);
    const former: Attempt | undefined = outcome.outcome === 'lapsed' ? intent?.attempts.at(-1) : named;
    if (!intent || !former) throw new Refusal('evidence', 'the signer signed no such attempt');
    const given = { order: intent.order, former, outcome, evidenceKey, now };
    if (outcome.outcome === 'lapsed') checkLapsed(given);
    else checkAttested(given);
    this.#journal.write([{ kind: 'released', outcome }]);
    return { released: true };
  }

  /** Stops all signing until a person unfreezes the signer at a terminal. */
  freeze(reason: string): { readonly frozen: true } {
    this.#journal.freeze(reason);
    return { frozen: true };
  }

  state(): SignerState {
    const reason = this.#journal.frozen();
    return {
      wallets: refundAddresses(this.#parts.accounts),
      frozen: reason !== null,
      reason,
      moved: this.#journal.isMoved,
      limits: limitsShown(this.#parts.policy),
      ...coldWalletsShown(this.#parts.policy),
      guarded: { live: isGuarded(this.#parts.policy, 'live'), test: isGuarded(this.#parts.policy, 'test') },
      journal: this.#journal.state(),
      nextNonces: this.#index.nextNonces,
    };
  }

  /** A page of the intents in the journal, without signatures. */
  journal(request: { readonly after: number; readonly limit: number }): JournalPage {
    return pageOf(this.#index, request);
  }

  /** The highest index of a deposit address ever given; -1 for none. */
  get highestIndex(): number {
    return this.#index.highestIndex;
  }

  /** Records that these addresses are given. Throws a Refusal: `used` or `frozen`. */
  giveIndexes(range: { readonly from: number; readonly count: number }): void {
    this.#journal.giveIndexes(range);
  }

  close(): void {
    this.#journal.close();
    this.#parts.accounts.wipe();
  }
}
