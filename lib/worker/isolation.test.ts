// No tenant blocks another: every step that touches rows of several sessions, stores, refunds or addresses fails for
// one of them, in a real database, and does its work for all others. The watcher's part is in
// lib/payments/watcher/isolation.test.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readOverview } from '@/lib/dashboard/operator/overview';
import { runAlarms } from '@/lib/installation/alarms/step';
import { listQuarantine, retryQuarantined } from '@/lib/dashboard/operator/quarantine';
import type { ChainSender } from '@/lib/networks/sending/send';
import { sendMails } from '@/lib/merchants/mail/send';
import { queueMail } from '@/lib/merchants/mail/queue';
import { notifyPaused } from '@/lib/merchants/notifications/endpoint-paused-step';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { settleQuarantined } from '@/lib/payments/sessions/settle/one-by-one';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault, openQuarantine, type DatabaseFault } from '@/testing/database/database-fault';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver } from '@/testing/receivers/receiver';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { localSpec } from '@/testing/signer/signer-scene';
import { makeEndpoint, recordEvent } from '@/testing/receivers/webhooks';
import { deliverBatch } from '@/lib/webhooks/delivery/deliver';
import { maintainQuarantine } from './quarantine';

let db: TestDatabase;
const config = testConfig();
let endFault = async () => {};

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
afterEach(async () => {
  await endFault();
  endFault = async () => {};
  await db.pool.query('TRUNCATE quarantine');
});

const fault = async (given: DatabaseFault) => void (endFault = await makeFault(db.pool, given));
const noFault = async () => {
  await endFault();
  endFault = async () => {};
};
const MOST_PASSES = 50;
/**
 * Runs passes as the worker does, until the others have had their turn. PostgreSQL reports a refused statement before it releases its locks,
 * so the pass that was refused may skip rows that it had locked itself.
 */
async function passUntil(pass: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn === 0 || (turn < MOST_PASSES && !(await isDone())); turn++) await pass();
}
const one = async <Row>(text: string, values: unknown[] = []): Promise<Row> =>
  (await db.pool.query(text, values)).rows[0];

describe('expiry', () => {
  const clock = new TestClock(EXPIRES - 600);
  const context = () => testContext(db, clock, config);
  let sessions: ReturnType<typeof openSettledSessions>;
  beforeAll(async () => {
    const at = EXPIRES + 100;
    const chains = { ethereum: await makeChain(db, 'ethereum', at), bsc: await makeChain(db, 'bsc', at) };
    sessions = openSettledSessions(db, clock, chains);
  });
  afterAll(() => db.pool.query('UPDATE chains SET retired_at = now()'));

  it.each<[string, (id: string, storeId: string) => DatabaseFault]>([
    ['changing one session', (id) => ({ table: 'sessions', on: 'UPDATE', row: `NEW.id = '${id}'` })],
    [
      'the history of one',
      (id) => ({ table: 'session_status_changes', on: 'INSERT', row: `NEW.session_id = '${id}'` }),
    ],
    ['the events of one store', (_, store) => ({ table: 'events', on: 'INSERT', row: `NEW.store_id = '${store}'` })],
    ['one session at commit', (id) => ({ table: 'sessions', on: 'UPDATE', row: `NEW.id = '${id}'`, isDeferred: true })],
  ])('fails for %s: every other session expires', async (_, faultOf) => {
    clock.advance(EXPIRES - 600 - clock.now().getTime() / 1000);
    const [store, other] = [await makeStore(db, config), await makeStore(db, config)];
    const bad = await sessions.make(store.storeId);
    const good: string[] = [];
    for (let n = 0; n < 5; n++) good.push(await sessions.make(other.storeId));
    await fault(faultOf(bad, store.storeId));
    clock.advance(700);
    const areExpired = async () =>
      (await Promise.all(good.map(sessions.read))).every(({ status }) => status === 'expired');
    await passUntil(() => expireSessions(context()), areExpired);
    for (const id of good) {
      expect((await sessions.read(id)).status).toBe('expired');
      expect(await sessions.eventsOf(id)).toEqual(['payment.expired']);
    }
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'session', id: bad }]);

    // Later batches are written together again: the step skips the quarantined row.
    const late = await sessions.make(other.storeId);
    await expireSessions(context());
    expect((await sessions.read(late)).status).toBe('expired');
    expect(await one('SELECT attempts FROM quarantine WHERE subject_id = $1', [bad])).toEqual({ attempts: 1 });

    await noFault();
    await settleQuarantined(context());
    expect((await sessions.read(bad)).status).toBe('pending');
    clock.advance(6);
    await settleQuarantined(context());
    expect((await sessions.read(bad)).status).toBe('expired');
    expect(await openQuarantine(db.pool)).toEqual([]);
  });

  it('is reported to operators by list, number, metric and mail, and retried at an operator’s request', async () => {
    const { storeId } = await makeStore(db, config);
    const bad = await sessions.make(storeId);
    const operator = await db.prisma.user.create({
      data: { email: 'operator@shop.example', passwordHash: '-', role: 'operator' },
    });
    await fault({ table: 'sessions', on: 'UPDATE', row: `NEW.id = '${bad}'` });
    clock.advance(1300);
    await expireSessions(context());
    await runAlarms(context());
    expect(await db.prisma.mail.count({ where: { recipient: operator.email } })).toBe(0);
    clock.advance(61);
    await settleQuarantined(context());
    await runAlarms(context());
    await runAlarms(context());
    const mails = await db.prisma.mail.findMany({ where: { recipient: operator.email } });
    expect(mails.map(({ subject }) => subject)).toEqual(['[Warning] Items in quarantine · Payment session']);
    expect(mails[0]?.body).not.toContain(bad);

    const { rows } = await listQuarantine(context(), { before: null, limit: 10 });
    expect(rows).toMatchObject([{ kind: 'session', subjectId: bad, storeId, step: 'expire sessions', attempts: 2 }]);
    expect(rows[0]?.error).toContain('a fault of this row');
    expect((await readOverview(context())).counts.quarantined).toBe(1);
    expect(await readMetrics(context())).toContain('stabletill_quarantine_open{kind="session"} 1');

    await noFault();
    await retryQuarantined(context(), { id: rows[0]?.id ?? '', by: `user:${operator.id}`, address: '203.0.113.9' });
    await settleQuarantined(context());
    expect((await sessions.read(bad)).status).toBe('expired');
    expect((await readOverview(context())).counts.quarantined).toBe(0);
    const again = retryQuarantined(context(), { id: rows[0]?.id ?? '', by: `user:${operator.id}`, address: '' });
    await expect(again).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
  });
});

describe('refunds', () => {
  const spec = localSpec('ethereum');
  const clock = new TestClock();
  const SENDS = `0x${'11'.repeat(20)}`;
  let scene: RefundScene;
  let sender: ChainSender;
  const failing = new Set<string>();
  beforeEach(async () => {
    failing.clear();
    sender = scriptedSender({ spec, scene: () => scene });
    const outcome: ChainSender['outcome'] = async (sent) => {
      if (failing.has(sent.order.intentId)) throw new TypeError('the answer about this payment cannot be read');
      return landed(sent.hash);
    };
    scene = await openRefundScene({ db, clock, spec, sender: { ...sender, outcome } });
  });

  const FAULTS: [string, (id: string) => DatabaseFault][] = [
    ['changing it', (id) => ({ table: 'refunds', on: 'UPDATE', row: `NEW.id = '${id}'` })],
    [
      'beginning it',
      (id) => ({ table: 'refund_status_changes', on: 'INSERT', row: `NEW.intent_id = '${id}' AND NEW.move = 'begin'` }),
    ],
    ['taking it', (id) => ({ table: 'refunds', on: 'UPDATE', row: `NEW.id = '${id}' AND NEW.epoch > OLD.epoch` })],
    ['drafting it', (id) => ({ table: 'refund_attempts', on: 'INSERT', row: `NEW.intent_id = '${id}'` })],
    [
      'noting its signature',
      (id) => ({ table: 'refund_attempts', on: 'UPDATE', row: `NEW.intent_id = '${id}' AND NEW.hash IS NOT NULL` }),
    ],
    ['its postings', (id) => ({ table: 'ledger_entries', on: 'INSERT', row: `NEW.intent_id = '${id}'` })],
    ['its event', (id) => ({ table: 'events', on: 'INSERT', row: `NEW.object_id = '${id}'` })],
  ];

  it.each(FAULTS)('%s fails for one: every other refund is sent', async (_, faultOf) => {
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push(await scene.refund({ to: SENDS, cents: 100n }));
    const [, bad = ''] = ids;
    await fault(faultOf(bad));
    for (let turn = 0; turn < 6; turn++) {
      await scene.pass();
      clock.advance(1);
    }
    for (const id of ids) if (id !== bad) expect((await scene.read(id)).status).toBe('completed');
    expect((await scene.read(bad)).status).not.toBe('completed');
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'refund', id: bad }]);

    await noFault();
    for (let turn = 0; turn < 40 && (await scene.read(bad)).status !== 'completed'; turn++) {
      clock.advance(10);
      await scene.pass();
    }
    expect((await scene.read(bad)).status).toBe('completed');
    expect(await scene.events(bad)).toEqual(['refund.succeeded']);
    await maintainQuarantine(scene.context);
    expect(await openQuarantine(db.pool)).toEqual([]);
  });

  it('an endpoint whose response about one payment throws delays only that refund', async () => {
    const [bad, good] = [await scene.refund({ to: SENDS }), await scene.refund({ to: SENDS })];
    failing.add(bad);
    for (let turn = 0; turn < 6; turn++) {
      await scene.pass();
      clock.advance(1);
    }
    expect((await scene.read(good)).status).toBe('completed');
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'refund', id: bad }]);
  });

  it('a failed refund that cannot be released at the signer does not block the release of others', async () => {
    const [bad, good] = [await scene.refund({ to: SENDS }), await scene.refund({ to: SENDS })];
    const { sender: former } = scene.sending;
    const reverted: ChainSender = {
      ...former,
      outcome: async ({ hash }) => ({ kind: 'reverted', hash, reason: 'it was' }),
    };
    await fault({ table: 'refunds', on: 'UPDATE', row: `NEW.id = '${bad}' AND OLD.to_release AND NOT NEW.to_release` });
    for (let turn = 0; turn < 4; turn++) {
      await scene.pass({ sender: reverted });
      clock.advance(1);
    }
    await scene.pass({ sender: reverted });
    expect(await scene.read(good)).toMatchObject({ status: 'failed', toRelease: false });
    expect(await scene.read(bad)).toMatchObject({ status: 'failed', toRelease: true });
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'refund', id: bad }]);
  });
});

describe('webhooks', () => {
  const clock = { now: () => new Date() };
  const FAULTS: [string, (delivery: string) => DatabaseFault][] = [
    ['taking it', (id) => ({ table: 'deliveries', on: 'UPDATE', row: `NEW.id = ${id}` })],
    ['noting its attempt', (id) => ({ table: 'delivery_attempts', on: 'INSERT', row: `NEW.delivery_id = ${id}` })],
    ['noting its answer', (id) => ({ table: 'delivery_attempts', on: 'UPDATE', row: `NEW.delivery_id = ${id}` })],
  ];
  /** The column keeps milliseconds: a rounded now() may lie half a millisecond ahead of the lease's. */
  const makeDue = () =>
    db.pool.query("UPDATE deliveries SET next_at = now() - interval '1 second' WHERE status = 'pending'");
  const statusOf = (sessionId: string) =>
    one<{ id: string; status: string }>(
      'SELECT d.id, d.status FROM deliveries d JOIN events e ON e.id = d.event_id WHERE e.object_id = $1',
      [sessionId],
    );

  it.each(FAULTS)('%s fails for one delivery: every other one arrives', async (_, faultOf) => {
    const receiver = await openReceiver();
    try {
      const context = testContext(db, clock, config);
      const [mine, other] = [
        await makeEndpoint(db, context, receiver.url),
        await makeEndpoint(db, context, receiver.url),
      ];
      const bad = await recordEvent(context, mine);
      const good = [await recordEvent(context, mine), await recordEvent(context, other)];
      const { id } = await statusOf(bad);
      await makeDue();
      await fault(faultOf(id));
      const areDelivered = async () =>
        (await Promise.all(good.map(statusOf))).every(({ status }) => status === 'delivered');
      await passUntil(() => deliverBatch(context), areDelivered);
      for (const sessionId of good) expect((await statusOf(sessionId)).status).toBe('delivered');
      expect((await statusOf(bad)).status).toBe('pending');
      expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'delivery', id }]);

      await noFault();
      await db.pool.query(`UPDATE quarantine SET next_run_at = now() - interval '1 second'`);
      await makeDue();
      await deliverBatch(context);
      expect((await statusOf(bad)).status).toBe('delivered');
      await maintainQuarantine(context);
      expect(await openQuarantine(db.pool)).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  it('a store whose secret cannot be opened does not block the events of other stores', async () => {
    const receiver = await openReceiver();
    try {
      const context = testContext(db, clock, config);
      const [mine, other] = [
        await makeEndpoint(db, context, receiver.url),
        await makeEndpoint(db, context, receiver.url),
      ];
      await db.pool.query(`UPDATE webhook_endpoints SET secret_ciphertext = '\\x00' WHERE store_id = $1`, [
        mine.storeId,
      ]);
      const [bad, good] = [await recordEvent(context, mine), await recordEvent(context, other)];
      await makeDue();
      await deliverBatch(context);
      expect((await statusOf(good)).status).toBe('delivered');
      expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'delivery', id: (await statusOf(bad)).id }]);
    } finally {
      await receiver.close();
    }
  });
});

describe('mails and notices', () => {
  const clock = new TestClock();

  it('a mail that cannot be handled does not block other mails', async () => {
    const context = testContext(db, clock, config);
    await db.pool.query('DELETE FROM mails');
    const values = { link: 'https://shop.example/reset' };
    for (const to of ['a@shop.example', 'bad@shop.example', 'c@shop.example'])
      await queueMail(db.pool, context, { to, kind: 'Reset', values, locale: null, now: clock.now() });
    await fault({ table: 'mails', on: 'UPDATE', row: `NEW.recipient = 'bad@shop.example'` });
    const sent: string[] = [];
    const send = sendMails(async ({ to }) => void sent.push(to));
    await send(context);
    await send(context);
    expect(sent).toEqual(['a@shop.example', 'c@shop.example']);
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'mail' }]);
    await noFault();
    clock.advance(6);
    await send(context);
    expect(sent).toEqual(['a@shop.example', 'c@shop.example', 'bad@shop.example']);
  });

  it('a pause that cannot be announced to its members does not block announcements to other stores', async () => {
    const context = testContext(db, clock, config);
    await db.pool.query('DELETE FROM mails');
    const [bad, good] = [await makeStore(db, config), await makeStore(db, config)];
    for (const { storeId } of [bad, good])
      await db.prisma.webhookPause.create({
        data: { storeId, environment: 'test', reason: 'gone', pausedAt: clock.now() },
      });
    await fault({ table: 'webhook_pauses', on: 'UPDATE', row: `NEW.store_id = '${bad.storeId}'` });
    await notifyPaused(context);
    const announced = await db.prisma.webhookPause.findMany({ where: { noticedAt: { not: null } } });
    expect(announced.map(({ storeId }) => storeId)).toEqual([good.storeId]);
    expect(await db.prisma.mail.count()).toBe(1);
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'pause' }]);
  });
});
