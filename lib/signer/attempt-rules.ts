// Decides when an intent may have another attempt. On EVM it may have a replacement with the same nonce and higher
// fees: only one of them can land. On TRON and Solana a new attempt may follow once the previous one has lapsed. The
// watcher attests that it lapsed, and the signer's own clock must not contradict it. Pure.

import type { MacKeys } from '@/lib/platform/crypto';
import type { Draft } from '@/lib/networks/sending/send';
import { isOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import type { Attempt } from './journal/journal-index';
import { checkReplaces } from './draft-rules';
import type { RefundOrder } from './orders';
import { Refusal } from './refusal';

/**
 * Raising the lowest fee a hundredfold takes fewer steps than this. The limit also bounds what an attacker gets signed.
 */
export const MAX_ATTEMPTS = 60;
/** An attempt has lapsed when both finalized chain time and the signer's clock are this far past its expiration. */
const TIME_MARGIN_SECONDS = 60;
/**
 * An attempt has lapsed when the finalized height is this many blocks, one finalization, past its last valid height.
 */
const HEIGHT_MARGIN = 32;
/** A block hash is valid for 150 blocks, which take at least a minute. The margin adds half of that. */
const LEAST_HEIGHT_LIFE_MILLISECONDS = 90_000;

/**
 * Throws a Refusal of code `conflict` unless `draft` may follow the intent's attempts. `former` is the last of them.
 */
export function checkFollows(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly count: number;
  readonly draft: Draft;
  readonly lapsed: Outcome | undefined;
  readonly evidenceKey: MacKeys | null;
  /** Milliseconds of the signer's clock. */
  readonly now: number;
}): void {
  const { former, draft } = given;
  if (given.count >= MAX_ATTEMPTS) throw new Refusal('conflict', 'the intent has reached its limit of attempts');
  if (draft.family === 'evm' && former.draft.family === 'evm') return checkReplaces(former.draft, draft);
  if (!given.lapsed) throw new Refusal('conflict', 'the intent has an attempt that may still land');
  checkLapsed({ ...given, outcome: given.lapsed });
}

/**
 * Throws a Refusal unless the outcome proves that `former` can never land. Releasing an intent needs the same proof.
 */
export function checkLapsed(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly outcome: Outcome;
  readonly evidenceKey: MacKeys | null;
  /** Milliseconds of the signer's clock. */
  readonly now: number;
}): void {
  const { former, outcome, now } = given;
  checkAttested(given);
  if (outcome.outcome !== 'lapsed') throw new Refusal('evidence', 'the outcome does not say that the attempt lapsed');
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

/** Throws a Refusal of code `evidence` unless the watcher attested this outcome for this attempt of this order. */
export function checkAttested(given: {
  readonly order: RefundOrder;
  readonly former: Attempt;
  readonly outcome: Outcome;
  readonly evidenceKey: MacKeys | null;
}): void {
  const { order, former, outcome, evidenceKey } = given;
  if (!evidenceKey || !isOutcome(evidenceKey, order.environment, outcome)) {
    throw new Refusal('evidence', 'the watcher did not attest this outcome');
  }
  const isAbout =
    outcome.intentId === order.intentId && outcome.network === order.network && outcome.hash === former.signed.hash;
  if (!isAbout) throw new Refusal('evidence', 'the outcome is about another attempt');
}

const tooEarly = (): Refusal => new Refusal('conflict', 'the previous attempt may still land');
