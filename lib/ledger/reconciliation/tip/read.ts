// Reads the newest blocks of a network for transfers out of our wallets, and counts which endpoints report each of them. One endpoint reads
// at a time, in turns, and each block is read about three times, so that an endpoint that hides a transfer, or has a block late, delays the
// others by one turn. On a network read by account, each turn reads the accounts that hold money instead. What looks like a theft is requested
// from the other endpoints at once. Endpoints are opened for this alone: their faults and disagreements here change nothing for payments. Coin
// is read where a wallet signed something since the last reading by the same endpoint; on Solana the last minutes are read each time. If too few
// endpoints to confirm a theft can be read, the reader says so (`failures`).

import {
  ChainError,
  type BlockRef,
  type BlockSpan,
  type ChainAdapter,
  type FoundTransfer,
  type Scan,
  type Watch,
} from '@/lib/networks/chain';
import type { CoinCursor, CoinSearch } from '@/lib/networks/coin-reader';
import { isCoin } from '@/lib/networks/coins';
import type { NetworkSpec } from '@/lib/networks/networks';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openPass } from '@/lib/payments/watcher/pass';
import { nextWindow, startSizing, type WindowSizing } from '@/lib/payments/watcher/window';
import { openFailures, type Failures } from './failures';
import { openSuspects, type Suspect } from './suspects';

/** Blocks of this time are read again: what several turns take. */
const OVERLAP_MILLISECONDS = 60_000;
/** Between two readings. The second one is by another endpoint, and still within a minute of the block. */
export const TURN_MILLISECONDS = 20_000;
/** Where this time does not fit into one request, each block costs requests of its own. Then a short reorg only is read again. */
const FEWEST_BLOCKS = 3;
/**
 * The first reading after a start, and the longest one after an outage. Earlier blocks are left to the comparison of final ones. Coin on EVM
 * networks is read since the endpoint's last reading instead (evm/reading/sent-coin.ts).
 */
const LARGEST_SPAN_MILLISECONDS = 300_000;
const WINDOWS_PER_RUN = 20;
/** Blocks that are requested from the other endpoints in one run: those that were requested least often. */
const SUSPECT_BLOCKS = 5;
/** An endpoint with an older newest block reads nothing new. */
const STALE_SECONDS = 120;

/** One endpoint each. */
export type Endpoints = readonly Pick<ChainAdapter, 'readsBlocks' | 'head' | 'scan' | 'coin'>[];

/** Whose transfers to find, and which of those found no intent explains. `coinWallets`: those whose coin is read. */
export type Guard = {
  readonly watch: Watch;
  readonly coinWallets: readonly string[];
  readonly unexplained: (outgoing: readonly FoundTransfer[]) => Promise<readonly FoundTransfer[]>;
};

export type TipReader = {
  /**
   * Reads the blocks since the last call, or the accounts. False: more of them are left. Throws a ChainError when no endpoint answers, or
   * none could read every account; what they reported until then counts.
   */
  readonly read: (context: Context, guard: Guard) => Promise<boolean>;
  /** Reads coin from the endpoint that the last call has read. Throws a ChainError when that does not answer. */
  readonly readCoin: (context: Context, guard: Guard) => Promise<void>;
  /** Requests suspects from the endpoints that have not reported them, and returns those that enough have reported. */
  readonly confirmed: (context: Context, guard: Guard) => Promise<readonly FoundTransfer[]>;
  /** Call this once it is stored. */
  readonly drop: (transfer: FoundTransfer) => void;
  /** Of the endpoints. Clear them while there is nothing to read. */
  readonly failures: Pick<Failures, 'lasting' | 'clear'>;
};

/** `needed`: how many endpoints must report a transfer, if there are so many. */
type Given = { readonly spec: NetworkSpec; readonly endpoints: Endpoints; readonly needed: number };

/** In memory only: a restarted worker reads the last minutes again. */
export function openTipReader({ spec, endpoints, ...given }: Given): TipReader {
  const needed = Math.min(given.needed, endpoints.length);
  const suspects = openSuspects({ endpoints: endpoints.length, needed });
  const failures = openFailures({ endpoints: endpoints.length, needed });
  let turn = 0;
  let through: number | null = null;
  /** Of the last call: what an endpoint named as its newest block, also if its tokens cannot be read. */
  let latest: { readonly at: number; readonly window: CoinSearch['window'] } | null = null;

  const blocksIn = (milliseconds: number): number => Math.ceil(milliseconds / spec.blockMs);
  // With room for a turn and what is read again, also where blocks are fast: a window that is never full does not grow.
  const size = Math.max(startSizing.size, blocksIn(OVERLAP_MILLISECONDS) + blocksIn(TURN_MILLISECONDS));
  const sizings = endpoints.map((): WindowSizing => ({ ...startSizing, size }));
  const cursors = endpoints.map((): CoinCursor | null => null);

  const endpoint = (at: number): Endpoints[number] => endpoints[at] as Endpoints[number];
  /** With the unexplained transfers only. */
  async function scan(at: number, span: BlockSpan, { watch, unexplained }: Guard): Promise<Scan> {
    const window = { ...span, parentHash: null, final: false, onlyOutgoing: true };
    const found = await endpoint(at).scan(window, watch);
    return { ...found, outgoing: await unexplained(found.outgoing ?? []) };
  }

  async function readCoinBy(context: Context, at: number, window: CoinSearch['window'], guard: Guard): Promise<void> {
    const { coin } = endpoint(at);
    const wallets = guard.coinWallets;
    if (!coin || wallets.length === 0) return;
    const cursor = cursors[at] ?? null;
    // Since the endpoint's last reading. Without one, or if that was too long ago, as after a start.
    const oldest = Math.max(0, window.to - blocksIn(LARGEST_SPAN_MILLISECONDS));
    const from = Math.max(oldest, Math.min(window.from, (cursor?.block ?? -1) + 1));
    const activity = await coin.activity({ window: { ...window, from }, wallets, cursor });
    if (activity.blocks.length + activity.hashes.length > 0)
      suspect(context, at, await guard.unexplained(await coin.sent(activity, wallets)));
    cursors[at] = activity.cursor;
    // The next readings go on, but a theft may be among what no reading gets to.
    if (activity.unread) throw new ChainError('unavailable', activity.unread);
  }

  function suspect(context: Context, at: number, found: readonly FoundTransfer[]): void {
    const left = suspects.add(at, found, context.clock.now().getTime());
    if (left > 0)
      context.log.warn({ network: spec.network, endpoint: at + 1, left }, 'too many suspects of one endpoint');
  }

  async function readBy(context: Context, at: number, guard: Guard): Promise<boolean> {
    const { tip } = await endpoint(at).head();
    const isStale = unixSeconds(context.clock.now()) - tip.time > STALE_SECONDS;
    // A local chain has a new block when there is something to put into it.
    if (isStale && spec.chain !== 'local')
      throw new ChainError('unavailable', `endpoint ${at + 1} has no block of the last two minutes`);
    suspects.dropDenied(context.clock.now().getTime());
    return endpoint(at).readsBlocks ? readBlocks(context, at, tip, guard) : readAccounts(context, at, tip, guard);
  }

  async function readBlocks(context: Context, at: number, tip: BlockRef, guard: Guard): Promise<boolean> {
    const again = blocksIn(OVERLAP_MILLISECONDS);
    const sizing = sizings[at] as WindowSizing;
    const overlap = again <= sizing.size ? again : FEWEST_BLOCKS;
    const since = through === null ? -1 : Math.min(through, tip.number) - overlap;
    const start = Math.max(since, tip.number - blocksIn(LARGEST_SPAN_MILLISECONDS), -1);
    let after = start;
    // Also if a token cannot be read, or more blocks are left: coin needs the newest block only.
    latest = { at, window: { from: start + 1, to: tip.number, time: tip.time } };
    const pass = openPass(sizing, WINDOWS_PER_RUN, async () => true);
    try {
      for (;;) {
        const window = nextWindow(pass.sizing, { after, last: tip.number });
        if (!window || !(await pass.next())) break;
        const found = await pass.attempt({ ...window, parentHash: null, final: false }, () => scan(at, window, guard));
        if (!found) continue;
        suspect(context, at, found.outgoing ?? []);
        after = through = window.to;
      }
    } finally {
      sizings[at] = pass.sizing;
    }
    return after >= tip.number;
  }

  /** Compares with the stored cursors, so everything since them is read again each time. */
  async function readAccounts(context: Context, at: number, tip: BlockRef, guard: Guard): Promise<boolean> {
    const from = Math.max(0, tip.number - blocksIn(LARGEST_SPAN_MILLISECONDS));
    // Also if an account cannot be read: a stranger can cause that.
    latest = { at, window: { from, to: tip.number, time: tip.time } };
    const found = await scan(at, { from: 0, to: tip.number }, guard);
    suspect(context, at, found.outgoing ?? []);
    const { unfinished, flooded = [] } = found;
    if (unfinished?.fault) throw new ChainError(unfinished.fault, unfinished.message);
    if (flooded.length > 0)
      throw new ChainError('unavailable', `${flooded[0]} lost tokens and has more new transactions than are read`);
    return !unfinished;
  }

  /** What the block has of the same kinds as these suspects. `isWhole`: the endpoint could read all of it. */
  async function readBlock(at: number, number: number, open: readonly Suspect[], guard: Guard) {
    const ofCoin = open.filter(({ transfer }) => isCoin(transfer.currency));
    const tokens = ofCoin.length < open.length ? await scan(at, { from: number, to: number }, guard) : null;
    const places = { blocks: [number], hashes: ofCoin.map(({ transfer }) => transfer.transactionHash) };
    const coin = ofCoin.length > 0 ? await endpoint(at).coin?.sent(places, guard.coinWallets) : [];
    const found = [...(tokens?.outgoing ?? []), ...(await guard.unexplained(coin ?? []))];
    return { found, isWhole: !tokens?.unfinished && !tokens?.flooded?.length };
  }

  async function requestBlock(context: Context, number: number, guard: Guard): Promise<void> {
    const open = suspects.inBlock(number);
    for (const one of open) one.tries += 1;
    const payers = new Set(open.map(({ transfer }) => transfer.payer));
    const dueAddresses = async () => (await guard.watch.dueAddresses()).filter(({ owner }) => payers.has(owner));
    const narrow = { ...guard, watch: { ...guard.watch, dueAddresses } };
    for (const at of endpoints.keys()) {
      const lacking = open.filter(({ by }) => by.size < needed && !by.has(at));
      if (lacking.length === 0) continue;
      for (const { denied } of lacking) denied.delete(at);
      try {
        const { found, isWhole } = await readBlock(at, number, open, narrow);
        suspect(context, at, found);
        for (const { by, denied } of lacking) if (isWhole && !by.has(at)) denied.add(at);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        context.log.warn({ err: error, network: spec.network, block: number }, 'a block cannot be read again now');
      }
    }
  }

  return {
    async read(context, guard) {
      let failure: unknown;
      latest = null;
      const first = turn++;
      for (const step of endpoints.keys()) {
        const at = (first + step) % endpoints.length;
        try {
          return await failures.attempt(context.clock, at, 'tokens', () => readBy(context, at, guard));
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          failure = error;
        }
      }
      throw failure ?? new ChainError('unavailable', 'no endpoint is configured');
    },
    async readCoin(context, guard) {
      if (!latest) return;
      const { at, window } = latest;
      await failures.attempt(context.clock, at, 'coin', () => readCoinBy(context, at, window, guard));
    },
    async confirmed(context, guard) {
      const lacking = suspects.lacking().toSorted((a, b) => a.tries - b.tries);
      const blocks = new Set(lacking.map(({ transfer }) => transfer.blockNumber));
      for (const number of [...blocks].slice(0, SUSPECT_BLOCKS)) await requestBlock(context, number, guard);
      return suspects.confirmed();
    },
    drop: suspects.drop,
    failures,
  };
}
