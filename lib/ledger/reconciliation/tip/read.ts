// Reads the newest blocks of a network for transfers out of our wallets, and counts which endpoints report each of them. One endpoint reads
// at a time, in turns, and each block is read about three times, so that an endpoint that hides a transfer, or has a block late, delays the
// others by one turn. On a network read by account, each turn reads the accounts that hold money instead. What looks like a theft is requested from the other endpoints at once. Endpoints are opened for this alone: their
// faults and disagreements here change nothing for payments.

import {
  ChainError,
  type BlockRef,
  type BlockSpan,
  type ChainAdapter,
  type FoundTransfer,
  type Scan,
  type Watch,
} from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openPass } from '@/lib/payments/watcher/pass';
import { nextWindow, startSizing, type WindowSizing } from '@/lib/payments/watcher/window';

/** Blocks of this time are read again: what several turns take. */
const OVERLAP_MILLISECONDS = 60_000;
/** Between two readings. The second one is by another endpoint, and still within a minute of the block. */
export const TURN_MILLISECONDS = 20_000;
/** Where this time does not fit into one request, each block costs requests of its own. Then a short reorg only is read again. */
const FEWEST_BLOCKS = 3;
/** The first reading after a start, and the longest one after an outage. Earlier blocks are left to the comparison of final ones. */
const LARGEST_SPAN_MILLISECONDS = 300_000;
const WINDOWS_PER_RUN = 20;
/** How long a suspected transfer is requested from the other endpoints. Without a limit, a forged one would cost requests forever. */
const SUSPECT_MILLISECONDS = 600_000;
/** Blocks that are requested from the other endpoints in one run: those that were requested least often. */
const SUSPECT_BLOCKS = 5;
/** An endpoint with an older newest block reads nothing new. */
const STALE_SECONDS = 120;

/** One endpoint each. */
export type Endpoints = readonly Pick<ChainAdapter, 'readsBlocks' | 'head' | 'scan'>[];

/** `by`: the endpoints that reported it. `tries`: how often its block was requested from the others. `since`: when the first one reported it. */
type Suspect = { transfer: FoundTransfer; readonly by: Set<number>; tries: number; readonly since: Date };

/** Whose transfers to find, and which of those found no intent explains. */
export type Guard = {
  readonly watch: Watch;
  readonly unexplained: (outgoing: readonly FoundTransfer[]) => Promise<readonly FoundTransfer[]>;
};

export type TipReader = {
  /**
   * Reads the blocks since the last call, or the accounts. False: more of them are left. Throws a ChainError when no endpoint answers, or
   * none could read every account; what they reported until then counts.
   */
  readonly read: (context: Context, guard: Guard) => Promise<boolean>;
  /** Requests suspects from the endpoints that have not reported them, and returns those that enough have reported. */
  readonly confirmed: (context: Context, guard: Guard) => Promise<readonly FoundTransfer[]>;
  /** Call this once it is stored. */
  readonly drop: (transfer: FoundTransfer) => void;
};

/** `needed`: how many endpoints must report a transfer, if there are so many. */
type Given = { readonly spec: NetworkSpec; readonly endpoints: Endpoints; readonly needed: number };

/** In memory only: a restarted worker reads the last minutes again. */
export function openTipReader({ spec, endpoints, ...given }: Given): TipReader {
  const needed = Math.min(given.needed, endpoints.length);
  const suspects = new Map<string, Suspect>();
  let turn = 0;
  let through: number | null = null;

  const blocksIn = (milliseconds: number): number => Math.ceil(milliseconds / spec.blockMs);
  // With room for a turn and what is read again, also where blocks are fast: a window that is never full does not grow.
  const size = Math.max(startSizing.size, blocksIn(OVERLAP_MILLISECONDS) + blocksIn(TURN_MILLISECONDS));
  const sizings = endpoints.map((): WindowSizing => ({ ...startSizing, size }));

  const endpoint = (at: number): Endpoints[number] => endpoints[at] as Endpoints[number];
  /** With the unexplained transfers only. */
  async function scan(at: number, span: BlockSpan, { watch, unexplained }: Guard): Promise<Scan> {
    const window = { ...span, parentHash: null, final: false, onlyOutgoing: true };
    const found = await endpoint(at).scan(window, watch);
    return { ...found, outgoing: await unexplained(found.outgoing ?? []) };
  }

  function suspect(at: number, { outgoing = [] }: Scan, since: Date): void {
    for (const transfer of outgoing) {
      const known = suspects.get(identityOf(transfer));
      if (!known) suspects.set(identityOf(transfer), { transfer, by: new Set([at]), tries: 0, since });
      // After a reorg it may be in another block.
      else Object.assign(known, { transfer }).by.add(at);
    }
  }

  async function readBy(context: Context, at: number, guard: Guard): Promise<boolean> {
    const { tip } = await endpoint(at).head();
    const isStale = unixSeconds(context.clock.now()) - tip.time > STALE_SECONDS;
    // A local chain has a new block when there is something to put into it.
    if (isStale && spec.chain !== 'local')
      throw new ChainError('unavailable', `endpoint ${at + 1} has no block of the last two minutes`);
    // By our clock: an endpoint may claim any newest block.
    const oldest = context.clock.now().getTime() - SUSPECT_MILLISECONDS;
    for (const [identity, one] of suspects) if (one.since.getTime() < oldest) suspects.delete(identity);
    return endpoint(at).readsBlocks ? readBlocks(context, at, tip, guard) : readAccounts(context, at, tip, guard);
  }

  async function readBlocks(context: Context, at: number, tip: BlockRef, guard: Guard): Promise<boolean> {
    const again = blocksIn(OVERLAP_MILLISECONDS);
    const sizing = sizings[at] as WindowSizing;
    const overlap = again <= sizing.size ? again : FEWEST_BLOCKS;
    const since = through === null ? -1 : Math.min(through, tip.number) - overlap;
    let after = Math.max(since, tip.number - blocksIn(LARGEST_SPAN_MILLISECONDS), -1);
    const pass = openPass(sizing, WINDOWS_PER_RUN, async () => true);
    try {
      for (;;) {
        const window = nextWindow(pass.sizing, { after, last: tip.number });
        if (!window || !(await pass.next())) break;
        const found = await pass.attempt({ ...window, parentHash: null, final: false }, () => scan(at, window, guard));
        if (!found) continue;
        suspect(at, found, context.clock.now());
        after = through = window.to;
      }
    } finally {
      sizings[at] = pass.sizing;
    }
    return after >= tip.number;
  }

  /** Compares with the stored cursors, so everything since them is read again each time. */
  async function readAccounts(context: Context, at: number, tip: BlockRef, guard: Guard): Promise<boolean> {
    const found = await scan(at, { from: 0, to: tip.number }, guard);
    suspect(at, found, context.clock.now());
    const { unfinished, flooded = [] } = found;
    if (unfinished?.fault) throw new ChainError(unfinished.fault, unfinished.message);
    if (flooded.length > 0)
      throw new ChainError('unavailable', `${flooded[0]} lost tokens and has more new transactions than are read`);
    return !unfinished;
  }

  async function requestBlock(context: Context, number: number, guard: Guard): Promise<void> {
    const open = [...suspects.values()].filter(({ transfer }) => transfer.blockNumber === number);
    for (const one of open) one.tries += 1;
    const payers = new Set(open.map(({ transfer }) => transfer.payer));
    const dueAddresses = async () => (await guard.watch.dueAddresses()).filter(({ owner }) => payers.has(owner));
    const narrow = { ...guard, watch: { ...guard.watch, dueAddresses } };
    for (const at of endpoints.keys()) {
      const isOpen = open.some(({ by }) => by.size < needed && !by.has(at));
      if (!isOpen) continue;
      try {
        suspect(at, await scan(at, { from: number, to: number }, narrow), context.clock.now());
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        context.log.debug({ err: error, network: spec.network, block: number }, 'a block cannot be read again now');
      }
    }
  }

  return {
    async read(context, guard) {
      let failure: unknown;
      const first = turn++;
      for (const step of endpoints.keys()) {
        try {
          return await readBy(context, (first + step) % endpoints.length, guard);
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          failure = error;
        }
      }
      throw failure ?? new ChainError('unavailable', 'no endpoint is configured');
    },
    async confirmed(context, guard) {
      const lacking = [...suspects.values()].filter(({ by }) => by.size < needed);
      const blocks = new Set(lacking.toSorted((a, b) => a.tries - b.tries).map(({ transfer }) => transfer.blockNumber));
      for (const number of [...blocks].slice(0, SUSPECT_BLOCKS)) await requestBlock(context, number, guard);
      return [...suspects.values()].filter(({ by }) => by.size >= needed).map(({ transfer }) => transfer);
    },
    drop: (transfer) => void suspects.delete(identityOf(transfer)),
  };
}

/** The same in every block that may have the transaction, and with the amount, so that endpoints must agree on it. */
const identityOf = ({ transactionHash, ordinal, payer, recipient, contract, amount }: FoundTransfer): string =>
  [transactionHash, ordinal, payer, recipient, contract, amount].join(' ');
