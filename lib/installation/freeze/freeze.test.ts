// A freeze request reaches the signer as soon as it is reachable, and the console shows the state.

import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readHealth } from '@/lib/dashboard/operator/health';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { openSigner } from '@/testing/refunds/refund-scene';
import { readFreeze, requestFreeze } from './request';
import { openSteps } from '@/lib/worker/steps';
import { freezeStep } from './step';

let db: TestDatabase;
const clock = new TestClock();
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE freeze_requests, signer_states'));

const freeze = (reason = 'odd payouts ≠ ledger') =>
  requestFreeze(testContext(db, clock), { by: 'user:1', reason, address: '192.0.2.1' });
const open = () => {
  const signing = openSigner(clock);
  const step = freezeStep(signing.calls);
  return { signing, run: () => step(testContext(db, clock)) };
};

test('the next run freezes the signer, with the reason in plain text', async () => {
  const { signing, run } = open();
  await run();
  expect(await readFreeze(db.pool)).toMatchObject({ isFrozen: false, waiting: null, trouble: null });
  await freeze();
  expect(await readFreeze(db.pool)).toMatchObject({ isFrozen: false, waiting: { trouble: null } });
  await run();
  expect(signing.signer.state()).toMatchObject({ frozen: true, reason: expect.stringContaining('odd payouts') });
  expect(await readFreeze(db.pool)).toMatchObject({ isFrozen: true, waiting: null, readAt: clock.now() });
});

test('an unreachable signer gets the request when it returns', async () => {
  const { signing, run } = open();
  signing.isDown = true;
  await freeze();
  await run();
  expect(await readFreeze(db.pool)).toMatchObject({ waiting: { trouble: expect.stringContaining('reached') } });
  signing.isDown = false;
  expect(signing.signer.state().frozen).toBe(false);
  await run();
  expect(signing.signer.state().frozen).toBe(true);
  expect(await readFreeze(db.pool)).toMatchObject({ isFrozen: true, waiting: null, trouble: null });
});

test('a cloned machine passes the request to its own signer and leaves it to the signer that signs', async () => {
  const [original, clone] = [open(), open()];
  original.signing.restart({ machineId: 'machine 1' });
  const journalFile = `${original.signing.journalFile}-copy`;
  fs.copyFileSync(original.signing.journalFile, journalFile);
  clone.signing.restart({ journalFile, machineId: 'machine 2' });
  await freeze();
  await clone.run();
  expect(clone.signing.signer.state()).toMatchObject({ frozen: true, moved: true });
  expect(original.signing.signer.state()).toMatchObject({ frozen: false, moved: false });
  expect(await readFreeze(db.pool)).toMatchObject({ waiting: { trouble: expect.stringContaining('copied journal') } });
  // A take-over is measured by the journal of the signer that signs.
  const { rows } = await db.pool.query(`SELECT journal FROM signer_states`);
  expect(rows).toEqual([{ journal: null }]);
  await original.run();
  expect(original.signing.signer.state()).toMatchObject({ frozen: true, moved: false });
  expect(await readFreeze(db.pool)).toMatchObject({ waiting: null });
});

test('the size of the journal and its free space are stored for the health page and the metrics', async () => {
  const { signing, run } = open();
  await run();
  const { records, bytes, freeBytes } = signing.signer.state().journal;
  const context = testContext(db, clock);
  const { journal } = await readHealth(context);
  expect(journal).toMatchObject({ records, bytes, segments: 0, trouble: null, isLow: freeBytes < 2 ** 30 });
  await db.pool.query(`UPDATE signer_states SET journal = jsonb_set(journal, '{freeBytes}', '1073741823')`);
  expect((await readHealth(context)).journal).toMatchObject({ isLow: true });
  signing.isDown = true;
  await run();
  expect((await readHealth(context)).journal).toMatchObject({ records });
});

test('the console learns from the signer whether the recovery words were written down, and keeps it while the signer is away', async () => {
  const { signing, run } = open();
  const says = (wordsConfirmed?: boolean) => ({
    ...signing.calls,
    state: async () => ({ ...signing.signer.state(), ...(wordsConfirmed === undefined ? {} : { wordsConfirmed }) }),
  });
  const runWith = (signer: Parameters<typeof freezeStep>[0]) => freezeStep(signer)(testContext(db, clock));
  await runWith(says(false));
  expect(await readFreeze(db.pool)).toMatchObject({ areWordsConfirmed: false });
  await runWith(says(true));
  expect(await readFreeze(db.pool)).toMatchObject({ areWordsConfirmed: true });
  await runWith(says());
  signing.isDown = true;
  await run();
  expect(await readFreeze(db.pool)).toMatchObject({ areWordsConfirmed: true });
});

test('a signer whose limit contradicts the approval threshold makes the step fail visibly', async () => {
  const { signing } = open();
  const config = { ...testContext(db, clock).config, REFUND_APPROVAL_ABOVE: 100_000 };
  await expect(freezeStep(signing.calls)({ ...testContext(db, clock), config })).rejects.toThrow(
    /REFUND_APPROVAL_ABOVE \(100000\) must be below/,
  );
});

test('requesting a freeze twice makes one request and one entry of the audit log', async () => {
  const before = await db.prisma.auditEntry.count();
  const [first, again] = [await freeze(), await freeze()];
  expect(again).toBe(first);
  expect((await db.prisma.auditEntry.count()) - before).toBe(1);
});

test('a process without a signer leaves the request and the worker’s record of the signer’s state', async () => {
  const { run } = open();
  await run();
  await freeze();
  const before = await readFreeze(db.pool);
  clock.advance(60);
  const context = testContext(db, clock);
  for (const step of openSteps(context).filter(({ name }) => name === 'freeze switch')) await step.run(context);
  expect(await readFreeze(db.pool)).toEqual(before);
  expect(before).toMatchObject({ isFrozen: false, waiting: { trouble: null } });
});

test('idle runs call the signer only every few seconds', async () => {
  const { signing, run } = open();
  let requests = 0;
  const { state } = signing.calls;
  signing.calls.state = () => {
    requests++;
    return state();
  };
  const step = freezeStep(signing.calls);
  for (let count = 0; count < 10; count++) await step(testContext(db, clock));
  expect(requests).toBe(1);
  clock.advance(4);
  await step(testContext(db, clock));
  expect(requests).toBe(2);
  await run();
});
