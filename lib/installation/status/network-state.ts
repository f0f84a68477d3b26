// Derives a network's public state and wording from a chain's row and its endpoints. Internal error texts are not published.
// Pure.

import { WAITING } from '@/lib/networks/endpoints/agreement';
import type { EndpointState } from '@/lib/networks/endpoints/health';
import { IDLE_SCAN_MS } from '@/lib/networks/endpoints/request-limits';

export type NetworkState = 'ok' | 'delayed' | 'down' | 'starting';

/** The trouble as a code for which pages have a sentence. */
export type PublicTrouble =
  'unreachable' | 'disagreement' | 'awaiting_agreement' | 'wrong_chain' | 'catching_up' | 'not_scanning';

export type EndpointCounts = Readonly<Record<EndpointState, number>>;

/** One network as stored; null if it was never scanned. Times are Unix seconds. */
export type ChainFacts = {
  readonly tip: number;
  readonly final: number;
  readonly final_time: number;
  readonly final_lag: number;
  readonly scanned_at: number;
  readonly trouble: string | null;
  /** The network has no open payments, so it is scanned rarely (watcher/poll-interval). */
  readonly idle: boolean;
};

/** Failures shorter than this are not reported: the next run starts half a second later. */
const DELAYED_SECONDS = 30;
const DOWN_SECONDS = 900;
/** Finality itself takes up to a quarter of an hour (Ethereum). An older position with waiting blocks means catching up. */
const CATCHING_UP_SECONDS = 1800;
const CATCHING_UP_BLOCKS = 50;

export type Judgement = { readonly state: NetworkState; readonly trouble: PublicTrouble | null };

/** The network's state at `now`. `height`: the newest block that any endpoint reported. */
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

/** The code for the chain row's text, which begins with the fault (watcher/step.ts). */
function publicTrouble(trouble: string | null): PublicTrouble {
  if (trouble === null) return 'not_scanning';
  if (trouble.startsWith(`unavailable: ${WAITING}`)) return 'awaiting_agreement';
  if (/^(contradiction|reorganised)\b/.test(trouble)) return 'disagreement';
  if (/^wrong_chain\b|does not serve/.test(trouble)) return 'wrong_chain';
  return 'unreachable';
}

/** A summary of all states: everything works, some does not, or nothing does. */
export function overallState(states: readonly NetworkState[]): 'ok' | 'degraded' | 'down' {
  if (states.every((state) => state === 'ok')) return 'ok';
  return states.every((state) => state === 'down') ? 'down' : 'degraded';
}
