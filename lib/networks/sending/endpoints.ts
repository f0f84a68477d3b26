// The endpoints of one network for sending: each proves its identity and keeps its health by itself, so that what several of
// them say can be counted. Whoever drafts asks one after the other, whoever broadcasts or judges asks all at once.

import type { Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import { ChainError, type ChainFault, type Head } from '@/lib/networks/chain';
import { openEndpoints, type Endpoints } from '@/lib/networks/endpoints/endpoints';
import type { EndpointClient } from '@/lib/networks/endpoints/health';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { SendRefused } from './send';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';

export type SendOptions = {
  readonly spec: NetworkSpec;
  /** Endpoints in the operator's order of preference. */
  readonly urls: readonly string[];
  /** How many endpoints must agree that a payment is over, at most as many as there are; at least one. */
  readonly needed: number;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an endpoint may take for one answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** Of the endpoints, in the order of `urls`, shared with whatever else asks them. Absent: each client has its own. */
  readonly budgets?: readonly RequestBudget[] | undefined;
  /** Heads that are shared, in the same order. */
  readonly heads?: readonly SharedHead[] | undefined;
};

export type SendEndpoints<C> = {
  readonly needed: number;
  /**
   * The draft of the first endpoint whose newest block is as new as the others': what is drafted on an old block never lands. A
   * SendRefused ends a payment for good, so it is thrown only when `needed` endpoints refuse; any other error that is no
   * ChainError at once, the gravest ChainError at last.
   */
  draft<T>(work: (client: C) => Promise<T>): Promise<T>;
  /**
   * What every endpoint that answered said, in their order. Throws the gravest ChainError when none did. `forCompleteness`: also
   * throws when fewer than `needed` answered and one was asked too often, which passes by itself.
   */
  all<T>(work: (client: C) => Promise<T>, options?: { readonly forCompleteness?: boolean }): Promise<T[]>;
};

/** How long an endpoint's delay is remembered, and how much more of it than the least makes an endpoint the last to be asked. */
const [DELAY_LASTS_MS, MOST_DELAY_MS] = [30_000, 40_000];
/** An endpoint that is so much more behind than another drafts nothing. */
const OLD_MS = 300_000;
/** A block from further in the future is a lie or a wrong clock. */
const MOST_AHEAD_MS = 120_000;

const GRAVITY: readonly ChainFault[] = ['contradiction', 'wrong_chain', 'reorganised', 'unavailable', 'too_large'];

type Opening<C> = SendOptions & {
  readonly clients: readonly C[];
  readonly prove: (client: C) => Promise<void>;
  readonly readHead: (client: C) => Promise<Head>;
};

export function openSendEndpoints<C extends EndpointClient>(options: Opening<C>): SendEndpoints<C> {
  const { spec, clients, needed, prove, readHead, clock, log } = options;
  const named = log.child({ network: spec.network, environment: spec.environment, use: 'sending' });
  const single = clients.map((client): Endpoints<C> =>
    openEndpoints({ spec, clients: [client], prove, readHead, clock, log: named }),
  );
  const delays = clients.map((): Delay => ({ ms: null, readAt: Number.NEGATIVE_INFINITY }));

  /**
   * How old the endpoint's newest block is; null when it does not tell, or tells of a block that cannot exist yet. None is newer than
   * now, or an endpoint that is a minute ahead would make all others old and draft alone.
   */
  async function delayOf(at: number): Promise<number | null> {
    const [now, known] = [clock.now().getTime(), delays[at]];
    if (known && Math.abs(now - known.readAt) < DELAY_LASTS_MS) return known.ms;
    const shared = await clients[at]?.shared?.recent(DELAY_LASTS_MS);
    const tip = shared?.tip ?? (await single[at]?.head().catch(nothing))?.tip;
    const [readAt, age] = [shared?.readAt ?? now, tip && (shared?.readAt ?? now) - tip.time * 1000];
    const ms = age === undefined || age < -MOST_AHEAD_MS ? null : Math.max(0, age);
    delays[at] = { ms, readAt };
    return ms;
  }

  /**
   * In the operator's order, but endpoints that are behind others come after them, and those that are minutes behind are left out: on an
   * old balance a payment would be drafted that fails.
   */
  async function newestFirst(): Promise<readonly Endpoints<C>[]> {
    if (single.length === 1) return single;
    const found = await Promise.all(single.map((_, at) => delayOf(at)));
    const least = Math.min(...found.filter((ms) => ms !== null));
    const behind = found.map((ms) => (ms === null ? MOST_DELAY_MS + 1 : ms - least));
    const isLate = (at: number): number => Number((behind[at] ?? 0) > MOST_DELAY_MS);
    return single
      .map((endpoint, at) => ({ endpoint, at }))
      .filter(({ at }) => (behind[at] ?? 0) <= OLD_MS)
      .toSorted((one, other) => isLate(one.at) - isLate(other.at))
      .map(({ endpoint }) => endpoint);
  }

  const enough = Math.max(1, Math.min(needed, clients.length));
  return {
    needed: enough,
    draft: async (work) => draftBy(await newestFirst(), work, enough),
    async all(work, { forCompleteness = false } = {}) {
      const settled = await Promise.allSettled(single.map((endpoint) => endpoint.use(work)));
      const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const errors = settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
      const throttle = errors.find((error) => error instanceof ChainError && error.throttled);
      if (forCompleteness && throttle !== undefined && answers.length < enough) throw throttle;
      if (answers.length > 0) return answers;
      const other = errors.find((error) => !(error instanceof ChainError));
      if (other !== undefined) throw other;
      throw gravest(errors.filter((error) => error instanceof ChainError));
    },
  };
}

/** Milliseconds between a newest block and when it was read, and when that was. */
type Delay = { readonly ms: number | null; readonly readAt: number };

const nothing = (error: unknown): undefined => {
  if (!(error instanceof ChainError)) throw error;
};

async function draftBy<C extends EndpointClient, T>(
  endpoints: readonly Endpoints<C>[],
  work: (client: C) => Promise<T>,
  needed: number,
): Promise<T> {
  const faults: ChainError[] = [];
  let refusals = 0;
  for (const endpoint of endpoints) {
    const outcome = await endpoint.use(work).then(
      (drafted) => ({ drafted }),
      (error: unknown) => ({ error }),
    );
    if ('drafted' in outcome) {
      if (refusals === 0) return outcome.drafted;
      throw new ChainError(
        'contradiction',
        'endpoints disagree whether the payment can be made; it waits until they agree',
      );
    }
    const { error } = outcome;
    if (error instanceof SendRefused && ++refusals < needed) continue;
    if (!(error instanceof ChainError)) throw error;
    faults.push(error);
  }
  if (refusals === 0) throw gravest(faults);
  throw new ChainError('unavailable', `the payment is refused by ${refusals} endpoints, and ${needed} must say so`);
}

const gravest = (faults: readonly ChainError[]): ChainError =>
  faults.toSorted((one, other) => GRAVITY.indexOf(one.fault) - GRAVITY.indexOf(other.fault))[0] ??
  new ChainError('unavailable', 'no endpoint is configured');
