// The endpoints of one network for sending. Each one proves its identity and tracks its own health, so their reports count as
// separate votes. Drafting tries one endpoint after the other; broadcasting and judging ask all of them at once.

import { ChainError, type ChainFault, type Head } from '@/lib/networks/chain';
import { openEndpoints, type Endpoints } from '@/lib/networks/endpoints/endpoints';
import type { EndpointClient } from '@/lib/networks/endpoints/health';
import type { EndpointAccess } from '@/lib/networks/endpoints/access';
import { SendRefused } from './send';

export type SendOptions = EndpointAccess & {
  /** How many endpoints must agree that a payment is final: at least one, at most all of them. */
  readonly needed: number;
};

export type SendEndpoints<C> = {
  readonly needed: number;
  /**
   * The draft of the first endpoint whose newest block is as recent as the others': a draft on an old block never lands. SendRefused fails
   * a payment permanently, so it is thrown only when `needed` endpoints refuse. Any other error that is not a ChainError is thrown at once.
   * If no endpoint drafts, the most severe ChainError is thrown.
   */
  draft<T>(work: (client: C) => Promise<T>): Promise<T>;
  /**
   * The results of all endpoints that answered, in their order. Throws the most severe ChainError when none did. With
   * `forCompleteness`, also throws when fewer than `needed` answered and one of them was throttled, because throttling passes by
   * itself.
   */
  all<T>(work: (client: C) => Promise<T>, options?: { readonly forCompleteness?: boolean }): Promise<T[]>;
};

/**
 * How long a measured delay is kept, and how far it may exceed the smallest delay before the endpoint moves to the end of the
 * order.
 */
const [DELAY_LASTS_MS, MAX_DELAY_MS] = [30_000, 40_000];
/** An endpoint this far behind another one does not draft. */
const OLD_MS = 300_000;
/** A block further in the future is forged, or the clock is wrong. */
const MAX_AHEAD_MS = 120_000;

const SEVERITY: readonly ChainFault[] = ['contradiction', 'wrong_chain', 'reorganised', 'unavailable', 'too_large'];

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
   * Age of the endpoint's newest block. Null when the endpoint does not report one, or reports a block that cannot exist yet. Ages are
   * never negative; otherwise an endpoint that is a minute ahead would be the only one to draft.
   */
  async function delayOf(at: number): Promise<number | null> {
    const [now, known] = [clock.now().getTime(), delays[at]];
    if (known && Math.abs(now - known.readAt) < DELAY_LASTS_MS) return known.ms;
    const shared = await clients[at]?.shared?.recent(DELAY_LASTS_MS);
    const tip = shared?.tip ?? (await single[at]?.head().catch(nothing))?.tip;
    const [readAt, age] = [shared?.readAt ?? now, tip && (shared?.readAt ?? now) - tip.time * 1000];
    const ms = age === undefined || age < -MAX_AHEAD_MS ? null : Math.max(0, age);
    delays[at] = { ms, readAt };
    return ms;
  }

  /**
   * Endpoints in the operator's order, except that lagging ones come last. Endpoints that are minutes behind are left out: a
   * payment drafted on an old balance fails.
   */
  async function newestFirst(): Promise<readonly Endpoints<C>[]> {
    if (single.length === 1) return single;
    const found = await Promise.all(single.map((_, at) => delayOf(at)));
    const least = Math.min(...found.filter((ms) => ms !== null));
    const behind = found.map((ms) => (ms === null ? MAX_DELAY_MS + 1 : ms - least));
    const isLate = (at: number): number => Number((behind[at] ?? 0) > MAX_DELAY_MS);
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
      throw mostSevere(errors.filter((error) => error instanceof ChainError));
    },
  };
}

/** Age of a newest block in milliseconds, and the time when it was read. */
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
  if (refusals === 0) throw mostSevere(faults);
  throw new ChainError('unavailable', `${refusals} endpoints refuse the payment, and ${needed} must`);
}

const mostSevere = (faults: readonly ChainError[]): ChainError =>
  faults.toSorted((one, other) => SEVERITY.indexOf(one.fault) - SEVERITY.indexOf(other.fault))[0] ??
  new ChainError('unavailable', 'no endpoint is configured');
