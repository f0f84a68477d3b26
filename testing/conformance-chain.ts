// What the conformance suite is told of a chain: its adapter, and a story of payments that happened on it, made on a local
// chain or recorded from a real one. And reading it as the watcher does: window after window, with the account cursors kept.

import type {
  AccountCursor,
  BlockRef,
  BlockWindow,
  ChainAdapter,
  ChainFault,
  FoundTransfer,
  Scan,
  Watch,
} from '@/lib/networks/chain';
import { ChainError } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { watching } from './watching/watching';

/** A payment that did arrive. Amounts in base units, addresses as FoundTransfer writes them. */
export type Paid = {
  readonly hash: string;
  readonly currency: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: bigint;
  /** As FoundTransfer has it; left out where a made-up recording does not say. */
  readonly isPlain?: boolean;
};

/** A transaction that names a watched recipient and pays it nothing that counts. */
export type Unpaid = { readonly hash: string; readonly recipient: string };

export type Story = {
  /** The block before the story; nothing of it is older. */
  readonly after: BlockRef;
  /** Height of a final block by which all of it has happened. */
  readonly last: number;
  /** To the addresses that are watched. */
  readonly ours: readonly Paid[];
  /** To addresses that nobody watches. */
  readonly strangers: readonly Paid[];
  readonly failed: readonly Unpaid[];
  readonly fake: readonly Unpaid[];
  /** What was known of token accounts before the story; empty on networks that are read block by block. */
  readonly accountCursors: readonly AccountCursor[];
};

export type ConformanceChain = {
  readonly spec: NetworkSpec;
  readonly adapter: ChainAdapter;
  readonly story: Story;
  /** A transaction hash of the network's writing that does not exist. */
  readonly unknownHash: string;
  /** What only a chain that can be driven offers; null on a recording. */
  readonly drive: Drive | null;
  close(): Promise<void>;
};

export type Drive = {
  mine(blocks: number): Promise<unknown>;
  /** Pays a watched address at the tip and takes the block back again. Null when the engine cannot do that. */
  payAndTakeBack(): Promise<{ hash: string; recipient: string; replaced: BlockRef } | null>;
  /** Genesis of a chain of the same network that was started afresh. */
  anotherGenesis(): Promise<string>;
};

/** The addresses that a story's suite watches. */
export const watchedOf = ({ ours, failed, fake }: Story): string[] => [
  ...new Set([...ours, ...failed, ...fake].map(({ recipient }) => recipient)),
];

/** A watch over addresses as they are at the start of the story, that counts how often it is asked. */
export function watchOf(
  { accountCursors }: Story,
  addresses: readonly string[],
): Watch & { readonly asked: { among: number; dueAddresses: number } } {
  const known = addresses.map((owner) => ({
    owner,
    accountCursors: accountCursors.filter((cursor) => cursor.owner === owner),
  }));
  const watch = watching(addresses, known);
  const asked = { among: 0, dueAddresses: 0 };
  return {
    asked,
    among: (recipients) => ((asked.among += 1), watch.among(recipients)),
    dueAddresses: () => ((asked.dueAddresses += 1), watch.dueAddresses()),
  };
}

/** One scan of the whole story. */
export function scanStory(
  { adapter, story }: ConformanceChain,
  { final, watched = watchedOf(story) }: { final: boolean; watched?: readonly string[] },
): Promise<Scan> {
  return scanCut(adapter, windowOf(story, final), watchOf(story, watched));
}

export const windowOf = ({ after, last }: Story, final: boolean) => ({
  from: after.number + 1,
  to: last,
  parentHash: after.hash,
  final,
});

/** The story read in windows that end at these heights and at its last block, each continuing where the former ended. */
export async function scanInWindows(
  { adapter, story }: ConformanceChain,
  ends: readonly number[],
): Promise<FoundTransfer[]> {
  const watch = watchOf(story, watchedOf(story));
  const found: FoundTransfer[] = [];
  let at = story.after;
  for (const to of [...new Set([...ends, story.last])].toSorted((one, other) => one - other)) {
    if (to <= at.number) continue;
    const scan = await scanCut(adapter, { from: at.number + 1, to, parentHash: at.hash, final: true }, watch);
    found.push(...scan.transfers);
    at = scan.through;
  }
  return found;
}

/** A scan that is cut in halves for as long as the adapter says that it is too large, as the watcher does. */
export async function scanCut(adapter: ChainAdapter, window: BlockWindow, watch: Watch): Promise<Scan> {
  try {
    return await adapter.scan(window, watch);
  } catch (error) {
    if (!(error instanceof ChainError) || error.fault !== 'too_large' || window.from === window.to) throw error;
  }
  const middle = Math.floor((window.from + window.to) / 2);
  const lower = await scanCut(adapter, { ...window, to: middle }, watch);
  const upper = await scanCut(adapter, { ...window, from: middle + 1, parentHash: lower.through.hash }, watch);
  return {
    ...upper,
    transfers: [...lower.transfers, ...upper.transfers],
    accountCursors: [...lower.accountCursors, ...upper.accountCursors],
  };
}

/** The accountCursors after a final scan: those that changed replace those that were known. */
export function cursorsAfter(before: readonly AccountCursor[], scan: Scan): AccountCursor[] {
  const byAccount = new Map([...before, ...scan.accountCursors].map((cursor) => [cursor.account, cursor]));
  return [...byAccount.values()];
}

/** What an adapter refused with. Throws when it did not refuse. */
export async function faultOf(work: Promise<unknown>): Promise<ChainFault> {
  const outcome = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof ChainError) return outcome.fault;
  throw outcome ?? new Error('it was answered, and not refused');
}
