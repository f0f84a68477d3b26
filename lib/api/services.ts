// What the API's handlers are given: the context of the web process and the long-lived parts that requests share.

import { openKeyFinder, type FindKey } from '@/lib/merchants/api-keys/verify-key';
import { openKeyUses, type NoteUse } from '@/lib/merchants/api-keys/key-uses';
import { openSolanaDrafts, type DraftSolanaPayment } from '@/lib/payments/checkout/wallets/solana-draft';
import { openChains, type FollowedChain } from '@/lib/networks/registry';
import { recordUsage, USAGE_MILLISECONDS } from '@/lib/installation/status/record-usage';
import { openHeadStore } from '@/lib/installation/status/shared-heads';
import { systemClock } from '@/lib/platform/clock';
import { config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import { pool } from '@/lib/platform/database/db';
import { openFinder, type FindPayment } from '@/lib/payments/finder/find';
import { openLog } from '@/lib/platform/log';
import { openAdmission, type Admission } from './limits/admission';
import { openLimits, type Limits } from './limits/limits';
import { openRequestTimes, type RequestTimes } from './request-times';

export type Services = Context & {
  readonly findKey: FindKey;
  /** When a key was last used. */
  readonly noteUse: NoteUse;
  /** How many requests are worked on at once. */
  readonly admission: Admission;
  /** How often who may ask. */
  readonly limits: Limits;
  /** How long requests to the signed API take, for the metrics. */
  readonly requestTimes: RequestTimes;
  /** What became of a transaction that somebody pasted. */
  readonly findPayment: FindPayment;
  /** The transfer that a Solana wallet in a customer's browser signs. */
  readonly draftSolanaPayment: DraftSolanaPayment;
  /** How long a listener for events waits at most; tests do not wait. */
  listenMilliseconds: number;
};

const LISTEN_MILLISECONDS = 20_000;

/** Services on a given context. `chains`: those that the finder asks; the configured ones unless given. */
export function openServices(context: Context, chains = chainsOnce(context)): Services {
  return {
    ...context,
    findKey: openKeyFinder(context),
    noteUse: openKeyUses(context),
    admission: openAdmission({
      log: context.log,
      most: context.config.API_IN_FLIGHT,
      connections: context.config.DATABASE_POOL,
    }),
    limits: openLimits(context),
    requestTimes: openRequestTimes(),
    findPayment: openFinder(context, chains),
    draftSolanaPayment: openSolanaDrafts(context),
    listenMilliseconds: LISTEN_MILLISECONDS,
  };
}

/** Opens the configured chains when they are first asked for: most web processes never ask one. */
function chainsOnce(context: Context): () => readonly FollowedChain[] {
  let opened: readonly FollowedChain[] | undefined;
  return () => (opened ??= openChains(context.config, { ...context, heads: openHeadStore(context) }));
}

const shared = globalThis as unknown as { stabletillServices?: Services };

/** This web process's services: one set, though Next and the server carry their own copies of this file. */
export function services(): Services {
  return (shared.stabletillServices ??= startServices({
    pool: pool(),
    clock: systemClock,
    log: openLog('web'),
    config: config(),
  }));
}

/** The same, storing what this process asks of endpoints for as long as it lives. */
function startServices(context: Context): Services {
  const store = () =>
    recordUsage(context).catch((error: unknown) => {
      // It stays counted and is stored the next time.
      context.log.warn({ err: error }, 'the usage of endpoints could not be stored');
    });
  setInterval(() => void store(), USAGE_MILLISECONDS).unref();
  return openServices(context);
}
