// From the facts of a chain's row and its endpoints to what the public is told: how the network is doing, and in which words.
// Internal sentences stay inside. Pure.

import { WAITING } from '@/lib/networks/endpoints/agreement';
import type { EndpointState } from '@/lib/networks/endpoints/health';
import { IDLE_SCAN_MS } from '@/lib/networks/endpoints/request-limits';

export type NetworkState = 'ok' | 'delayed' | 'down' | 'starting';

/** What is the matter, as a word that pages have a sentence for. */
export type PublicTrouble =
  'unreachable' | 'disagreement' | 'awaiting_agreement' | 'wrong_chain' | 'catching_up' | 'not_scanning';

export type EndpointCounts = Readonly<Record<EndpointState, number>>;

/** One network as the database knows it; null where it was never scanned. Times are Unix seconds. */
export type ChainFacts = {
  readonly tip: number;
  readonly final: number;
  readonly final_time: number;
  readonly final_lag: number;
  readonly scanned_at: number;
  readonly trouble: string | null;
  /** Nobody pays there, so it is scanned rarely (watcher/scan-pace). */
  readonly idle: boolean;
};

/** Shorter than this, passes that failed are nothing to speak of: the next one is half a second away. */
const DELAYED_SECONDS = 30;
const DOWN_SECONDS = 900;
/** Finality itself takes up to a quarter of an hour (Ethereum); what is older and has blocks waiting is being caught up with. */
const CATCHING_UP_SECONDS = 1800;
const CATCHING_UP_BLOCKS = 50;

export type Judgement = { readonly state: NetworkState; readonly trouble: PublicTrouble | null };

/** How the network is doing at `now`. `height`: the newest block that any endpoint told of. */
export function judgeNetwork(chain: ChainFacts | null, height: number | null, now: number): Judgement {
  if (!chain) return { state: 'starting', trouble: null };
  const lag = now - chain.scanned_at;
  const pause = chain.idle && chain.trouble === null ? IDLE_SCAN_MS / 1000 : 0;
  if (lag >= DELAYED_SECONDS + pause) {
    return { state: lag >= DOWN_SECONDS ? 'down' : 'delayed', trouble: publicTrouble(chain.trouble) };
  }
  const waiting = (height ?? 0) - chain.final_lag - chain.final;
  if (waiting > CATCHING_UP_BLOCKS && now - chain.final_time > CATCHING_UP_SECONDS) {
    return { state: 'delayed', trouble: 'catching_up' };
  }
  return { state: 'ok', trouble: null };
}

/** The word for what the chain's row says, which begins with the fault (watcher/step.ts). */
function publicTrouble(trouble: string | null): PublicTrouble {
  if (trouble === null) return 'not_scanning';
  if (trouble.startsWith(`unavailable: ${WAITING}`)) return 'awaiting_agreement';
  if (/^(contradiction|reorganised)\b/.test(trouble)) return 'disagreement';
  if (/^wrong_chain\b|does not serve/.test(trouble)) return 'wrong_chain';
  return 'unreachable';
}

/** The worst of them in short: whether all is well, some is not, or nothing works. */
export function overallState(states: readonly NetworkState[]): 'ok' | 'degraded' | 'down' {
  if (states.every((state) => state === 'ok')) return 'ok';
  return states.every((state) => state === 'down') ? 'down' : 'degraded';
}
