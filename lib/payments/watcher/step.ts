// The worker's step for one chain: what is new is shown (tip), what is final is credited (final). Trouble with the endpoints
// is written on the chain's row and moves nothing; any other error goes to the worker's loop. Any number of workers may run
// it at once.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import {
  awaitedBlock,
  awaitsCredit,
  extendLease,
  findChainRow,
  leaseChain,
  noteTrouble,
  releaseChain,
  type ChainRow,
  type Lease,
} from './cursors/chain-row';
import { followChain } from './cursors/follow';
import { openPass, type Pass } from './pass';
import { scanFinal } from './scan-final';
import { isFinalScanDue, lastFinal, nextScanAt, openArrival, openCosts, showsUnconfirmed } from './poll-interval';
import { scanTip } from './scan-tip';
import { startPace, type Pace } from './window';

/** Windows per pass and cursor, so that one chain far behind does not keep the worker from the others. */
const WINDOWS_PER_PASS = 20;

type Outcome = { readonly more: boolean; readonly head: Head | null; readonly trouble: string | null };

/**
 * The step of one chain. It remembers between its runs how large a window the endpoints take, what a scan costs, how late blocks
 * come and whether the last scan was finished. Losing it costs requests and nothing else.
 */
export function watchStep(chain: FollowedChain): Step {
  const paces = { tip: startPace, final: startPace };
  const costs = openCosts(chain.budgets ?? []);
  const arrival = openArrival(chain.spec);
  /** The last scan of final blocks was not finished. */
  const owed = { final: true };
  return async (context) => {
    const row = await followed(context, chain);
    const lease = row && (await leaseChain(context.pool, row.id, context.clock.now()));
    if (!lease) return { more: false };
    const { isOpen } = lease;
    const before = costs.used();
    let outcome: Outcome = { more: false, head: null, trouble: lease.row.trouble };
    try {
      outcome = await look(context, chain, { ...lease, paces, owed });
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

/** The chain's row, or null when the endpoints cannot even tell which chain they serve. */
async function followed(context: Context, chain: FollowedChain): Promise<ChainRow | null> {
  try {
    return await followChain(context, chain);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const known = await findChainRow(context.pool, chain.environment, chain.network);
    if (known) await noteTrouble(context.pool, known.id, error.message);
    report(context, chain, known?.trouble ?? null, error.message);
    return null;
  }
}

type Leased = Lease & {
  readonly paces: { tip: Pace; final: Pace };
  readonly owed: { final: boolean };
};

async function look(context: Context, chain: FollowedChain, leased: Leased): Promise<Outcome> {
  const { row, epoch, isOpen, paces, owed } = leased;
  const keep = () => extendLease(context.pool, row.id, epoch, context.clock.now());
  const read = await orTrouble(() => chain.adapter.head());
  if ('trouble' in read) return { more: false, head: null, trouble: read.trouble };
  const head = read.value;
  const run = async (cursor: 'tip' | 'final', work: (pass: Pass) => Promise<{ row: ChainRow; more: boolean }>) => {
    const pass = openPass(paces[cursor], WINDOWS_PER_PASS, keep);
    const done = await orTrouble(() => work(pass));
    paces[cursor] = pass.pace;
    return done;
  };
  // Trouble above finality does not keep final payments from being credited.
  const tip = showsUnconfirmed(chain.spec, head, isOpen)
    ? await run('tip', (pass) => scanTip(context, chain, { row, head, pass }))
    : { value: { row, more: false } };
  const after = 'value' in tip ? tip.value.row : row;
  const last = lastFinal(chain.spec, head, isOpen);
  const isDue =
    owed.final ||
    isFinalScanDue(chain.spec, row.final.number, head) ||
    (await awaitsCredit(context.pool, row.id, last));
  const final = isDue
    ? await run('final', (pass) => scanFinal(context, chain, { row: after, head, last, pass }))
    : { value: { row: after, more: false } };
  owed.final = !('value' in final) || final.value.more;
  const more = [tip, final].some((done) => 'value' in done && done.value.more);
  const trouble = [final, tip].map((done) => ('trouble' in done ? done.trouble : null)).find((text) => text !== null);
  return { more, head, trouble: trouble ?? null };
}

/** The result, or what the endpoints' trouble was. Messages of a ChainError name no address and no key. */
async function orTrouble<T>(work: () => Promise<T>): Promise<{ value: T } | { trouble: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ChainError) return { trouble: `${error.fault}: ${error.message}` };
    throw error;
  }
}

/** Trouble is logged when it begins, changes or ends, and not once per pass. */
function report(context: Context, chain: FollowedChain, before: string | null, after: string | null): void {
  if (before === after) return;
  const about = { network: chain.network, environment: chain.environment };
  if (after === null) context.log.info(about, 'the chain can be read again');
  else context.log.warn({ ...about, trouble: after }, 'the chain cannot be read');
}
