// Only the server's administrator attests an operator, once, and the audit log records it.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { runAttestOperator } from './attest-operator-command';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

async function run(...words: string[]): Promise<{ code: number; printed: string }> {
  const printed: string[] = [];
  const code = await runAttestOperator(words, {
    pool: db.pool,
    clock: systemClock,
    print: (line) => void printed.push(line),
  });
  return { code, printed: printed.join('\n') };
}

async function user(of: { role: 'operator' | 'merchant'; by: string | null; disabledAt?: Date }) {
  const id = randomUUID();
  const grantedAt = of.by === null ? null : new Date('2026-01-01T00:00:00Z');
  const data = { id, email: `${id}@example.test`, passwordHash: '-', role: of.role, disabledAt: of.disabledAt ?? null };
  await db.prisma.user.create({ data: { ...data, roleGrantedBy: of.by, roleGrantedAt: grantedAt } });
  return { id, email: data.email };
}

test('an operator whom another one promoted is attested once and stays attested', async () => {
  const { id, email } = await user({ role: 'operator', by: randomUUID() });
  expect(await run(email.toUpperCase())).toEqual({ code: 0, printed: `${email} counts as a person of their own.` });
  const after = await db.prisma.user.findUniqueOrThrow({ where: { id } });
  expect([after.roleGrantedBy, after.roleGrantedAt?.toISOString()]).toEqual([null, '2026-01-01T00:00:00.000Z']);
  expect((await run(email)).code).toBe(1);
  const entries = await db.prisma.auditEntry.findMany({ where: { target: id } });
  expect(entries).toMatchObject([{ actor: 'server', action: 'user.vouch' }]);
});

test('merchants, disabled operators, the set-up link’s operator, strangers and invalid addresses are not attested', async () => {
  const by = randomUUID();
  const others = [
    await user({ role: 'operator', by, disabledAt: new Date() }),
    await user({ role: 'operator', by: null }),
    await user({ role: 'merchant', by: null }),
  ];
  for (const { email } of others) expect((await run(email)).code).toBe(1);
  for (const word of ['unknown@example.test', 'x']) expect((await run(word)).code).toBe(1);
  for (const words of [[], ['-x'], ['a@example.test', 'b@example.test']]) expect((await run(...words)).code).toBe(2);
});
