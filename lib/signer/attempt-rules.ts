// When an intent may have another attempt beside the ones it has: on EVM a replacement with the same nonce and higher fees, of
// which only one can land; on TRON and Solana one after the former has lapsed, which the watcher states and the signer's own
// clock must not contradict (chains.md section 3, hardening 3.6 rows j and k). Pure.

import type { Draft } from '@/lib/networks/sending/send';
import { isOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import type { Attempt } from './journal/journal-index';
import { checkReplaces } from './draft-rules';
import type { RefundOrder } from './orders';
import { Refusal } from './refusal';

/** From the lowest fee to a hundred times it takes fewer steps, and no attacker gets more. */
export const MOST_ATTEMPTS = 60;
/** Beyond an expiration by this much of finalized chain time and of the signer's own. */
const TIME_MARGIN_SECONDS = 60;
/** Beyond the last valid height by a finalization's worth of blocks. */
const HEIGHT_MARGIN = 32;
/** The 150 blocks of a block hash take a minute at the very least; half as much again. */
const LEAST_HEIGHT_LIFE_MILLISECONDS = 90_000;

/** Throws a Refusal of code `conflict` unless `draft` may follow the intent's attempts, the last of which is `former`. */
export function checkFollows(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly count: number;
  readonly draft: Draft;
  readonly lapsed: Outcome | undefined;
  readonly evidenceKey: Uint8Array | null;
  /** Milliseconds of the signer's clock. */
  readonly now: number;
}): void {
  const { former, draft } = given;
  if (given.count >= MOST_ATTEMPTS) throw new Refusal('conflict', 'the intent has had as many attempts as it may have');
  if (draft.family === 'evm' && former.draft.family === 'evm') return checkReplaces(former.draft, draft);
  if (!given.lapsed) throw new Refusal('conflict', 'the intent has an attempt that may still land');
  checkLapsed({ ...given, outcome: given.lapsed });
}

/** Throws a Refusal unless the outcome proves that `former` can never land. Also for releasing an intent. */
export function checkLapsed(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly outcome: Outcome;
  readonly evidenceKey: Uint8Array | null;
  /** Milliseconds of the signer's clock. */
  readonly now: number;
}): void {
  const { former, outcome, now } = given;
  checkStated(given);
  if (outcome.outcome !== 'lapsed') throw new Refusal('evidence', 'the statement does not say that the attempt lapsed');
  const { validity } = former.signed;
  switch (validity.kind) {
    case 'nonce':
      throw new Refusal('conflict', 'a nonce does not lapse');
    case 'time': {
      const lapses = validity.expiresAt + TIME_MARGIN_SECONDS;
      if (outcome.finalized < lapses || now < lapses * 1000) throw tooEarly();
      return;
    }
    case 'height':
      if (outcome.finalized < validity.lastValidBlockHeight + HEIGHT_MARGIN) throw tooEarly();
      if (now < former.at + LEAST_HEIGHT_LIFE_MILLISECONDS) throw tooEarly();
  }
}

/** Throws a Refusal of code `evidence` unless the watcher made the statement, about this attempt of this order. */
export function checkStated(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly outcome: Outcome;
  readonly evidenceKey: Uint8Array | null;
}): void {
  const { order, former, outcome, evidenceKey } = given;
  if (!evidenceKey || !isOutcome(evidenceKey, order.environment, outcome)) {
    throw new Refusal('evidence', 'the statement was not made by the watcher');
  }
  const isAbout =
    outcome.intentId === order.intentId && outcome.network === order.network && outcome.hash === former.signed.hash;
  if (!isAbout) throw new Refusal('evidence', 'the statement is about another attempt');
}

const tooEarly = (): Refusal => new Refusal('conflict', 'the former attempt may still land');
