// Several endpoints of one network, kept in order of health. One piece of work is done by one endpoint from beginning to
// end, so that no answer is pieced together from two nodes. An endpoint is used only after it proved that it serves the
// configured chain, and proves it again every hour. Trouble changes the order and nothing else: as long as one endpoint
// is configured, one is asked.

import type { Clock } from '@/lib/clock';
import type { Log } from '@/lib/log';
import { ChainError, type ChainFault } from './chain';

export type EndpointClient = { readonly name: string };

/** Which result is good enough to look no further, and which of two that are not is the better one. */
export type Choice<T> = { accept(result: T): boolean; better(one: T, other: T): boolean };

export type Endpoints<C extends EndpointClient> = {
  /**
   * Does `work` on the healthiest endpoint that manages it; `work` may run once per endpoint. `too_large` is passed on at
   * once. Throws the gravest ChainError when no endpoint managed it.
   */
  use<T>(work: (client: C) => Promise<T>, choice?: Choice<T>): Promise<T>;
};

export type EndpointOptions<C> = {
  readonly clients: readonly C[];
  /** Throws `wrong_chain` with a clear sentence when the endpoint does not serve what is configured. */
  readonly prove: (client: C) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
};

type State<C> = {
  readonly client: C;
  failures: number;
  /** Until then the endpoint is asked after the others. */
  demotedUntil: number;
  /** Until then it is not asked at all, because it said so. */
  silentUntil: number;
  provenAt: number;
  refusal: { readonly error: ChainError; readonly until: number } | null;
};

const PROOF_LASTS_MS = 3_600_000;
/** A refused endpoint gets another chance to prove itself after this; until it does, it is not used. */
const REFUSAL_LASTS_MS = 60_000;
const BACKOFF_MS = 1000;
/** Also the longest that a Retry-After is obeyed, so that no provider can silence itself for a day by one header. */
const LONGEST_BACKOFF_MS = 60_000;
/** The gravest first: what the caller learns when the endpoints failed in different ways. */
const GRAVITY: readonly ChainFault[] = ['reorganised', 'contradiction', 'wrong_chain', 'unavailable', 'too_large'];

/** Opens the list, in the operator's order of preference. */
export function openEndpoints<C extends EndpointClient>(options: EndpointOptions<C>): Endpoints<C> {
  const { clock, log } = options;
  const states: State<C>[] = options.clients.map((client) => ({
    client,
    failures: 0,
    demotedUntil: 0,
    silentUntil: 0,
    provenAt: Number.NEGATIVE_INFINITY,
    refusal: null,
  }));
  const now = () => clock.now().getTime();

  async function prove(state: State<C>): Promise<void> {
    if (state.refusal && state.refusal.until > now()) throw state.refusal.error;
    if (now() - state.provenAt < PROOF_LASTS_MS) return;
    try {
      await options.prove(state.client);
    } catch (error) {
      if (error instanceof ChainError && error.fault === 'wrong_chain') {
        state.refusal = { error, until: now() + REFUSAL_LASTS_MS };
        state.provenAt = Number.NEGATIVE_INFINITY;
      }
      throw error;
    }
    state.refusal = null;
    state.provenAt = now();
  }

  function failed(state: State<C>, error: ChainError): void {
    if (state.failures === 0) log.warn({ endpoint: state.client.name, fault: error.fault }, error.message);
    state.failures += 1;
    state.demotedUntil = now() + Math.min(BACKOFF_MS * 2 ** Math.min(state.failures - 1, 10), LONGEST_BACKOFF_MS);
    const asked = (error.retryAfterSeconds ?? 0) * 1000;
    state.silentUntil = now() + Math.min(asked, LONGEST_BACKOFF_MS);
  }

  function recovered(state: State<C>): void {
    if (state.failures > 0) log.info({ endpoint: state.client.name, failures: state.failures }, 'endpoint recovered');
    state.failures = 0;
    state.demotedUntil = 0;
    state.silentUntil = 0;
  }

  return {
    async use<T>(work: (client: C) => Promise<T>, choice?: Choice<T>): Promise<T> {
      const held: { result: T; state: State<C> }[] = [];
      let gravest: ChainError | null = null;
      for (const state of inOrder(states, now())) {
        try {
          if (state.silentUntil > now()) {
            throw new ChainError('unavailable', `${state.client.name} asked for a pause`, { demotes: false });
          }
          await prove(state);
          const result = await work(state.client);
          if (!choice || choice.accept(result)) {
            recovered(state);
            for (const lesser of held)
              failed(lesser.state, new ChainError('unavailable', `${lesser.state.client.name} lags`));
            return result;
          }
          held.push({ result, state });
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          if (error.demotes) failed(state, error);
          if (error.fault === 'too_large') throw error;
          gravest = graver(gravest, error);
        }
      }
      const [first, ...rest] = held;
      if (first && choice) {
        return rest.reduce((best, { result }) => (choice.better(result, best) ? result : best), first.result);
      }
      throw gravest ?? new ChainError('unavailable', 'no endpoint is configured');
    },
  };
}

/** Healthy endpoints in the configured order, then those in back-off, the soonest over first. */
function inOrder<C>(states: readonly State<C>[], now: number): State<C>[] {
  const penalty = (state: State<C>) => (state.demotedUntil > now ? state.demotedUntil : 0);
  return states.toSorted((one, other) => penalty(one) - penalty(other));
}

const graver = (one: ChainError | null, other: ChainError): ChainError =>
  one && GRAVITY.indexOf(one.fault) <= GRAVITY.indexOf(other.fault) ? one : other;
