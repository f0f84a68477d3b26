// The payment finder explains the outcome of a transaction that a customer or merchant pasted. It looks the transaction up on every network
// with such hashes, in parallel, for at most five seconds, within a daily budget. A repeated request within seconds gets the cached result.

import { LRUCache } from 'lru-cache';
import type { FollowedChain } from '@/lib/networks/registry';
import { ChainError, type TransactionReport } from '@/lib/networks/chain';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import type { FinderBudget } from '@/prisma/generated/enums';
import { takeLookup } from './budget';
import { readFinderSession, readRecorded, type FinderSession } from './facts';
import { readHash, type ReadHash } from './hash';
import { chainVerdict, isFinalPayment, recordedVerdict, type Answer, type FindVerdict } from './verdict';

/** `from`: the client, for the rate limits; null where none applies. `budget`: the lookup budget that it uses. */
type FindRequest = {
  readonly sessionId: string;
  readonly text: string;
  readonly from: string | null;
  readonly budget: FinderBudget;
};

export type Found = {
  /** As the network writes it; null when the text contains none. */
  readonly transactionHash: string | null;
  readonly result: FindVerdict;
};

/** Throws ServiceError: SESSION_NOT_FOUND, RATE_LIMITED. */
export type FindPayment = (request: FindRequest) => Promise<Found>;

/** Enough for a person who pastes repeatedly; programs use webhooks. */
const PER_CALLER = { rate: 1, burst: 10 };
/** Lookups use endpoint requests. This is enough for a customer, and one client cannot use up the shared budget. */
const LOOKUPS_PER_CALLER = { rate: 1 / 300, burst: 30 };
/** All clients together, to reserve the operator's endpoint quota for the watcher. */
const IN_ALL = { rate: 20, burst: 60 };
const LOOKUP_MILLISECONDS = 5000;
/** Concurrent lookups of one network, abandoned ones included: more would only queue at its endpoints. */
const MAX_UNDER_WAY = 16;
/** A page that redraws causes no more than one lookup in this time. */
const CACHED_MILLISECONDS = 3000;
/** Most unknown transactions do not exist; a real one appears one block later at the earliest. */
const MISS_CACHED_MILLISECONDS = 15_000;
const MAX_CACHED = 500;

type CachedAnswer = { until: number; readonly answer: Promise<Answer> };

/** A finder with its own cache and limits; one per process. `chains` is called on the first lookup. */
export function openFinder(context: Context, chains: () => readonly FollowedChain[]): FindPayment {
  const cache = new LRUCache<string, CachedAnswer>({ max: MAX_CACHED });
  const underWay = new Map<string, number>();
  const ofCaller = openRateLimit(PER_CALLER);
  const ofSession = openRateLimit(PER_CALLER);
  const ofAll = openRateLimit(IN_ALL);
  const lookupsOf = openRateLimit(LOOKUPS_PER_CALLER);

  const lookUp: LookUp = (chain, hash, { from, budget }) => {
    const network = `${chain.environment} ${chain.network}`;
    const key = `${network} ${hash}`;
    const now = context.clock.now().getTime();
    const known = cache.get(key);
    if (known && now < known.until) return known.answer;
    const wait = from === null ? 0 : lookupsOf(`${from} ${network}`, now);
    if (wait > 0) throw new ServiceError('RATE_LIMITED', { retryAfter: wait });
    const busy = underWay.get(network) ?? 0;
    if (busy >= MAX_UNDER_WAY) return Promise.resolve({ spec: chain.spec, report: 'unanswered' });
    underWay.set(network, busy + 1);
    const ended = () => void underWay.set(network, (underWay.get(network) ?? 1) - 1);
    const report = lookUpWithinBudget(context, chain, { hash, budget }).finally(ended);
    const made: CachedAnswer = { until: now + CACHED_MILLISECONDS, answer: reportOf(context, chain, report) };
    cache.set(key, made);
    void made.answer.then(
      (answer) => answer.report === null && (made.until = now + MISS_CACHED_MILLISECONDS),
      () => {},
    );
    return made.answer;
  };

  return async ({ sessionId, text, from, budget }) => {
    const session = await readFinderSession(context.pool, sessionId);
    if (!session) throw new ServiceError('SESSION_NOT_FOUND', { param: 'session_id' });
    const read = readHash(text);
    if (read.hash === null)
      return { transactionHash: null, result: { verdict: 'unreadable', looksLike: read.looksLike } };
    if (from !== null) {
      const now = context.clock.now().getTime();
      const wait = ofCaller(from, now) || ofSession(session.id, now) || ofAll('all', now);
      if (wait > 0) throw new ServiceError('RATE_LIMITED', { retryAfter: wait });
    }
    return {
      transactionHash: read.hash,
      result: await find(context, session, read, {
        chains,
        lookUp: (chain, hash) => lookUp(chain, hash, { from, budget }),
      }),
    };
  };
}

type Requester = Pick<FindRequest, 'from' | 'budget'>;
/** Throws RATE_LIMITED. */
type LookUp = (chain: FollowedChain, hash: string, requester: Requester) => Promise<Answer>;

type Lookups = {
  readonly chains: () => readonly FollowedChain[];
  readonly lookUp: (chain: FollowedChain, hash: string) => Promise<Answer>;
};

async function find(
  context: Context,
  session: FinderSession,
  { hash, family }: ReadHash,
  { chains, lookUp }: Lookups,
): Promise<FindVerdict> {
  const before = await readRecorded(context.pool, session, hash);
  const recorded = recordedVerdict(session, before.transfers);
  if (recorded) return recorded;
  const fitting = chains().filter(
    ({ environment, spec }) => environment === session.environment && spec.family === family,
  );
  const answers = await Promise.all(fitting.map((chain) => lookUp(chain, hash)));
  if (answers.some((answer) => isFinalPayment(session, answer))) {
    // The watcher may have recorded it during the lookup.
    const now = await readRecorded(context.pool, session, hash);
    const since = recordedVerdict(session, now.transfers);
    if (since) return since;
    reportMissed(context, session, answers, { readThrough: now.readThrough, chains: fitting });
  }
  return chainVerdict(session, answers);
}

/** The report of the chain, or `unanswered` without a lookup when the budget is used up. */
async function lookUpWithinBudget(
  context: Context,
  chain: FollowedChain,
  { hash, budget }: { hash: string; budget: FinderBudget },
): Promise<TransactionReport | null | 'unanswered'> {
  return (await takeLookup(context, chain, budget)) ? chain.adapter.lookup(hash) : 'unanswered';
}

/** The response of one network; `unanswered` on a timeout or error. */
async function reportOf(
  { log }: Context,
  { spec, environment }: FollowedChain,
  lookup: Promise<TransactionReport | null | 'unanswered'>,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'unanswered'>((resolve) => {
    timer = setTimeout(resolve, LOOKUP_MILLISECONDS, 'unanswered');
  });
  try {
    return { spec, report: await Promise.race([lookup, timeout]) };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    log.warn(
      { network: spec.network, environment, fault: error.fault, err: error },
      'a transaction could not be looked up',
    );
    return { spec, report: 'unanswered' };
  } finally {
    clearTimeout(timer);
  }
}

/** All payments below the final cursor must be recorded. One that is not means missing money, so it is logged as an error. */
function reportMissed(
  { log }: Context,
  session: FinderSession,
  answers: readonly Answer[],
  { readThrough, chains }: { readThrough: Readonly<Record<string, number>>; chains: readonly FollowedChain[] },
): void {
  for (const answer of answers) {
    const { spec, report } = answer;
    if (report === null || report === 'unanswered' || !report.block || !isFinalPayment(session, answer)) continue;
    const through = readThrough[spec.network];
    // On a network read by account, addresses of closed sessions are read less often than the cursor moves.
    const isRead =
      chains.find((one) => one.spec === spec)?.adapter.readsBlocks === true || session.status === 'pending';
    if (!isRead || through === undefined || report.block.number > through) continue;
    log.error(
      {
        sessionId: session.id,
        environment: session.environment,
        network: spec.network,
        transactionHash: report.transactionHash,
        block: report.block.number,
        readThrough: through,
      },
      'a final payment is below the final cursor and is not recorded: the watcher has missed it',
    );
  }
}
