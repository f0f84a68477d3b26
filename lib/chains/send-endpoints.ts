// The endpoints of one network for sending: each proves its identity and keeps its health by itself, so that what several of
// them say can be counted. Whoever drafts asks one after the other, whoever broadcasts or judges asks all at once.

import type { Clock } from '@/lib/clock';
import type { Log } from '@/lib/log';
import { ChainError, type ChainFault, type Head } from './chain';
import { openEndpoints, type Endpoints } from './endpoints';
import type { EndpointClient } from './endpoints-health';
import type { NetworkSpec } from './networks';
import type { RequestBudget } from './request-budget';
import { SendRefused } from './send';
import type { SharedHead } from './shared-head';

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
   * The first endpoint's draft. A SendRefused ends a payment for good, so it is thrown only when `needed` endpoints refuse;
   * any other error that is no ChainError at once, the gravest ChainError at last.
   */
  draft<T>(work: (client: C) => Promise<T>): Promise<T>;
  /**
   * What every endpoint that answered said, in their order. Throws the gravest ChainError when none did. `forCompleteness`: also
   * throws when fewer than `needed` answered and one was asked too often, which passes by itself.
   */
  all<T>(work: (client: C) => Promise<T>, options?: { readonly forCompleteness?: boolean }): Promise<T[]>;
};

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
  const enough = Math.max(1, Math.min(needed, clients.length));
  return {
    needed: enough,
    draft: (work) => draftBy(single, work, enough),
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
