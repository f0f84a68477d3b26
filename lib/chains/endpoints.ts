// Several endpoints of one network, kept in order of health. One piece of work is done by one endpoint from beginning to
// end, so that no answer is pieced together from two nodes. An endpoint is used only after it proved that it serves the
// configured chain, and proves it again every hour. Trouble changes the order and nothing else: as long as one endpoint
// is configured, one is asked. What will be credited is asked of several where the operator wants it (agreement.ts).

import { unixSeconds, type Clock } from '@/lib/clock';
import type { Log } from '@/lib/log';
import { isLarge, reachAgreement, sameForAll, type Trust } from './agreement';
import { blocksAtOnce, ChainError } from './chain';
import type { BlockWindow, ChainFault, Credited, Head, Scan, Watch } from './chain';
import {
  healthOf,
  inOrder,
  isDoubted,
  newRecord,
  noteDoubt,
  noteFailure,
  noteHead,
  noteSuccess,
  type EndpointClient,
  type EndpointHealth,
  type EndpointRecord,
} from './endpoints-health';
import type { NetworkSpec } from './networks';

/** Which result is good enough to look no further, and which of two that are not is the better one. */
export type Choice<T> = { accept(result: T): boolean; better(one: T, other: T): boolean };

/** How the endpoints fare, for those who record and show it. */
export type EndpointControl = {
  /** One entry per endpoint, in the configured order. */
  health(): readonly EndpointHealth[];
  /** Looks after every endpoint that was not asked for a while. Never throws for what an endpoint did. */
  check(): Promise<void>;
};

export type Endpoints<C extends EndpointClient> = {
  /**
   * Does `work` on the healthiest endpoint that manages it; `work` may run once per endpoint. `too_large` is passed on at
   * once. Throws the gravest ChainError when no endpoint managed it.
   */
  use<T>(work: (client: C) => Promise<T>, choice?: Choice<T>): Promise<T>;
  /** The head as the first endpoint tells it whose newest block is fresh and finality near; without one, the highest. */
  head(): Promise<Head>;
  /**
   * Scans a window as ChainAdapter.scan says. What will be credited is returned only once enough endpoints tell the same,
   * where the operator's settings ask for that. `work` must ask the watch that it is given.
   */
  scan(window: BlockWindow, watch: Watch, work: (client: C, watch: Watch) => Promise<Scan>): Promise<Scan>;
  readonly control: EndpointControl;
};

export type EndpointOptions<C> = {
  readonly spec: NetworkSpec;
  readonly clients: readonly C[];
  /** Throws `wrong_chain` with a clear sentence when the endpoint does not serve what is configured. */
  readonly prove: (client: C) => Promise<void>;
  readonly readHead: (client: C) => Promise<Head>;
  /** Absent: one endpoint's word is enough for any amount. */
  readonly trust?: Trust | undefined;
  readonly clock: Clock;
  /** Of the network; each line names its endpoint. */
  readonly log: Log;
};

const PROOF_LASTS_MS = 3_600_000;
/** A refused endpoint gets another chance to prove itself after this; until it does, it is not used. */
const REFUSAL_LASTS_MS = 60_000;
/** An endpoint that was not asked for so long is asked for its head, so that its health is known before it is needed. */
const CHECK_EVERY_MS = 120_000;
/** The same where requests cost nothing. */
const CHECK_LOCAL_EVERY_MS = 15_000;
/** A node whose newest block is older than this is believed only when no other has a newer one. */
const STALE_SECONDS = 120;
/** Likewise one whose finality is so many times further behind its newest block than is usual: others may know better. */
const LATE_FINALITY = 3;
/** The gravest first: what the caller learns when the endpoints failed in different ways. */
const GRAVITY: readonly ChainFault[] = ['reorganised', 'contradiction', 'wrong_chain', 'unavailable', 'too_large'];

const NOTHING_CREDITED: Credited = { byRecipient: new Map(), withinHour: 0n };

/** Another endpoint may tell what this one left out. */
const WHOLE_FIRST: Choice<Scan> = {
  accept: ({ unfinished }) => !unfinished?.fault,
  better: (one, other) => one.marks.length > other.marks.length,
};

/** Opens the list, in the operator's order of preference. */
export function openEndpoints<C extends EndpointClient>(options: EndpointOptions<C>): Endpoints<C> {
  const { clock, log, spec, trust } = options;
  type Endpoint = EndpointRecord<C>;
  const now = () => clock.now().getTime();
  const endpoints = options.clients.map((client, index) => newRecord(client, index + 1, now()));
  const freshest: Choice<Head> = {
    accept: ({ tip, final }) =>
      unixSeconds(clock.now()) - tip.time < STALE_SECONDS &&
      tip.number - final.number <= LATE_FINALITY * spec.confirmations,
    better: (one, other) =>
      one.tip.number > other.tip.number ||
      (one.tip.number === other.tip.number && one.final.number > other.final.number),
  };
  const needed = Math.min(trust?.endpoints ?? 1, endpoints.length);

  async function prove(endpoint: Endpoint): Promise<void> {
    if (endpoint.refusal && endpoint.refusal.until > now()) throw endpoint.refusal.error;
    if (now() - endpoint.provenAt < PROOF_LASTS_MS) return;
    try {
      await options.prove(endpoint.client);
    } catch (error) {
      if (error instanceof ChainError && error.fault === 'wrong_chain') {
        endpoint.refusal = { error, until: now() + REFUSAL_LASTS_MS };
        endpoint.provenAt = Number.NEGATIVE_INFINITY;
      }
      throw error;
    }
    if (endpoint.provenAt === Number.NEGATIVE_INFINITY) {
      log.info({ endpoint: endpoint.name }, `${endpoint.name} serves the configured chain and its tokens`);
    }
    endpoint.refusal = null;
    endpoint.provenAt = now();
  }

  /** Does work on one endpoint and remembers how it went. */
  async function ask<T>(endpoint: Endpoint, work: (client: C) => Promise<T>): Promise<T> {
    if (endpoint.silentUntil > now()) {
      throw new ChainError('unavailable', `${endpoint.name} asked for a pause`, { demotes: false });
    }
    endpoint.askedAt = now();
    try {
      await prove(endpoint);
      const result = await work(endpoint.client);
      if (endpoint.failures > 0)
        log.info({ endpoint: endpoint.name, failures: endpoint.failures }, 'endpoint recovered');
      noteSuccess(endpoint);
      return result;
    } catch (error) {
      if (error instanceof ChainError && error.demotes) {
        if (endpoint.failures === 0) log.warn({ endpoint: endpoint.name, fault: error.fault }, error.message);
        noteFailure(endpoint, error, now());
      }
      throw error;
    }
  }

  /** The first answer that is good enough, and who gave it. */
  async function first<T>(order: readonly Endpoint[], work: (one: Endpoint) => Promise<T>, choice?: Choice<T>) {
    let held: { result: T; endpoint: Endpoint } | null = null;
    let gravest: ChainError | null = null;
    for (const endpoint of order) {
      try {
        const result = await work(endpoint);
        if (!choice || choice.accept(result)) return { result, endpoint };
        if (!held || choice.better(result, held.result)) held = { result, endpoint };
      } catch (error) {
        if (!(error instanceof ChainError) || error.fault === 'too_large') throw error;
        gravest = graver(gravest, error);
      }
    }
    if (held) return held;
    throw gravest ?? new ChainError('unavailable', 'no endpoint is configured');
  }

  const ordered = () => inOrder(endpoints, now());
  const readHead = async (endpoint: Endpoint): Promise<Head> => {
    const head = await ask(endpoint, options.readHead);
    noteHead(endpoint, head, now());
    return head;
  };

  async function scan(
    window: BlockWindow,
    watch: Watch,
    work: (client: C, watch: Watch) => Promise<Scan>,
  ): Promise<Scan> {
    const shared = sameForAll(watch);
    const divisible = blocksAtOnce(window) > 1;
    const whole = (client: C) => (divisible ? work(client, shared) : work(client, shared).catch(refuseBlock));
    const read = async (endpoint: Endpoint): Promise<Scan> => {
      const found = await ask(endpoint, whole);
      if (found.unfinished?.throttle) noteFailure(endpoint, found.unfinished.throttle, now());
      return found;
    };
    const order = window.second ? another(ordered()) : ordered();
    const { result, endpoint: lead } = await first(order, read, WHOLE_FIRST);
    // What an endpoint says that was contradicted counts, even when it says "nothing", only together with others.
    if (!trust || !window.final || needed <= 1) return result;
    if (!isDoubted(lead, now()) && !(await exceeds(trust, result, watch))) return result;
    const verdict = await reachAgreement({
      lead: { voter: lead, scan: result },
      others: order.filter((one) => one !== lead),
      needed,
      divisible,
      ask: read,
      onDispute: (voters, message) => {
        for (const voter of voters) noteDoubt(voter, message, now());
      },
    });
    for (const one of verdict.agreeing) one.doubt = null;
    for (const one of verdict.outvoted) {
      const message = `${one.name} told other transfers up to block ${result.through.number} than ${verdict.agreeing.map(({ name }) => name).join(' and ')}`;
      log.warn({ endpoint: one.name }, message);
      noteDoubt(one, message, now());
    }
    return verdict.scan;
  }

  async function exceeds(limits: Trust, result: Scan, watch: Watch): Promise<boolean> {
    if (result.transfers.length === 0) return false;
    const credited = (await watch.credited?.(result.transfers)) ?? NOTHING_CREDITED;
    return isLarge(spec, result, limits, credited);
  }

  return {
    use: async (work, choice) => (await first(ordered(), (endpoint) => ask(endpoint, work), choice)).result,
    head: async () => (await first(ordered(), readHead, freshest)).result,
    scan,
    control: {
      health: () => endpoints.map((endpoint) => healthOf(endpoint, endpoints, now())),
      check: async () => {
        const every = spec.chain === 'local' ? CHECK_LOCAL_EVERY_MS : CHECK_EVERY_MS;
        const due = endpoints.filter(({ askedAt }) => askedAt === null || now() - askedAt >= every);
        await Promise.all(due.map((endpoint) => readHead(endpoint).catch(passOver)));
      },
    },
  };
}

/** The next in health comes first, the usual first one last. */
const another = <T>([usual, ...others]: readonly T[]): T[] => (usual === undefined ? [] : [...others, usual]);

/** Who finds a single block too large cannot be helped by asking for less; another endpoint may take it. */
function refuseBlock(error: unknown): never {
  if (error instanceof ChainError && error.fault === 'too_large') throw new ChainError('unavailable', error.message);
  throw error;
}

/** What an endpoint did is remembered where it was asked; anything else is a fault of ours. */
function passOver(error: unknown): void {
  if (!(error instanceof ChainError)) throw error;
}

const graver = (one: ChainError | null, other: ChainError): ChainError =>
  one && GRAVITY.indexOf(one.fault) <= GRAVITY.indexOf(other.fault) ? one : other;
