// Scans a window over several endpoints, as ChainAdapter.scan specifies. Transfers to be credited need agreement from as many
// endpoints as the operator requires. While only one endpoint can answer, the amounts in the settings bound what it may credit
// alone.

import type { Log } from '@/lib/platform/log';
import { isLarge, movesOf, reachAgreement, sameForAll, type Trust } from './agreement';
import {
  blocksAtOnce,
  ChainError,
  type BlockWindow,
  type Credited,
  type Scan,
  type TransactionReport,
  type Watch,
} from '@/lib/networks/chain';
import { isDoubted, isLagging, recordDoubt, recordFailure, type EndpointClient, type EndpointRecord } from './health';
import type { NetworkSpec } from '@/lib/networks/networks';

/** Whether a result is good enough to stop, and which of two insufficient results is better. */
export type Choice<T> = { accept(result: T): boolean; better(one: T, other: T): boolean };

/** For the lookup of a transaction: while it is in no block, other nodes are requested too, because one may not have received it yet. */
export const IN_A_BLOCK: Choice<TransactionReport | null> = {
  accept: (report) => report !== null && report.block !== null,
  better: (one, other) => one !== null && other === null,
};

/** How `openEndpoints` reaches its endpoints. */
export type Scanning<C extends EndpointClient> = {
  readonly spec: NetworkSpec;
  readonly trust: Trust | undefined;
  /** How many endpoints must agree. */
  readonly needed: number;
  /** All endpoints in their current order. */
  readonly ordered: () => EndpointRecord<C>[];
  readonly runOn: <T>(endpoint: EndpointRecord<C>, work: (client: C) => Promise<T>) => Promise<T>;
  readonly first: <T>(
    order: readonly EndpointRecord<C>[],
    work: (endpoint: EndpointRecord<C>) => Promise<T>,
    choice: Choice<T>,
  ) => Promise<{ readonly result: T; readonly endpoint: EndpointRecord<C> }>;
  readonly now: () => number;
  readonly log: Log;
};

export type ScanWork<C> = (client: C, watch: Watch) => Promise<Scan>;

const NOTHING_CREDITED: Credited = { byRecipient: new Map(), withinHour: 0n };

/** Another endpoint may report what this one left out. */
const WHOLE_FIRST: Choice<Scan> = {
  accept: ({ unfinished }) => !unfinished?.fault,
  better: (one, other) => one.accountCursors.length > other.accountCursors.length,
};

export async function scanEndpoints<C extends EndpointClient>(
  scanning: Scanning<C>,
  window: BlockWindow,
  watch: Watch,
  work: ScanWork<C>,
): Promise<Scan> {
  const { runOn, needed, now, ordered } = scanning;
  const shared = sameForAll(watch);
  const divisible = blocksAtOnce(window) > 1;
  const whole = async (client: C) =>
    checkAgreed(
      client.name,
      window,
      await (divisible ? work(client, shared) : work(client, shared).catch(refuseBlock)),
    );
  const reorganised = new Set<EndpointRecord<C>>();
  const read = async (endpoint: EndpointRecord<C>): Promise<Scan> => {
    const found = await runOn(endpoint, whole).catch((error: unknown) => {
      if (error instanceof ChainError && error.fault === 'reorganised') reorganised.add(endpoint);
      throw error;
    });
    if (found.unfinished?.throttle) recordFailure(endpoint, found.unfinished.throttle, now());
    return found;
  };
  const order = window.second ? another(ordered()) : ordered();
  try {
    const lead = await scanning.first(order, read, WHOLE_FIRST);
    return await agreedScan(scanning, { window, watch, read, order, divisible, lead });
  } catch (error) {
    if (needed <= 1 || reorganised.size < needed || !(error instanceof ChainError)) throw error;
    throw new ChainError('reorganised', `${needed} endpoints do not continue from the block before ${window.from}`, {
      agreed: true,
    });
  }
}

type Read<C extends EndpointClient> = {
  readonly window: BlockWindow;
  readonly watch: Watch;
  readonly read: (endpoint: EndpointRecord<C>) => Promise<Scan>;
  readonly order: readonly EndpointRecord<C>[];
  readonly divisible: boolean;
  readonly lead: { readonly result: Scan; readonly endpoint: EndpointRecord<C> };
};

/** The first endpoint's result, or the agreed result if it will be credited. */
async function agreedScan<C extends EndpointClient>(scanning: Scanning<C>, given: Read<C>): Promise<Scan> {
  const { trust, needed, now, log, spec } = scanning;
  const { window, watch, order, divisible, read } = given;
  const { result, endpoint: lead } = given.lead;
  const mustAgreeAtTip = window.outgoing === 'agreed';
  if (!trust || !(window.final || mustAgreeAtTip) || needed <= 1) return result;
  // A contradicted endpoint counts only together with others, even if it reports nothing. The same holds for a re-scan after a
  // balance mismatch: the endpoint may be the one that left transfers out.
  const mustAgree =
    mustAgreeAtTip || window.second === true || isDoubted(lead, now()) || (await exceeds(spec, trust, result, watch));
  if (!mustAgree && movesOf(result).length === 0) return result;
  // A small payment does not wait for an endpoint that failed last time; `check` detects when it has recovered.
  const isHealthy = (one: EndpointRecord<C>) => one.trouble === null && !isLagging(one, order);
  const isVoter = (one: EndpointRecord<C>) => one !== lead && (mustAgree || isHealthy(one));
  try {
    const verdict = await reachAgreement({
      lead: { voter: lead, scan: result },
      others: order.filter(isVoter),
      needed,
      divisible,
      read,
      onDispute: (voters, message) => {
        for (const voter of voters) recordDoubt(voter, message, now());
      },
    });
    for (const one of verdict.agreeing) one.doubt = null;
    for (const one of verdict.outvoted) {
      const message = `${one.name} reported other transfers up to block ${result.through.number} than ${verdict.agreeing.map(({ name }) => name).join(' and ')}`;
      log.warn({ endpoint: one.name }, message);
      recordDoubt(one, message, now());
    }
    return verdict.scan;
  } catch (error) {
    // A small payment does not wait for endpoints that cannot answer. It waits for one that is only a few blocks behind.
    const canWait = mustAgree || !(error instanceof ChainError) || error.fault !== 'unavailable' || error.behind;
    if (canWait) throw error;
    return result;
  }
}

async function exceeds(spec: NetworkSpec, limits: Trust, result: Scan, watch: Watch): Promise<boolean> {
  if (movesOf(result).length === 0) return false;
  const credited = (await watch.credited?.(result.transfers)) ?? NOTHING_CREDITED;
  return isLarge(spec, result, limits, credited);
}

/** An endpoint whose block differs from the agreed one is not on the agreed chain. */
function checkAgreed(name: string, { agreed }: BlockWindow, scan: Scan): Scan {
  if (agreed?.number !== scan.through.number || agreed.hash === scan.through.hash) return scan;
  throw new ChainError('contradiction', `${name} reports another block ${agreed.number} than other endpoints`);
}

/** The next healthiest comes first, the usual first one last. */
const another = <T>([usual, ...others]: readonly T[]): T[] => (usual === undefined ? [] : [...others, usual]);

/** If a single block is too large for an endpoint, a smaller window cannot help, but another endpoint may be able to return it. */
function refuseBlock(error: unknown): never {
  if (error instanceof ChainError && error.fault === 'too_large') throw new ChainError('unavailable', error.message);
  throw error;
}
