// One endpoint's head, shared by all steps and processes of the installation to save requests. The web process can write to the
// database, so a shared head is not trusted: it may only show that a block is not final yet. Whether a block is final, and where
// a scan ends, always comes from the reader's own request to the endpoint.

import type { Environment } from '@/lib/platform/ids';
import type { Head } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';

/** Unix seconds. */
type Place = { readonly number: number; readonly time: number };

/** `readAt` in milliseconds. */
export type KnownHead = { readonly tip: Place; readonly final: Place; readonly readAt: number };

export type SharedHead = {
  /** How long a head counts as fresh: the network's block interval. */
  readonly lastsMs: number;
  /** The head that some process read within the last `mostAgeMs`, or null. */
  recent(mostAgeMs: number): Promise<KnownHead | null>;
  /** Shares a newly read head. */
  keep(head: Head): Promise<void>;
};

/** Stores the shared heads of all endpoints. */
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

/** Poll interval of a refund in progress. On networks with slower blocks, a head is fresh for one block. */
const LASTS_MS = 3000;

/**
 * The shared heads of a network's endpoints. None on a local chain: requests cost nothing there, and the chain may restart behind
 * the same URL.
 */
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

/** The shared head if it shows that the block is not final yet, otherwise a new reading. */
export async function headFor(
  { shared }: { readonly shared?: SharedHead | undefined },
  block: number,
  read: () => Promise<Head>,
): Promise<Pick<KnownHead, 'tip' | 'final'>> {
  const known = await shared?.recent(shared.lastsMs);
  return known && known.final.number < block ? known : read();
}
