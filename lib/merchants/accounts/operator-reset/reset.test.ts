// The way back in for an operator who lost everything takes a day that every operator sees, can be stopped, and leaves the operator with
// nothing but a new password and an hour for the second factor.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readLink } from '@/lib/merchants/accounts/links';
import { verifyAudit } from '@/lib/merchants/audit/verify';
import { mailBody } from '@/lib/merchants/mail/queue';
import { config } from '@/lib/platform/config/config';
import { runOperator } from './reset-command';
import { cancelReset, readOpenResets } from './open-resets';

const HOUR = 3_600_000;
let db: TestDatabase;
let time = Date.parse('2026-12-01T08:00:00Z');
const clock = { now: () => new Date(time) };
let printed: string[] = [];
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => void (printed = []));

const run = (...words: string[]) =>
  runOperator(words, {
    pool: db.pool,
    clock,
    config: { PUBLIC_URL: 'https://pay.example' },
    print: (line) => void printed.push(line),
  });

/** An operator with a password, an authenticator, a recovery code and an open sign-in. */
async function operator(more: { role?: 'operator' | 'merchant'; disabledAt?: Date } = {}) {
  const id = randomUUID();
  const email = `${id}@example.test`;
  const now = clock.now();
  await db.prisma.user.create({
    data: {
      ...{
        id,
        email,
        passwordHash: 'old',
        role: 'operator',
        totpCiphertext: Buffer.from('x'),
        totpConfirmedAt: now,
        ...more,
      },
      recoveryCodes: { create: { codeHash: Buffer.from(id) } },
      logins: { create: { tokenHash: Buffer.from(id), createdAt: now, lastSeenAt: now, userAgent: '', address: '' } },
    },
  });
  return { id, email };
}
const stateOf = (id: string) =>
  db.prisma.user.findUniqueOrThrow({
    where: { id },
    include: { recoveryCodes: true, passkeys: true, logins: { where: { endedAt: null } } },
  });
const actionsOn = async (target: string) =>
  (await db.pool.query('SELECT actor, action FROM audit_entries WHERE target = $1 ORDER BY number', [target])).rows.map(
    ({ actor, action }) => `${actor} ${action}`,
  );

test('waits for a day, then voids everything and gives a link that works once', async () => {
  const { id, email } = await operator();
  expect(await run('reset', email.toUpperCase())).toBe(0);
  expect(printed.at(-1)).toContain('2026-12-02T08:00:00.000Z');
  time += 24 * HOUR - 1;
  expect(await run('reset', email)).toBe(1);
  expect(await stateOf(id)).toMatchObject({ passwordHash: 'old', recoveryCodes: [{}], logins: [{}] });
  time += 1;
  printed = [];
  expect(await run('reset', email)).toBe(0);
  const after = await stateOf(id);
  expect(after).toMatchObject({ passwordHash: null, totpCiphertext: null, totpConfirmedAt: null });
  expect([after.recoveryCodes, after.passkeys, after.logins]).toEqual([[], [], []]);
  expect(after.factorSetupUntil).toEqual(new Date(time + HOUR));
  // For large payments the operator counts as a new one for a day.
  expect(after.roleGrantedAt).toEqual(clock.now());
  const link = printed.find((line) => line.startsWith('https://'))!;
  const token = new URL(link).searchParams.get('token')!;
  expect(link).toMatch(/^https:\/\/pay\.example\/reset\?token=/);
  expect(await readLink(db.pool, 'reset', token, clock.now())).toMatchObject({ userId: id, email });
  expect(await readLink(db.pool, 'reset', token, new Date(time + HOUR))).toBeNull();
  expect(await actionsOn(id)).toEqual(['server operator_reset.request', 'server operator_reset.complete']);
  expect((await verifyAudit(db.pool, [])).broken).toBeNull();
  expect(JSON.stringify((await db.pool.query('SELECT details FROM audit_entries')).rows)).not.toContain(token);
  // The next run begins again from the start.
  expect(await run('reset', email)).toBe(0);
  expect(printed.at(-1)).toContain('Run this again from');
});

test('mails the operator once it is completed, without the link, and not before', async () => {
  const { email } = await operator();
  const mails = () => db.prisma.mail.findMany({ where: { recipient: email } });
  await run('reset', email);
  time += 24 * HOUR - 1;
  await run('reset', email);
  expect(await mails()).toEqual([]);
  time += 1;
  printed = [];
  await run('reset', email);
  const [mail, ...others] = await mails();
  expect([mail!.subject, others]).toEqual(['Your sign-in was reset at the server', []]);
  const text = mailBody({ config: config() }, mail!);
  expect(text).toContain(`Your sign-in (${email})`);
  const link = printed.find((line) => line.startsWith('https://'))!;
  expect(text).not.toContain(new URL(link).searchParams.get('token')!);
});

test('any operator cancels a reset, which then can never be completed', async () => {
  const { id, email } = await operator();
  const other = await operator();
  await run('reset', email, '--delay-hours', '2');
  const [open] = (await readOpenResets(db.pool, clock.now())).filter((one) => one.email === email);
  expect(open?.readyAt).toEqual(new Date(time + 2 * HOUR));
  const by = { id: open!.id, by: `user:${other.id}`, address: '203.0.113.7' };
  await cancelReset({ pool: db.pool, clock }, by);
  await expect(cancelReset({ pool: db.pool, clock }, by)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(cancelReset({ pool: db.pool, clock }, { ...by, id: "x'" })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    db.pool.query('UPDATE operator_resets SET canceled_at = NULL, canceled_by = NULL WHERE id = $1', [open!.id]),
  ).rejects.toThrow(/outcome of a reset/);
  time += 3 * HOUR;
  // This is a new request, with a delay of its own.
  expect(await run('reset', email)).toBe(0);
  expect(printed.some((line) => line.startsWith('https://'))).toBe(false);
  expect((await stateOf(id)).passwordHash).toBe('old');
  expect(await run('cancel-reset', email)).toBe(0);
  expect(await run('cancel-reset', email)).toBe(1);
  expect(await actionsOn(id)).toEqual([
    'server operator_reset.request',
    `user:${other.id} operator_reset.cancel`,
    'server operator_reset.request',
    'server operator_reset.cancel',
  ]);
});

test('a link is lost to no failure of the counters of attempts, which undoes the whole completion', async () => {
  const { id, email } = await operator();
  await run('reset', email);
  time += 24 * HOUR;
  await db.pool.query('ALTER TABLE throttles RENAME TO throttles_away');
  try {
    await expect(run('reset', email)).rejects.toThrow(/throttles/);
  } finally {
    await db.pool.query('ALTER TABLE throttles_away RENAME TO throttles');
  }
  expect((await stateOf(id)).passwordHash).toBe('old');
  expect(await run('reset', email)).toBe(0);
  expect(printed.some((line) => line.startsWith('https://'))).toBe(true);
});

test('a reset that was not completed in three days lapses', async () => {
  const { id, email } = await operator();
  await run('reset', email);
  time += (24 + 72) * HOUR;
  expect(await readOpenResets(db.pool, clock.now())).not.toContainEqual(expect.objectContaining({ email }));
  expect(await run('reset', email)).toBe(0);
  expect((await stateOf(id)).passwordHash).toBe('old');
  expect(await run('resets')).toBe(0);
  expect(printed.at(-1)).toMatch(new RegExp(`^${email}: ready at`));
});

test('merchants, disabled operators and strangers have no reset, and wrong words are wrong usage', async () => {
  const merchant = await operator({ role: 'merchant' });
  const gone = await operator({ disabledAt: clock.now() });
  for (const email of [merchant.email, gone.email, 'unknown@example.test', 'x'])
    expect([await run('reset', email), printed.at(-1)]).toEqual([1, 'No active operator has this address.']);
  for (const words of [
    [],
    ['reset'],
    ['reset', 'a@example.test', '--delay-hours', '0'],
    ['reset', 'a@example.test', '--now'],
    ['x', 'y'],
  ])
    expect(await run(...words)).toBe(2);
  expect(await run('reset', 'a@example.test', '--delay-hours', '169')).toBe(2);
});
