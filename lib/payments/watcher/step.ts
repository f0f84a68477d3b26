// The worker's step for one chain: the tip pass shows new transfers, the final pass credits final ones. Trouble with the endpoints
// is recorded on the chain's row and moves no cursor. Any other error goes to the worker's loop. Several workers may run it at
// once.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import {
  awaitedBlock,
  awaitsCredit,
  extendLease,
  findChainRow,
  leaseChain,
  recordTrouble,
  releaseChain,
  type ChainRow,
  type Lease,
} from './cursors/chain-row';
import { followChain } from './cursors/follow';
import { openPass, type Pass } from './pass';
import { scanFinal } from './scan-final';
import { isFinalScanDue, lastFinal, nextScanAt, openArrival, openCosts, showsUnconfirmed } from './poll-interval';
import { scanTip } from './scan-tip';
import { startSizing, type WindowSizing } from './window';

/** Windows per pass and cursor, so that a chain far behind does not block the others. */
const WINDOWS_PER_PASS = 20;

type Outcome = { readonly more: boolean; readonly head: Head | null; readonly trouble: string | null };

/**
 * The step of one chain. Between runs it keeps in memory: the window size that the endpoints accept, the cost of a scan, the block
 * delay, and whether the last scan finished. Losing this state costs only requests.
 */
export function watchStep(chain: FollowedChain): Step {
  const sizings = { tip: startSizing, final: startSizing };
  const costs = openCosts(chain.budgets ?? []);
  const arrival = openArrival(chain.spec);
  /** Whether the last scan of final blocks stopped early. */
  const unfinished = { final: true };
  return async (context) => {
    const row = await followed(context, chain);
    const lease = row && (await leaseChain(context.pool, row.id, context.clock.now()));
    if (!lease) return { more: false };
    const { isOpen } = lease;
    const before = costs.used();
    let outcome: Outcome = { more: false, head: null, trouble: lease.row.trouble };
    try {
      outcome = await scan(context, chain, { ...lease, sizings, unfinished });
    } finally {
      const { more, head, trouble } = outcome;
      const now = context.clock.now();
      const isBehind = more && trouble === null;
      const awaited = head && isOpen ? await awaitedBlock(context.pool, lease.row.id, head.final.number) : null;
      const arrivalMs = head ? arrival.after(head, now) : 0;
      const pause = { head, isOpen, awaited, arrivalMs, trouble, budget: costs.after(before), now };
      await releaseChain(context.pool, lease.row.id, lease.epoch, {
        lag: head && head.tip.number - head.final.number,
        trouble,
        isIdle: !isOpen,
        nextAt: isBehind ? null : nextScanAt(chain.spec, pause),
        now,
      });
    }
    report(context, chain, lease.row.trouble, outcome.trouble);
    return { more: outcome.more && outcome.trouble === null };
  };
}

/** The chain's row, or null when the endpoints do not report which chain they serve. */
async function followed(context: Context, chain: FollowedChain): Promise<ChainRow | null> {
  try {
    return await followChain(context, chain);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const known = await findChainRow(context.pool, chain.environment, chain.network);
    if (known) await recordTrouble(context.pool, known.id, error.message);
    report(context, chain, known?.trouble ?? null, error.message);
    return null;
  }
}

type Leased = Lease & {
  readonly sizings: { tip: WindowSizing; final: WindowSizing };
  readonly unfinished: { final: boolean };
};

async function scan(context: Context, chain: FollowedChain, leased: Leased): Promise<Outcome> {
  const { row, epoch, isOpen, sizings, unfinished } = leased;
  const keep = () => extendLease(context.pool, row.id, epoch, context.clock.now());
  const read = await orTrouble(() => chain.adapter.head());
  if ('trouble' in read) return { more: false, head: null, trouble: read.trouble };
  const head = read.value;
  const run = async (cursor: 'tip' | 'final', work: (pass: Pass) => Promise<{ row: ChainRow; more: boolean }>) => {
    const pass = openPass(sizings[cursor], WINDOWS_PER_PASS, keep);
    const done = await orTrouble(() => work(pass));
    sizings[cursor] = pass.sizing;
    return done;
  };
  // Trouble above finality does not keep final payments from being credited.
  const tip = showsUnconfirmed(chain.spec, head, isOpen)
    ? await run('tip', (pass) => scanTip(context, chain, { row, head, pass }))
    : { value: { row, more: false } };
  const after = 'value' in tip ? tip.value.row : row;
  const last = lastFinal(chain.spec, head, isOpen);
  const isDue =
    unfinished.final ||
    isFinalScanDue(chain.spec, row.final.number, head) ||
    (await awaitsCredit(context.pool, row.id, last));
  const final = isDue
    ? await run('final', (pass) => scanFinal(context, chain, { row: after, head, last, pass }))
    : { value: { row: after, more: false } };
  unfinished.final = !('value' in final) || final.value.more;
  const more = [tip, final].some((done) => 'value' in done && done.value.more);
  const trouble = [final, tip].map((done) => ('trouble' in done ? done.trouble : null)).find((text) => text !== null);
  return { more, head, trouble: trouble ?? null };
}

/** The result, or the trouble of the endpoints. Messages of a ChainError contain no URL and no key. */
async function orTrouble<T>(work: () => Promise<T>): Promise<{ value: T } | { trouble: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ChainError) return { trouble: `${error.fault}: ${error.message}` };
    throw error;
  }
}

/** Logs trouble when it begins, changes or ends, not once per pass. */
function report(context: Context, chain: FollowedChain, before: string | null, after: string | null): void {
  if (before === after) return;
  const about = { network: chain.network, environment: chain.environment };
  if (after === null) context.log.info(about, 'the chain can be read again');
  else context.log.warn({ ...about, trouble: after }, 'the chain cannot be read');
}
