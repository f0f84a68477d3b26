// One endpoint's head, shared by all steps and processes of the installation, so that each of them need not read it again. The
// web process can write to the database, so a shared head proves nothing. It may show that a block is not final yet. What shows
// that a block is final, or where a scan ends, is always the reader's own answer from the endpoint.

import type { Environment } from '@/lib/platform/ids';
import type { Head } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';

/** Unix seconds. */
type Place = { readonly number: number; readonly time: number };

/** `readAt` in milliseconds. */
export type KnownHead = { readonly tip: Place; readonly final: Place; readonly readAt: number };

export type SharedHead = {
  /** How long a head is as good as a new one: the network's pace. */
  readonly lastsMs: number;
  /** The head that some process read at most so long ago, or null. */
  recent(mostAgeMs: number): Promise<KnownHead | null>;
  /** Shares a head that was just read. */
  keep(head: Head): Promise<void>;
};

/** Where the heads of all endpoints are shared. */
export type HeadStore = {
  of(endpoint: {
    readonly environment: Environment;
    readonly network: string;
    /** 1 for the operator's first endpoint. */
    readonly position: number;
    readonly url: string;
    readonly lastsMs: number;
  }): SharedHead;
};

/** A refund in progress is looked at so often. Where blocks are slower, a head lasts for one block. */
const LASTS_MS = 3000;

/** The heads of a network's endpoints. None on a local chain: it costs nothing to ask, and may start afresh behind its address. */
export function headsOf(
  store: HeadStore | undefined,
  {
    environment,
    spec: { network, chain, blockMs },
    urls,
  }: { readonly environment: Environment; readonly spec: NetworkSpec; readonly urls: readonly string[] },
): readonly SharedHead[] | undefined {
  if (!store || chain === 'local') return undefined;
  const lastsMs = Math.max(LASTS_MS, blockMs);
  return urls.map((url, index) => store.of({ environment, network, position: index + 1, url, lastsMs }));
}

/** The shared head where it shows that the block is not final yet, else a new reading. */
export async function headFor(
  { shared }: { readonly shared?: SharedHead | undefined },
  block: number,
  read: () => Promise<Head>,
): Promise<Pick<KnownHead, 'tip' | 'final'>> {
  const known = await shared?.recent(shared.lastsMs);
  return known && known.final.number < block ? known : read();
}
