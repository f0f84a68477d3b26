// Several endpoints of one network, ordered by health. One endpoint does a unit of work from start to end, so that no result mixes two
// nodes. An endpoint is used only after it proved that it serves the configured chain; it repeats the proof every hour. Faults change only
// the order: at least one endpoint is always tried. Reads that lead to a credit use several endpoints if the operator requires it
// (agreement.ts).

import { unixSeconds, type Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import { instruments } from '@/lib/platform/metrics/instruments';
import { agreeOnBlock, type BlockPlace } from './agreed-block';
import type { Trust } from './agreement';
import { ChainError, type BlockWindow, type ChainFault, type Head, type Scan, type Watch } from '@/lib/networks/chain';
import {
  healthOf,
  inOrder,
  newRecord,
  recordFailure,
  recordHead,
  recordSharedHead,
  recordSuccess,
  type EndpointClient,
  type EndpointHealth,
  type EndpointRecord,
} from './health';
import { scanEndpoints, type Choice, type ScanWork } from './scan';
import type { NetworkSpec } from '@/lib/networks/networks';

/** The health of the endpoints, for the code that records and shows it. */
export type EndpointControl = {
  /** One entry per endpoint, in the configured order. */
  health(): readonly EndpointHealth[];
  /**
   * Reads the head of every endpoint that had no request for a while, or whose backoff has ended. Endpoint faults never make it
   * throw.
   */
  check(): Promise<void>;
};

export type Endpoints<C extends EndpointClient> = {
  /**
   * Runs `work` on the healthiest endpoint that succeeds; `work` may run once per endpoint. Throws `too_large` at once, and the
   * most severe ChainError if no endpoint succeeded.
   */
  use<T>(work: (client: C) => Promise<T>, choice?: Choice<T>): Promise<T>;
  /** The head of the first endpoint with a fresh newest block and timely finality; otherwise the highest head. */
  head(): Promise<Head>;
  /**
   * Scans a window as ChainAdapter.scan specifies. If the settings require agreement, transfers to be credited are returned only
   * once enough endpoints report the same. `work` must use the watch that it receives.
   */
  scan(window: BlockWindow, watch: Watch, work: ScanWork<C>): Promise<Scan>;
  /** The block at a height, as ChainAdapter.agreed specifies. */
  agreed(number: number): Promise<BlockPlace | null>;
  readonly control: EndpointControl;
};

export type EndpointOptions<C> = {
  readonly spec: NetworkSpec;
  readonly clients: readonly C[];
  /** Throws `wrong_chain` with a clear sentence if the endpoint serves another chain than configured. */
  readonly prove: (client: C) => Promise<void>;
  readonly readHead: (client: C) => Promise<Head>;
  /** A canonical block by its number, or null if the endpoint does not have it. Absent if blocks are not compared. */
  readonly readBlock?: (client: C, number: number) => Promise<BlockPlace | null>;
  /** Absent: one endpoint's report is enough for any amount. */
  readonly trust?: Trust | undefined;
  readonly clock: Clock;
  /** The network's log; each line names its endpoint. */
  readonly log: Log;
};

const PROOF_LASTS_MS = 3_600_000;
/** An endpoint that failed its identity proof may retry it after this time; until it succeeds, it is not used. */
const REFUSAL_LASTS_MS = 60_000;
/** An endpoint without requests for this long gets a head request, so that its health is known before it is needed. */
const CHECK_EVERY_MS = 120_000;
/** The same interval where requests cost nothing. */
const CHECK_LOCAL_EVERY_MS = 15_000;
/** A node whose newest block is older than this is used only if no other has a newer one. */
const STALE_SECONDS = 120;
/** A node whose finality lags this many times the usual distance is used only if no other node is better. */
const LATE_FINALITY = 3;
/** The most severe first. If endpoints failed in different ways, the caller gets the most severe error. */
const SEVERITY: readonly ChainFault[] = ['reorganised', 'contradiction', 'wrong_chain', 'unavailable', 'too_large'];

/** Opens the endpoints, in the operator's order of preference. */
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

  /** Runs work on one endpoint and records the result. */
  async function runOn<T>(endpoint: Endpoint, work: (client: C) => Promise<T>): Promise<T> {
    if (endpoint.silentUntil > now()) {
      throw new ChainError('unavailable', `${endpoint.name} requested a pause`, { demotes: false });
    }
    endpoint.askedAt = now();
    const labels = { environment: spec.environment, network: spec.network, position: String(endpoint.position) };
    const { rpcWork, rpcSeconds } = instruments();
    const ended = rpcSeconds.startTimer(labels);
    try {
      await prove(endpoint);
      const result = await work(endpoint.client).finally(ended);
      rpcWork.inc({ ...labels, outcome: 'ok' });
      if (endpoint.failures > 0)
        log.info({ endpoint: endpoint.name, failures: endpoint.failures }, 'endpoint recovered');
      recordSuccess(endpoint);
      return result;
    } catch (error) {
      rpcWork.inc({ ...labels, outcome: error instanceof ChainError ? outcomeOf(error) : 'error' });
      if (error instanceof ChainError && error.demotes) {
        if (endpoint.failures === 0) log.warn({ endpoint: endpoint.name, fault: error.fault }, error.message);
        recordFailure(endpoint, error, now());
      }
      throw error;
    }
  }

  /** The first acceptable result, and the endpoint that gave it. */
  async function first<T>(order: readonly Endpoint[], work: (one: Endpoint) => Promise<T>, choice?: Choice<T>) {
    let held: { result: T; endpoint: Endpoint } | null = null;
    let mostSevere: ChainError | null = null;
    for (const endpoint of order) {
      try {
        const result = await work(endpoint);
        if (!choice || choice.accept(result)) return { result, endpoint };
        if (!held || choice.better(result, held.result)) held = { result, endpoint };
      } catch (error) {
        if (!(error instanceof ChainError) || error.fault === 'too_large') throw error;
        mostSevere = moreSevere(mostSevere, error);
      }
    }
    if (held) return held;
    throw mostSevere ?? new ChainError('unavailable', 'no endpoint is configured');
  }

  const ordered = () => inOrder(endpoints, now());
  const readHead = async (endpoint: Endpoint): Promise<Head> => {
    const head = await runOn(endpoint, options.readHead);
    recordHead(endpoint, head, now());
    return head;
  };

  /** Whether another process read the head of a healthy endpoint. Each process still proves the endpoint's identity itself. */
  const isCheckedElsewhere = async (endpoint: Endpoint, every: number): Promise<boolean> => {
    const isProven = now() - endpoint.provenAt < PROOF_LASTS_MS;
    if (!isProven || endpoint.trouble || endpoint.refusal) return false;
    const known = await endpoint.client.shared?.recent(every);
    if (known) recordSharedHead(endpoint, known);
    return known !== undefined && known !== null;
  };

  const hashAt = async (endpoint: Endpoint, number: number) => {
    if (endpoint.final?.number === number) return endpoint.final.hash;
    return (await runOn(endpoint, async (client) => options.readBlock?.(client, number)))?.hash ?? null;
  };
  const finalOf = async (endpoint: Endpoint) => {
    const head = await readHead(endpoint);
    return isFresh(head) ? head.final : null;
  };

  return {
    use: async (work, choice) => (await first(ordered(), (endpoint) => runOn(endpoint, work), choice)).result,
    head: async () => (await first(ordered(), readHead, freshest)).result,
    scan: (window, watch, work) =>
      scanEndpoints({ spec, trust, needed, ordered, runOn, first, now, log }, window, watch, work),
    agreed: async (number) => {
      // A hanging endpoint would delay every scan; `check` detects when it has recovered.
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
            if (!(await isCheckedElsewhere(endpoint, every))) await readHead(endpoint).catch(rethrowOwnErrors);
          }),
        );
      },
    },
  };
}

/** A limit of the plan is no fault of the endpoint. */
const outcomeOf = ({ fault, throttled }: ChainError): string => (throttled ? 'throttled' : fault);

const isFinalityNear = ({ confirmations }: NetworkSpec, { tip, final }: Head): boolean =>
  tip.number - final.number <= LATE_FINALITY * confirmations;

/** Ignores endpoint faults, which `runOn` has recorded. Any other error is a bug. */
function rethrowOwnErrors(error: unknown): void {
  if (!(error instanceof ChainError)) throw error;
}

const moreSevere = (one: ChainError | null, other: ChainError): ChainError =>
  one && SEVERITY.indexOf(one.fault) <= SEVERITY.indexOf(other.fault) ? one : other;
