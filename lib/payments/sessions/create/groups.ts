// Signed creates that wait at the same moment go to PostgreSQL as one statement. A create that finds no other under way is
// sent at once and alone. A group creates only sessions that nothing stands against; every other one, and all of a group
// that PostgreSQL refuses, is sent alone, so that no call decides about another one.

import { checkSpent, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import { isLostRace, isRefusedStatement, sqlState, type Pool } from '@/lib/platform/database/db';
import { createGroupStatement, type KeyedSession } from './group-statement';
import { createStatement, type CreateOutcome } from './statement';

/** Statements of a process that create sessions at the same time: one works while the next one is prepared. */
const AT_ONCE = 2;
const LARGEST_GROUP = 64;
/** A group that waits for longer is sent beside slow statements. The limit of the pool's own queue begins then. */
const LONGEST_WAIT_MS = 100;

/** How long calls of a key are sent alone after one of them refused a group, so that no store costs its neighbours their groups. */
const ALONE_MS = 5000;
/** SQLSTATE of a statement that the server canceled, at its time limit for example: it had no effect. */
const CANCELED = '57014';

const MADE = { usable: true, alive: true, spent: true } as const;
const MADE_OUTCOME: CreateOutcome = {
  alive: true,
  made: true,
  offered: true,
  above_session_limit: null,
  above_day_limit: null,
  earlier_hash: null,
  earlier_answer: null,
};

type Waiting = KeyedSession & {
  readonly resolve: (outcome: CreateOutcome | Promise<CreateOutcome>) => void;
  readonly reject: (error: unknown) => void;
};

const queues = new WeakMap<Pool, CreateQueue>();

/** Creates the session, alone or in a group. Throws as `checkSpent` does, or the database's error. */
export function createInGroup(pool: Pool, one: KeyedSession): Promise<CreateOutcome> {
  let queue = queues.get(pool);
  if (!queue) queues.set(pool, (queue = new CreateQueue(pool)));
  return queue.create(one);
}

class CreateQueue {
  readonly #pool: Pool;
  #running = 0;
  #waiting: Waiting[] = [];
  #overdue: NodeJS.Timeout | undefined;
  /** Ids of keys, with the time (performance.now) until which their calls are sent alone. */
  readonly #aloneUntil = new Map<number, number>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  create(one: KeyedSession): Promise<CreateOutcome> {
    const until = this.#aloneUntil.get(one.caller.key.id);
    if (until !== undefined) {
      if (performance.now() < until) return this.#alone(one);
      this.#aloneUntil.delete(one.caller.key.id);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...one, resolve, reject });
      if (this.#running < AT_ONCE || this.#waiting.length >= LARGEST_GROUP) this.#sendNext();
      else this.#overdue ??= setTimeout(() => this.#sendNext(), LONGEST_WAIT_MS);
    });
  }

  #sendNext(): void {
    clearTimeout(this.#overdue);
    this.#overdue = undefined;
    const group = this.#takeGroup();
    if (group.length === 0) return;
    if (this.#waiting.length > 0) this.#overdue = setTimeout(() => this.#sendNext(), LONGEST_WAIT_MS);
    this.#running++;
    void this.#send(group).finally(() => {
      this.#running--;
      if (this.#running < AT_ONCE) this.#sendNext();
    });
  }

  /** Takes the first ones, of one environment. A second call with the same nonce, order or idempotency key waits for the next group. */
  #takeGroup(): Waiting[] {
    const environment = this.#waiting[0]?.caller.key.environment;
    const seen = new Set<string>();
    const group: Waiting[] = [];
    const left: Waiting[] = [];
    for (const one of this.#waiting) {
      const ids = idsOf(one);
      const fits =
        group.length < LARGEST_GROUP && one.caller.key.environment === environment && !ids.some((id) => seen.has(id));
      for (const id of ids) seen.add(id);
      (fits ? group : left).push(one);
    }
    this.#waiting = left;
    return group;
  }

  async #send(group: Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    if (group.length === 1) {
      const outcome = this.#alone(first);
      first.resolve(outcome);
      await outcome.catch(() => {});
      return;
    }
    const made = await this.#together(group, first.caller.key.environment).catch((error: unknown) => {
      for (const { reject } of group) reject(error);
      return null;
    });
    if (!made) return;
    const others = group.filter((one) => !made.has(one.session.id));
    for (const one of group) {
      if (!made.has(one.session.id)) continue;
      checkSpent(MADE, one.caller);
      one.resolve(MADE_OUTCOME);
    }
    await Promise.all(others.map((one) => this.#afterGroup(one, others.length === group.length)));
  }

  /** Sends a call alone that its group did not create. `isRefused`: no call of the group was created, perhaps because of this one. */
  async #afterGroup(one: Waiting, isRefused: boolean): Promise<void> {
    const outcome = this.#alone(one);
    one.resolve(outcome);
    await outcome.catch(() => {
      if (isRefused) this.#aloneUntil.set(one.caller.key.id, performance.now() + ALONE_MS);
    });
  }

  /** The ids of the sessions that were created; none if PostgreSQL refused the group. Any other error may have had an effect. */
  async #together(group: Waiting[], environment: KeyedSession['caller']['key']['environment']): Promise<Set<string>> {
    try {
      const { rows } = await this.#pool.query<{ id: string }>(createGroupStatement(environment, group));
      return new Set(rows.map(({ id }) => id));
    } catch (error) {
      if (isRefusedStatement(error) || isLostRace(error) || sqlState(error) === CANCELED) return new Set();
      throw error;
    }
  }

  async #alone({ caller, session }: KeyedSession): Promise<CreateOutcome> {
    const send = () => this.#pool.query<CreateOutcome & SpentRow>(createStatement(caller, session));
    const { rows } = await send().catch((error: unknown) => {
      // It had no effect, and succeeds without the other statement.
      if (isLostRace(error)) return send();
      throw error;
    });
    const outcome = rows[0] as CreateOutcome & SpentRow;
    checkSpent(outcome, caller);
    return outcome;
  }
}

/** What two calls of one group must not share; texts of different kinds differ in their first character. */
const idsOf = ({ caller: { key, nonce }, session: { request, idempotency } }: KeyedSession): string[] => [
  `n${key.id} ${nonce}`,
  `o${key.storeId} ${request.order_id}`,
  ...(idempotency ? [`k${key.storeId} ${idempotency.key}`] : []),
];
