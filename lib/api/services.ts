// The dependencies of the API's handlers: the context of the web process and the long-lived objects that requests share.

import { openKeyFinder, type FindKey } from '@/lib/merchants/api-keys/verify-key';
import { openKeyUses, type NoteUse } from '@/lib/merchants/api-keys/key-uses';
import { openSolanaDrafts, type DraftSolanaPayment } from '@/lib/payments/checkout/wallets/solana-draft';
import { openChains, type FollowedChain } from '@/lib/networks/registry';
import { OBJECTIVES_MILLISECONDS, recordObjectives } from '@/lib/installation/status/record-objectives';
import { recordUsage, USAGE_MILLISECONDS } from '@/lib/installation/status/record-usage';
import { openHeadStore } from '@/lib/installation/status/shared-heads';
import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { pool } from '@/lib/platform/database/db';
import { openFinder, type FindPayment } from '@/lib/payments/finder/find';
import { logChanges } from '@/lib/platform/database/changes';
import { openLog } from '@/lib/platform/log';
import { openAdmission, type Admission } from './limits/admission';
import { openLimits, type Limits } from './limits/limits';
import { openRequestTimes, type RequestTimes } from './request-times';

export type Services = Context & {
  readonly findKey: FindKey;
  /** Records when a key was last used. */
  readonly noteUse: NoteUse;
  /** Limits how many requests are processed at once. */
  readonly admission: Admission;
  /** Rate limits. */
  readonly limits: Limits;
  /** The duration of requests to the signed API, for the metrics. */
  readonly requestTimes: RequestTimes;
  /** Finds the outcome of a transaction that a user pasted. */
  readonly findPayment: FindPayment;
  /** Builds the transfer that a Solana wallet in a customer's browser signs. */
  readonly draftSolanaPayment: DraftSolanaPayment;
  /** Whether the process that renders the pages answers. There is none but this one under `next start`. */
  arePagesReady: () => Promise<boolean>;
  /** Whether this process was told to stop: balancers send it no more requests, and it answers those that still come. */
  isStopping: boolean;
  /** The metrics of the pages' process, where this process has one. */
  readPagesMetrics: () => Promise<string>;
  /** How long a listener for events waits at most. Tests do not wait. */
  listenMilliseconds: number;
};

const LISTEN_MILLISECONDS = 20_000;
/** Sixty-four creates that wait together take one connection, and ten reads that wait for one are answered within milliseconds. */
const BUSY_PER_CONNECTION = 8;

/** Services for a given context. `chains`: those that the finder uses; the configured ones by default. */
export function openServices(context: Context, chains = chainsOnce(context)): Services {
  return {
    ...context,
    findKey: openKeyFinder(context),
    noteUse: openKeyUses(context),
    admission: openAdmission({
      log: context.log,
      most: context.config.API_IN_FLIGHT,
      busy: BUSY_PER_CONNECTION * context.config.DATABASE_POOL,
    }),
    limits: openLimits(context),
    requestTimes: openRequestTimes(),
    findPayment: openFinder(context, chains),
    draftSolanaPayment: openSolanaDrafts(context),
    arePagesReady: () => Promise.resolve(true),
    isStopping: false,
    readPagesMetrics: () => Promise.resolve(''),
    listenMilliseconds: LISTEN_MILLISECONDS,
  };
}

/** Opens the configured chains on first use, because most web processes never need one. */
function chainsOnce(context: Context): () => readonly FollowedChain[] {
  let opened: readonly FollowedChain[] | undefined;
  return () => (opened ??= openChains(context.config, { ...context, heads: openHeadStore(context) }));
}

const shared = globalThis as unknown as { stabletillServices?: Services };

/** This web process's services: one set, although Next and the server each load their own copy of this file. */
export function services(): Services {
  return (shared.stabletillServices ??= startServices({
    pool: pool(),
    clock: systemClock,
    log: openLog('web'),
    config: config(),
  }));
}

/** The same, and stores the count of RPC requests of this process for as long as it lives. */
function startServices(context: Context): Services {
  logChanges(context.pool, context.log);
  const store = () =>
    recordUsage(context).catch((error: unknown) => {
      // The count is kept and stored the next time.
      context.log.warn({ err: error }, 'the usage of endpoints could not be stored');
    });
  setInterval(() => void store(), USAGE_MILLISECONDS).unref();
  const storeObjectives = () =>
    recordObjectives(context).catch((error: unknown) => {
      context.log.warn({ err: error }, 'what counts for the service objectives could not be stored');
    });
  setInterval(() => void storeObjectives(), OBJECTIVES_MILLISECONDS).unref();
  return openServices(context);
}
