// The worker's side of the freeze switch. It passes a freeze request to the signer at once, and stores every few seconds
// whether the signer is frozen, for the console. An unreachable signer receives the request when it returns.

import type { Context, Step } from '@/lib/platform/context';
import { SignerClient, type SignerState } from '@/lib/signer/client';
import { settingsContradiction } from '@/lib/refunds/settings-check';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';

type Signer = Pick<SignerClient, 'freeze' | 'state'>;

/** The largest age of the signer's state in the console. */
const STATE_MILLISECONDS = 3000;

/** One run of the step. A process without a signer has no such step: its result would describe only that process. */
export function freezeStep(signer: Signer): Step {
  let readAt = Number.NEGATIVE_INFINITY;
  return async (context) => {
    const { rows } = await context.pool.query<{ id: string; reason: string }>({
      name: 'freeze-waiting',
      text: 'SELECT id, reason FROM freeze_requests WHERE carried_out_at IS NULL ORDER BY id LIMIT 1',
      values: [],
    });
    const [waiting] = rows;
    if (waiting) await carryOut(context, signer, waiting);
    const now = context.clock.now().getTime();
    if (waiting || now - readAt >= STATE_MILLISECONDS) {
      await writeState(context, signer);
      readAt = now;
    }
    return { more: false };
  };
}

/** The signer that the settings name. */
export const signerOf = ({ SIGNER_SOCKET: socket }: Context['config']): Signer | null =>
  socket ? new SignerClient(socket) : null;

async function carryOut(context: Context, signer: Signer, request: { id: string; reason: string }): Promise<void> {
  const trouble = await troubleOf(async () => {
    await signer.freeze(asLine(request));
    // The worker of a cloned machine must not use up the request: the other machine's signer would go on signing.
    if ((await signer.state()).moved) throw new AddressSourceError('refused', ON_A_COPY);
  });
  await context.pool.query({
    name: 'freeze-carried-out',
    text: `UPDATE freeze_requests SET trouble = $2, carried_out_at = CASE WHEN $2::text IS NULL THEN $3::timestamptz END
           WHERE id = $1 AND carried_out_at IS NULL`,
    values: [request.id, trouble, context.clock.now()],
  });
  if (trouble !== null) context.log.error({ trouble }, 'the freeze request could not be passed to the signer');
}

const ON_A_COPY =
  'The signer that answered runs on a copied journal and signs nothing. The request waits for the signer that signs, and no payout is drafted until then.';

/** The signer accepts one line of plain ASCII. The request's row keeps the full text. */
const asLine = ({ id, reason }: { id: string; reason: string }): string =>
  `desk switch ${id}: ${reason.replaceAll(/[^\x20-\x7e]+/g, ' ')}`.trim().slice(0, 200);

async function writeState(context: Context, signer: Signer): Promise<void> {
  let state: SignerState | null = null;
  const unanswered = await troubleOf(async () => (state = await signer.state()));
  const known = state as SignerState | null;
  await context.pool.query({
    name: 'signer-state-write',
    text: `INSERT INTO signer_states (id, is_frozen, reason, read_at, trouble, checked_at, journal, words_confirmed)
           VALUES (1, $1, $2, CASE WHEN $3::text IS NULL THEN $4::timestamptz END, $3, $4, $5, $6)
           ON CONFLICT (id) DO UPDATE SET trouble = EXCLUDED.trouble, checked_at = EXCLUDED.checked_at,
             is_frozen = coalesce(EXCLUDED.is_frozen, signer_states.is_frozen),
             reason = CASE WHEN EXCLUDED.is_frozen IS NULL THEN signer_states.reason ELSE EXCLUDED.reason END,
             read_at = coalesce(EXCLUDED.read_at, signer_states.read_at),
             journal = coalesce(EXCLUDED.journal, signer_states.journal),
             words_confirmed = coalesce(EXCLUDED.words_confirmed, signer_states.words_confirmed)`,
    values: [
      known?.frozen ?? null,
      known?.reason ?? null,
      unanswered,
      context.clock.now(),
      // The journal as the database saw it is what a take-over is measured by: a copy must not replace it.
      known && !known.moved ? JSON.stringify(known.journal) : null,
      known?.wordsConfirmed ?? null,
    ],
  });
  const why = known && settingsContradiction(context.config, known);
  // Operators see a failing step.
  if (why) throw new Error(why);
}

/** What prevented the signer from answering, as its client reports it; null when it answered. */
async function troubleOf(call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    if (error instanceof AddressSourceError) return error.message;
    throw error;
  }
}
