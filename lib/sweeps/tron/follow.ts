// Follows a sweep that was sent on TRON: until a block has it, then until that block is final. One that expired outside a block lapses,
// and the next run plans it anew from the state of the chain.

import { finishSweep, cancelSweep } from '@/lib/sweeps/finish';
import { markMined, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { TronRun } from './family';
import { broadcastSweep, signAndSend } from './send';
import { tronTermsOf } from './terms';

/** A final block this long after the expiration: nodes behind one URL differ by some blocks. */
const MARGIN_MILLISECONDS = 60_000;

/** Advances one open sweep. Returns why it waits, or null. */
export async function followSweep(run: TronRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, tron } = run;
  // A crash came between the plan and its signature.
  const { expiration } = tronTermsOf(sweep);
  if (sweep.status === 'planned' && expiration > context.clock.now().getTime()) return signAndSend(run, sweep);
  if (sweep.status === 'planned') {
    await cancelSweep(context, sweep, 'it expired before it was signed');
    return null;
  }
  const [hash = ''] = sweep.hashes;
  // Read before the lookup: a block that was final then has what the lookup would find in it.
  const { final } = await tron.adapter.head();
  const report = await tron.adapter.lookup(hash);
  if (report?.block && report.missing === 0) {
    // Only a contract call has a result of its own. Any other transaction enters a block only if it succeeds.
    const succeeded = report.succeeded || sweep.request.kind !== 'transfer';
    await finishSweep(run, sweep, { ...report, succeeded });
    return null;
  }
  if (report?.block) {
    await markMined(context.pool, sweep);
    return null;
  }
  if (final.time * 1000 > expiration + MARGIN_MILLISECONDS) {
    await cancelSweep(context, sweep, 'it expired before a block had it');
    return null;
  }
  return final.time * 1000 > expiration ? null : broadcastSweep(run, sweep);
}
