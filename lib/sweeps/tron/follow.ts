// Follows a sweep that was sent on TRON: until a block has it, then until that block is final. One that expired outside a block lapses,
// and the next run plans it anew from the state of the chain.

import { finishSweep, cancelSweep } from '@/lib/sweeps/finish';
import { markMined, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { TronRun } from './run';
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
  if (await advance(run, sweep)) return null;
  const { final } = await tron.adapter.head();
  if (final.time * 1000 <= expiration) return broadcastSweep(run, sweep);
  if (final.time * 1000 <= expiration + MARGIN_MILLISECONDS) return null;
  // A block may have taken it between the first lookup and the final block.
  if (!(await advance(run, sweep))) await cancelSweep(context, sweep, 'it expired before a block had it');
  return null;
}

/** Whether a block has it. Ends it if that block is final. */
async function advance(run: TronRun, sweep: Sweep): Promise<boolean> {
  const { context, tron } = run;
  const report = await tron.adapter.lookup(sweep.hashes[0] ?? '');
  if (!report?.block) return false;
  if (report.missing === 0) {
    // Only a contract call has a result of its own. Any other transaction enters a block only if it succeeds.
    const { kind } = sweep.request;
    const succeeded = report.succeeded || (kind !== 'transfer' && kind !== 'flush');
    await finishSweep(run, sweep, { ...report, succeeded });
  } else await markMined(context.pool, sweep);
  return true;
}
