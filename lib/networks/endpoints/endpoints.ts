// Several endpoints of one network, kept in order of health. One piece of work is done by one endpoint from beginning to
// end, so that no answer is pieced together from two nodes. An endpoint is used only after it proved that it serves the
// configured chain, and proves it again every hour. Trouble changes the order and nothing else: as long as one endpoint
// is configured, one is asked. What will be credited is asked of several where the operator wants it (agreement.ts).

import { unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import { agreeOnBlock, type BlockPlace } from './agreed-block';
import type { Trust } from './agreement';
import { ChainError, type BlockWindow, type ChainFault, type Head, type Scan, type Watch } from '@/lib/networks/chain';
import {
  healthOf,
  inOrder,
  newRecord,
  noteFailure,
  noteHead,
  noteSharedHead,
  noteSuccess,
  type EndpointClient,
  type EndpointHealth,
  type EndpointRecord,
} from './health';
import { scanEndpoints, type Choice, type ScanWork } from './scan';
import type { NetworkSpec } from '@/lib/networks/networks';

/** How the endpoints fare, for those who record and show it. */
export type EndpointControl = {
  /** One entry per endpoint, in the configured order. */
  health(): readonly EndpointHealth[];
  /**
   * Asks every endpoint for its head that was not asked for a while, or whose back-off after a failure is over. Never throws for
   * what an endpoint did.
   */
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
  scan(window: BlockWindow, watch: Watch, work: ScanWork<C>): Promise<Scan>;
  /** The block at a height as ChainAdapter.agreed says. */
  agreed(number: number): Promise<BlockPlace | null>;
  readonly control: EndpointControl;
};

export type EndpointOptions<C> = {
  readonly spec: NetworkSpec;
  readonly clients: readonly C[];
  /** Throws `wrong_chain` with a clear sentence when the endpoint does not serve what is configured. */
  readonly prove: (client: C) => Promise<void>;
  readonly readHead: (client: C) => Promise<Head>;
  /** A canonical block by its number, or null when the endpoint does not have it. Absent where no blocks are compared. */
  readonly readBlock?: (client: C, number: number) => Promise<BlockPlace | null>;
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

/** Opens the list, in the operator's order of preference. */
export function openEndpoints<C extends EndpointClient>(options: EndpointOptions<C>): Endpoints<C> {
  const { clock, log, spec, trust } = options;
  type Endpoint = EndpointRecord<C>;
  const now = () => clock.now().getTime();
  const endpoints = options.clients.map((client, index) => newRecord(client, index + 1, now()));
  const isFresh = ({ tip }: Head) => unixSeconds(clock.now()) - tip.time < STALE_SECONDS;
  const freshest: Choice<Head> = {
    accept: (head) => isFresh(head) && isFinalityNear(spec, head),
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

  /** Whether another process read the head of a well endpoint. Each process proves by itself what an endpoint serves. */
  const isCheckedElsewhere = async (endpoint: Endpoint, every: number): Promise<boolean> => {
    const isProven = now() - endpoint.provenAt < PROOF_LASTS_MS;
    if (!isProven || endpoint.trouble || endpoint.refusal) return false;
    const known = await endpoint.client.shared?.recent(every);
    if (known) noteSharedHead(endpoint, known);
    return known !== undefined && known !== null;
  };

  const hashAt = async (endpoint: Endpoint, number: number) => {
    if (endpoint.final?.number === number) return endpoint.final.hash;
    return (await ask(endpoint, async (client) => options.readBlock?.(client, number)))?.hash ?? null;
  };
  const finalOf = async (endpoint: Endpoint) => {
    const head = await readHead(endpoint);
    return isFresh(head) ? head.final : null;
  };

  return {
    use: async (work, choice) => (await first(ordered(), (endpoint) => ask(endpoint, work), choice)).result,
    head: async () => (await first(ordered(), readHead, freshest)).result,
    scan: (window, watch, work) =>
      scanEndpoints({ spec, trust, needed, ordered, ask, first, now, log }, window, watch, work),
    agreed: async (number) => {
      // An endpoint that hangs would otherwise hold up every scan; `check` finds out when it is well again.
      const voters = ordered().filter(({ trouble }) => trouble === null);
      return needed > 1 && voters.length >= needed ? agreeOnBlock({ voters, needed, hashAt, finalOf }, number) : null;
    },
    control: {
      health: () => endpoints.map((endpoint) => healthOf(endpoint, endpoints, now())),
      check: async () => {
        const every = spec.chain === 'local' ? CHECK_LOCAL_EVERY_MS : CHECK_EVERY_MS;
        const isDue = ({ askedAt, trouble, demotedUntil }: Endpoint) =>
          askedAt === null || now() - askedAt >= every || (trouble !== null && demotedUntil <= now());
        const due = endpoints.filter(isDue);
        await Promise.all(
          due.map(async (endpoint) => {
            if (!(await isCheckedElsewhere(endpoint, every))) await readHead(endpoint).catch(passOver);
          }),
        );
      },
    },
  };
}

const isFinalityNear = ({ confirmations }: NetworkSpec, { tip, final }: Head): boolean =>
  tip.number - final.number <= LATE_FINALITY * confirmations;

/** What an endpoint did is remembered where it was asked; anything else is a fault of ours. */
function passOver(error: unknown): void {
  if (!(error instanceof ChainError)) throw error;
}

const graver = (one: ChainError | null, other: ChainError): ChainError =>
  one && GRAVITY.indexOf(one.fault) <= GRAVITY.indexOf(other.fault) ? one : other;
