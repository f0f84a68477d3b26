// Every status with every move: what the table allows happens and is recorded, and the rest changes nothing.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { SessionStatus } from '@/prisma/generated/enums';
import { moveStatus, SESSION_MOVES, type SessionMove } from './states';

const clock = openTestClock(EXPIRES + 60);
const completedBy = { network: 'ethereum', currency: 'USDT', transactionHash: `0x${randomUUID()}` };
const STATUSES = Object.values(SessionStatus);
const MOVES = Object.keys(SESSION_MOVES) as SessionMove[];
const ALLOWED = [
  'pending complete',
  'pending expire',
  'pending fail',
  'pending cancel',
  'expired accept',
  'failed accept',
  'canceled accept',
];

let db: TestDatabase;
let storeId: string;
let world: ReturnType<typeof openSettledSessions>;
beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, testConfig()));
  world = openSettledSessions(db, clock, {});
});
afterAll(() => db.close());

/** A session of this status, brought there by its own move. */
async function inStatus(status: SessionStatus): Promise<string> {
  const id = await world.make(storeId, status === 'completed' ? 'pending' : status);
  if (status === 'completed') await move(id, 'complete');
  return id;
}

const move = (id: string, one: SessionMove) => {
  const details = SESSION_MOVES[one].to === 'completed' ? { at: clock.now(), completedBy } : { at: clock.now() };
  return transaction(db.pool, (tx) => moveStatus(tx, id, one, details));
};

test.each(STATUSES.flatMap((status) => MOVES.map((one) => [status, one] as const)))(
  'from %s, %s does what the table says and nothing else',
  async (status, one) => {
    const id = await inStatus(status);
    const before = await world.read(id);
    const isAllowed = ALLOWED.includes(`${status} ${one}`);
    expect(await move(id, one)).toBe(isAllowed);
    const after = await world.read(id);
    if (!isAllowed) return expect(after).toEqual(before);
    expect(after).toMatchObject({
      status: SESSION_MOVES[one].to,
      closedAt: clock.now(),
      acceptedFrom: one === 'accept' ? status : null,
    });
    expect(await db.prisma.sessionStatusChange.findMany({ where: { sessionId: id } })).toMatchObject([
      { move: one, from: status, to: SESSION_MOVES[one].to },
    ]);
  },
);
