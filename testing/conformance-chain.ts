// What the conformance suite needs of a chain: its adapter, and a story of payments on it, from a local chain or a
// recording. Also reads the story like the watcher: window after window, with the account cursors kept.

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

/** A payment that arrived. Amounts in base units, addresses as FoundTransfer writes them. */
export type Paid = {
  readonly hash: string;
  readonly currency: string;
  readonly payer: string;
  readonly recipient: string;
  readonly amount: bigint;
  /** As in FoundTransfer; omitted where a synthetic recording does not specify it. */
  readonly isPlain?: boolean;
};

/** A transaction that names a watched recipient and pays it nothing that counts. */
export type Unpaid = { readonly hash: string; readonly recipient: string };

export type Story = {
  /** The block before the story; nothing of it is older. */
  readonly after: BlockRef;
  /** Height of a final block by which the whole story has happened. */
  readonly last: number;
  /** To watched addresses. */
  readonly ours: readonly Paid[];
  /** To unwatched addresses. */
  readonly strangers: readonly Paid[];
  readonly failed: readonly Unpaid[];
  readonly fake: readonly Unpaid[];
  /** The token account cursors before the story; empty on networks that are read block by block. */
  readonly accountCursors: readonly AccountCursor[];
};

export type ConformanceChain = {
  readonly spec: NetworkSpec;
  readonly adapter: ChainAdapter;
  readonly story: Story;
  /** A well-formed transaction hash that does not exist. */
  readonly unknownHash: string;
  /** Only for a chain that tests can control; null for a recording. */
  readonly drive: Drive | null;
  close(): Promise<void>;
};

export type Drive = {
  mine(blocks: number): Promise<unknown>;
  /** Pays a watched address at the tip, then reverts the block. Null if the engine cannot do that. */
  payAndTakeBack(): Promise<{ hash: string; recipient: string; replaced: BlockRef } | null>;
  /** Genesis of a newly started chain of the same network. */
  anotherGenesis(): Promise<string>;
};

/** The addresses that a story's suite watches. */
export const watchedOf = ({ ours, failed, fake }: Story): string[] => [
  ...new Set([...ours, ...failed, ...fake].map(({ recipient }) => recipient)),
];

/** A watch over addresses with the cursors from the start of the story. It counts its calls. */
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

/**
 * Reads the story in windows that end at these heights and at its last block, each continuing from the previous one.
 */
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

/** A scan, halved as long as the adapter reports that it is too large, as the watcher does. */
async function scanCut(adapter: ChainAdapter, window: BlockWindow, watch: Watch): Promise<Scan> {
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

/** The accountCursors after a final scan: the changed ones replace the known ones. */
export function cursorsAfter(before: readonly AccountCursor[], scan: Scan): AccountCursor[] {
  const byAccount = new Map([...before, ...scan.accountCursors].map((cursor) => [cursor.account, cursor]));
  return [...byAccount.values()];
}

/** The error of an adapter. Throws if there was none. */
export async function faultOf(work: Promise<unknown>): Promise<ChainFault> {
  const outcome = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof ChainError) return outcome.fault;
  throw outcome ?? new Error('it was answered, and not refused');
}
