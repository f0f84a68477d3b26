// The endpoints of one network for sending: each proves its identity and keeps its health by itself, so that what several of
// them say can be counted. Whoever drafts asks one after the other, whoever broadcasts or judges asks all at once.

import type { Clock } from '@/lib/clock';
import type { Log } from '@/lib/log';
import { ChainError, type ChainFault, type Head } from './chain';
import { openEndpoints, type Endpoints } from './endpoints';
import type { EndpointClient } from './endpoints-health';
import type { NetworkSpec } from './networks';

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
};

export type SendEndpoints<C> = {
  readonly needed: number;
  /** The first endpoint's result that is no ChainError. Throws any other error at once, the gravest ChainError at last. */
  first<T>(work: (client: C) => Promise<T>): Promise<T>;
  /** What every endpoint that answered said, in their order. Throws the gravest ChainError when none did. */
  all<T>(work: (client: C) => Promise<T>): Promise<T[]>;
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
  return {
    needed: Math.max(1, Math.min(needed, clients.length)),
    async first(work) {
      const faults: ChainError[] = [];
      for (const endpoint of single) {
        try {
          return await endpoint.use(work);
        } catch (error) {
          if (!(error instanceof ChainError)) throw error;
          faults.push(error);
        }
      }
      throw gravest(faults);
    },
    async all(work) {
      const settled = await Promise.allSettled(single.map((endpoint) => endpoint.use(work)));
      const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (answers.length > 0) return answers;
      const errors = settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
      const other = errors.find((error) => !(error instanceof ChainError));
      if (other !== undefined) throw other;
      throw gravest(errors.filter((error) => error instanceof ChainError));
    },
  };
}

const gravest = (faults: readonly ChainError[]): ChainError =>
  faults.toSorted((one, other) => GRAVITY.indexOf(one.fault) - GRAVITY.indexOf(other.fault))[0] ??
  new ChainError('unavailable', 'no endpoint is configured');
