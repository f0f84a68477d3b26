// The outcome of a payment as one TRON endpoint reports it: its result in a solid block, or the proof that it expired. The proof
// needs a solid time well past the expiration, no trace of the payment, and a read of every solid block that could hold it.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { AttemptOutcome, SentAttempt } from '@/lib/networks/sending/send';
import { isInSolidBlock, type Lifetime } from '@/lib/networks/families/tron/reading/absence';
import { tokensOf } from '@/lib/networks/families/tron/reading/decode';
import { lookUp } from '@/lib/networks/families/tron/reading/lookup';
import { readHead, type TronNode } from '@/lib/networks/families/tron/node';
import { obstacleOf } from './obstacles';
import { LONGEST_LIFE_SECONDS } from './write-draft';
import { info } from '@/lib/networks/families/tron/shapes';

/**
 * Nodes behind one URL differ by some blocks; this spans twenty blocks between what one calls solid and what another may not
 * know.
 */
const MARGIN_SECONDS = 60;

/** One endpoint's report. Throws a ChainError. */
export async function tronOutcome(node: TronNode, spec: NetworkSpec, attempt: SentAttempt): Promise<AttemptOutcome> {
  const { hash, validity } = attempt;
  if (validity.kind !== 'time') throw new Error('a TRON transaction is valid until a time');
  const lapsesAfter = validity.expiresAt + MARGIN_SECONDS;
  const known = await node.shared?.recent(node.shared.lastsMs);
  const head = known && known.final.time <= lapsesAfter ? null : await readHead(node, spec);
  const reading = { tokens: tokensOf(spec), headOf: async () => head ?? readHead(node, spec) };
  const report = await lookUp(node, reading, hash);
  if (!report?.block) {
    const final = head?.final;
    if (final && final.time > lapsesAfter) {
      // A transaction that waits in a node's pool after its expiration never enters a block.
      const isThere = await isInSolidBlock(node, hash, lifetimeOf(attempt, validity.expiresAt), final);
      if (isThere === 'pruned') return { kind: 'pruned', reason: `${node.name} lacks the blocks that could hold it` };
      if (isThere) return { kind: 'seen', hash, confirmations: 1 };
      return { kind: 'lapsed', reason: 'it expired, and no solid block holds it', finalized: final.time };
    }
    return report ? { kind: 'seen', hash, confirmations: 0 } : { kind: 'waiting' };
  }
  const { block, missing, succeeded, confirmations, fee } = report;
  const cost = fee === undefined ? {} : { fee };
  if (missing !== 0) return { kind: 'seen', hash, confirmations };
  if (!succeeded) return { kind: 'reverted', hash, reason: await revertReason(node, attempt), ...cost };
  const { order, from } = attempt;
  const moved = report.movements.filter(
    (one) => one.contract === order.contract && one.payer === from && one.recipient === order.to,
  );
  if (moved.length === 1 && moved[0]?.amount === order.amount) return { kind: 'landed', hash, block, ...cost };
  return { kind: 'unclear', hash, reason: 'it succeeded without moving exactly what was ordered' };
}

/** The endpoint that reported the newest block for the draft may have reported a time later than the real one. */
function lifetimeOf({ signedAt }: SentAttempt, expiresAt: number): Lifetime {
  const longest = expiresAt - LONGEST_LIFE_SECONDS;
  return { from: Math.min(longest, (signedAt ?? longest) - MARGIN_SECONDS), expiresAt };
}

async function revertReason(node: TronNode, { hash, order, from }: SentAttempt): Promise<string> {
  const request = {
    side: 'walletsolidity',
    api: 'gettransactioninfobyid',
    body: { value: hash },
    shape: info,
  } as const;
  const found = await node.client.request(request);
  if (found?.receipt.result === 'OUT_OF_ENERGY') return 'the transfer took more energy than its fee limit allowed';
  return (
    (await obstacleOf(node, { ...order, from }))?.message ?? `the contract of ${order.currency} refused the transfer`
  );
}
