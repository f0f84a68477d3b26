// What load balancers, supervisors and orchestrators ask about this process. The answers are fixed words: no version, host, address or
// error. The log has a line when an answer changes.

import { isPoolBusy } from '@/lib/platform/database/db';
import { databaseTrouble, isReadOnly, type DatabaseTrouble } from '@/lib/platform/database/state';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import type { Services } from '@/lib/api/services';

type Deps = Pick<Services, 'pool' | 'clock' | 'log' | 'arePagesReady' | 'isStopping'>;
/** `database`: it does not answer. `pages`: the pages' process does not. */
type Trouble = DatabaseTrouble | 'database' | 'pages';
/** An answer of before the stop signal is not given again. */
const STOPPING = '{"status":"unavailable","reasons":["stopping"]}';
/** `busy`: requests use all connections and finish. The process works, and a balancer that took it out would load the others more. */
type Found = Trouble | 'busy' | null;

const OK = '{"status":"ok"}';
const BUSY = '{"status":"busy"}';

/** How long an answer is given again. The probes have no rate limit, so that callers must not each take a connection. */
const KEPT_MILLISECONDS = 1000;

/** GET /livez: the process answers. It depends on nothing else: a restart would not mend another program's fault. */
export const answerLive = (): ApiResponse => jsonResponse(200, OK);

/** GET /health: 200 when the database takes writes, else 503. Without them no signed request can be answered. */
export const answerHealth = (deps: Deps): Promise<ApiResponse> =>
  shared(deps, '/health', async () => {
    const found = await databaseOr(deps, async () => ((await isReadOnly(deps.pool)) ? 'read_only' : null));
    note(deps, '/health', found === null ? [] : [found]);
    return found === null || found === 'busy' ? fine(found) : jsonResponse(503, '{"status":"unavailable"}');
  });

/** GET /readyz: 200 when this process can do all its work, else 503 with the reasons. */
export async function answerReady(deps: Deps): Promise<ApiResponse> {
  return deps.isStopping ? jsonResponse(503, STOPPING) : answerWorking(deps);
}

const answerWorking = (deps: Deps): Promise<ApiResponse> =>
  shared(deps, '/readyz', async () => {
    const [database, pages] = await Promise.all([
      databaseOr(deps, () => databaseTrouble(deps.pool)),
      deps.arePagesReady().then((isReady) => (isReady ? null : 'pages')),
    ]);
    const found = [database, pages].filter((one) => one !== null);
    note(deps, '/readyz', found);
    const reasons = found.filter((one) => one !== 'busy');
    if (reasons.length === 0) return fine(database);
    return jsonResponse(503, JSON.stringify({ status: 'unavailable', reasons }));
  });

const fine = (found: Found): ApiResponse => jsonResponse(200, found === 'busy' ? BUSY : OK);

type Kept = { readonly answer: Promise<ApiResponse>; endedAt: number | null };
const kept = new WeakMap<object, Map<string, Kept>>();

/** One check at a time of a path and a process's pool. Its answer is given again for a second. */
function shared({ pool, clock }: Deps, path: string, check: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const ofPool = kept.get(pool) ?? new Map<string, Kept>();
  kept.set(pool, ofPool);
  const known = ofPool.get(path);
  const isNew =
    known && (known.endedAt === null || Math.abs(clock.now().getTime() - known.endedAt) < KEPT_MILLISECONDS);
  if (isNew) return known.answer;
  const answer = check().finally(() => (one.endedAt = clock.now().getTime()));
  const one: Kept = { answer, endedAt: null };
  ofPool.set(path, one);
  return answer;
}

const databaseOr = ({ pool, log }: Deps, ask: () => Promise<Found>): Promise<Found> =>
  ask().catch((error: unknown): Found => {
    if (isPoolBusy(pool, error)) return 'busy';
    log.warn({ err: error }, 'the database does not answer');
    return 'database';
  });

/** The last reasons of each path, of a process's pool. */
const lastOf = new WeakMap<object, Map<string, string>>();

function note({ pool, log }: Deps, path: string, reasons: readonly (Trouble | 'busy')[]): void {
  const last = lastOf.get(pool) ?? new Map<string, string>();
  lastOf.set(pool, last);
  const now = reasons.join();
  if ((last.get(path) ?? '') === now) return;
  last.set(path, now);
  if (reasons.length === 0) log.info({ path }, 'this process is ready again');
  else if (now === 'busy') log.warn({ path }, 'all connections to the database are in use');
  else log.warn({ path, reasons }, 'this process cannot do its work');
}
