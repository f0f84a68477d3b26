// Follows a sweep that was sent: until a block has it and that block is final, or until its blockhash is too old for any further block.
// Then its addresses are free, and the next sweep pays the price of that day.

import { cancelSweep, finishSweep } from '@/lib/sweeps/finish';
import { markMined, type Sweep } from '@/lib/sweeps/rows';
import type { SweepHold } from '@/lib/sweeps/reasons';
import { unixSeconds } from '@/lib/platform/clock';
import type { SolanaRun } from './run';
import { broadcastSweep, signAndSend } from './send';
import { solanaTermsOf } from './terms';

/** Advances one open sweep. Returns why it waits, or null. */
export async function followSweep(run: SolanaRun, sweep: Sweep): Promise<SweepHold | null> {
  const { context, solana } = run;
  const { hashes, signedAt } = sweep;
  const [hash] = hashes;
  // A crash came between the plan and its signature.
  if (sweep.status === 'planned' || hash === undefined || signedAt === null) return signAndSend(run, sweep);
  const report = await solana.adapter.lookup(hash);
  if (report?.block && report.missing === 0) {
    await finishSweep(run, sweep, report);
    return null;
  }
  if (report?.block) {
    await markMined(context.pool, sweep);
    return null;
  }
  const { lastValidBlockHeight } = solanaTermsOf(sweep);
  if (await solana.chain.hasLapsed({ hash, lastValidBlockHeight, signedAt: unixSeconds(signedAt) })) {
    await cancelSweep(context, sweep, 'its blockhash is no longer valid, and no block has it');
    return null;
  }
  return broadcastSweep(run, sweep);
}
