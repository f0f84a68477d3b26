// Broadcasts the stored bytes, as often as needed. An error proves nothing: the network may have received the bytes.

import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import { crashpoint } from '@/lib/platform/crash-point';
import { underLease, type Hold } from './lease';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import { moveAttempts } from '@/lib/refunds/states';
import { asSentence, chainHold, type Work } from './sending-context';

const SENT_AGAIN = 'The signed transaction is sent again until a node takes it.';
const OTHERS_WAIT = 'Later payments of the wallet wait for it.';

/** The hold for an endpoint's refusal, or null when the network has the attempt. */
export async function broadcastAttempt(work: Work, attempt: SignedAttempt): Promise<Hold | null> {
  const { context, sending, payment } = work;
  try {
    await sending.sender.broadcast(attempt.bytes);
  } catch (error) {
    const hold = chainHold(error);
    if (!hold) throw error;
    if (!(error instanceof RpcError) || error.throttled) return hold;
    // The node answered: the reason is in the transaction or in the node's rules, and an operator has to find it.
    const effects = attempt.validity.kind === 'nonce' ? `${SENT_AGAIN} ${OTHERS_WAIT}` : SENT_AGAIN;
    return { ...hold, message: `${asSentence(error.message)} ${effects}` };
  }
  crashpoint('after-broadcast');
  if (attempt.status === 'sent') return null;
  await underLease(context.pool, payment, (tx) =>
    moveAttempts(tx, {
      name: 'refund-sent',
      move: 'send',
      set: 'sent_at = $3',
      // The items of a batch share their transaction.
      where: 'chain_id = $1 AND hash = $2',
      values: [attempt.chainId, attempt.hash, context.clock.now()],
    }),
  );
  return null;
}
