// What load balancers, supervisors and orchestrators ask about this process. The answers are fixed words: no version, host, address or
// error. The log has a line when an answer changes.

import { databaseTrouble, isReadOnly, type DatabaseTrouble } from '@/lib/platform/database/state';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import type { Services } from '@/lib/api/services';

type Deps = Pick<Services, 'pool' | 'log' | 'arePagesReady'>;
/** `database`: it does not answer. `pages`: the pages' process does not. */
type Trouble = DatabaseTrouble | 'database' | 'pages';

const OK = '{"status":"ok"}';

/** GET /livez: the process answers. It depends on nothing else: a restart would not mend another program's fault. */
export const answerLive = (): ApiResponse => jsonResponse(200, OK);

/** GET /health: 200 when the database takes writes, else 503. Without them no signed request can be answered. */
export async function answerHealth(deps: Deps): Promise<ApiResponse> {
  const trouble = await databaseOr(deps, async () => ((await isReadOnly(deps.pool)) ? 'read_only' : null));
  note(deps, '/health', trouble === null ? [] : [trouble]);
  return trouble === null ? jsonResponse(200, OK) : jsonResponse(503, '{"status":"unavailable"}');
}

/** GET /readyz: 200 when this process can do all its work, else 503 with the reasons. */
export async function answerReady(deps: Deps): Promise<ApiResponse> {
  const found: (Trouble | null)[] = await Promise.all([
    databaseOr(deps, () => databaseTrouble(deps.pool)),
    deps.arePagesReady().then((isReady) => (isReady ? null : 'pages')),
  ]);
  const reasons = found.filter((one) => one !== null);
  note(deps, '/readyz', reasons);
  if (reasons.length === 0) return jsonResponse(200, OK);
  return jsonResponse(503, JSON.stringify({ status: 'unavailable', reasons }));
}

const databaseOr = ({ log }: Deps, ask: () => Promise<Trouble | null>): Promise<Trouble | null> =>
  ask().catch((error: unknown): Trouble => {
    log.warn({ err: error }, 'the database does not answer');
    return 'database';
  });

/** The last reasons of each path, of a process's pool. */
const lastOf = new WeakMap<object, Map<string, string>>();

function note({ pool, log }: Deps, path: string, reasons: readonly Trouble[]): void {
  const last = lastOf.get(pool) ?? new Map<string, string>();
  lastOf.set(pool, last);
  const now = reasons.join();
  if ((last.get(path) ?? '') === now) return;
  last.set(path, now);
  if (reasons.length === 0) log.info({ path }, 'this process is ready again');
  else log.warn({ path, reasons }, 'this process cannot do its work');
}
