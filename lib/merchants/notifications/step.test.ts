// The mails about payment exceptions and undelivered events: who gets them, how many, and what they say.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { approveStore, rejectStore } from '@/lib/merchants/stores/approve';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openAccounts, type Accounts } from '@/testing/accounts';
import { makeFault } from '@/testing/database/database-fault';
import { makeChain } from '@/testing/fixtures';
import { openSettledSessions } from '@/testing/payments/settled-session';
import { makeEndpoint, recordEvent, type TestEndpoint } from '@/testing/receivers/webhooks';
import type { MemberRole } from '@/prisma/generated/enums';
import { writeOutcomes } from '@/lib/webhooks/delivery/write-outcomes';
import { chooseMails, readMailChoices } from './mail-choices';
import { mailNotices } from './step';

const SECRET_URL = 'http://127.0.0.1:9/hook-with-a-secret';
const NONE = { exceptions: false, deliveries: false, decisions: false };
let accounts: Accounts;
let sessions: ReturnType<typeof openSettledSessions>;
let store: TestEndpoint;

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, clock } = accounts;
  sessions = openSettledSessions(database, clock, { ethereum: await makeChain(database, 'ethereum', 1_800_000_000) });
});
afterAll(() => accounts.close());
beforeEach(async () => {
  store = await makeEndpoint(accounts.database, accounts.context, SECRET_URL);
});
afterEach(async () => {
  await query('TRUNCATE mails, notice_mails, quarantine, deliveries CASCADE');
  await query('UPDATE payment_exceptions SET is_notice_due = false');
});

const mailAll = () => mailNotices(accounts.context);
const query = async (text: string, values: unknown[] = []) => (await accounts.database.pool.query(text, values)).rows;
const recipients = async (): Promise<string[]> =>
  (await query('SELECT recipient FROM mails ORDER BY recipient')).map(({ recipient }) => recipient);
const founder = async (storeId = store.storeId): Promise<string> =>
  (await query('SELECT u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.store_id = $1', [storeId]))[0]
    .email;
async function member(role: MemberRole): Promise<{ id: string; email: string }> {
  const made = await accounts.user({ email: `${role}-${randomUUID()}@shop.example` });
  await accounts.member(store.storeId, made.id, role);
  return made;
}

/** An exception of a session, as settling opens it. */
async function exception(environment: Environment = 'live', orderId: string = randomUUID()): Promise<string> {
  const session = await sessions.make(store.storeId, 'expired');
  const transfer = await sessions.transfer(session, { cents: 1250 });
  await transaction(accounts.database.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query('UPDATE sessions SET order_id = $2 WHERE id = $1', [session, orderId]);
    await tx.query(
      `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
       VALUES ($1, $2::"Environment", $3, $4, 'late', 12500000)`,
      [store.storeId, environment, session, transfer],
    );
  });
  return session;
}

/** An event whose last attempt ends with this status, as the dispatcher writes it down. */
async function undelivered(status = 503, of = store): Promise<string> {
  await recordEvent(accounts.context, of);
  const [row] = await query(
    `UPDATE deliveries SET attempts = 6 WHERE id = (SELECT max(id) FROM deliveries WHERE store_id = $1) RETURNING id, epoch`,
    [of.storeId],
  );
  await query(`INSERT INTO delivery_attempts (delivery_id, number, url) VALUES ($1, 6, $2)`, [row.id, SECRET_URL]);
  const outcome = { kind: 'answered', status, answer: '' } as const;
  const endedAt = accounts.clock.now();
  await writeOutcomes(accounts.context, [
    { id: row.id, epoch: row.epoch, attempts: 6, lane: 'first', outcome, endedAt, milliseconds: 5, headers: null },
  ]);
  return row.id;
}

describe('a payment exception', () => {
  test('is mailed to those who may decide, with amount, network, order and a link to it, and to no other store', async () => {
    const [owner, support] = [await founder(), await member('support')];
    await member('viewer');
    await member('developer');
    await makeEndpoint(accounts.database, accounts.context, SECRET_URL);
    const session = await exception('live', 'order-7');
    await Promise.all([mailAll(), mailAll()]);
    expect(await recipients()).toEqual([owner, support.email].toSorted());
    const text = (await accounts.lastMail(support.email))?.text;
    for (const part of ['12.50 USDT', 'ethereum', 'order-7', `/dashboard/${store.storeId}/live/payments/${session}\n`])
      expect(text).toContain(part);
    expect(text).toContain(`/dashboard/${store.storeId}/members#mails`);
    expect(text).not.toContain('since the last mail');
  });

  test('of the test environment, or decided before the mail, is not mailed', async () => {
    await exception('test');
    await exception();
    await query(
      `UPDATE payment_exceptions SET state = 'left', decided_by = 'merchant:1', decided_at = now() WHERE store_id = $1`,
      [store.storeId],
    );
    await mailAll();
    expect(await recipients()).toEqual([]);
    await exception();
    await mailAll();
    expect(await recipients()).toHaveLength(1);
  });

  test('causes at most one mail an hour, which counts the others', async () => {
    const owner = await founder();
    await exception();
    await mailAll();
    for (let n = 0; n < 3; n++) await exception();
    accounts.clock.advance(3599);
    await mailAll();
    expect(await recipients()).toEqual([owner]);
    accounts.clock.advance(1);
    await mailAll();
    await mailAll();
    expect(await recipients()).toEqual([owner, owner]);
    expect((await accounts.lastMail(owner))?.text).toContain('since the last mail: 2.');
  });

  test('with a multi-line order id adds no line to the mail and nothing to its subject', async () => {
    await exception('live', 'x\r\nBcc: thief@example.test\u2028{link}');
    await mailAll();
    const mail = await accounts.lastMail(await founder());
    expect(mail?.text).toContain('Order: x Bcc: thief@example.test {link}\n');
    expect(mail?.subject).toBe('A payment needs your decision');
  });
});

describe('an undelivered event', () => {
  test('is mailed with its last response, a link to the delivery and the offer of retries, without the address’s path', async () => {
    const delivery = await undelivered();
    await mailAll();
    const text = (await accounts.lastMail(await founder()))?.text;
    const page = `/dashboard/${store.storeId}/test/webhooks`;
    for (const part of [
      'Environment: test',
      'payment.cancelled',
      '127.0.0.1:9',
      '503',
      `${page}/deliveries/${delivery}\n`,
    ])
      expect(text).toContain(part);
    expect(text).toContain(`${page}#endpoint`);
    expect(text).toContain('5, 10, 20, 40 minutes and 1:20, 2:40, 5:20, 10:40, 12:00, 12:00, 12:00, 12:00 hours');
    expect(text).not.toContain('hook-with-a-secret');
  });

  test('is not mailed while it is retried for three days', async () => {
    await query('UPDATE webhook_endpoints SET slow_lane = true WHERE store_id = $1', [store.storeId]);
    await undelivered();
    await mailAll();
    expect(await recipients()).toEqual([]);
    await undelivered(404);
    await mailAll();
    expect(await recipients()).toHaveLength(1);
    expect((await accounts.lastMail(await founder()))?.text).not.toContain('#endpoint');
  });

  test('of a server that fails often causes one mail an hour and delays no other store’s mail', async () => {
    const other = await makeEndpoint(accounts.database, accounts.context, SECRET_URL);
    for (let n = 0; n < 15; n++) await undelivered();
    await undelivered(503, other);
    await mailAll();
    await undelivered();
    await mailAll();
    expect(await recipients()).toEqual([await founder(), await founder(other.storeId)].toSorted());
    expect((await accounts.lastMail(await founder()))?.text).toContain('since the last mail: 14.');
  });
});

describe('a member', () => {
  test('gets no mail of a kind that they turned off, while the others still do', async () => {
    const developer = await member('developer');
    await chooseMails(accounts.database.pool, { storeId: store.storeId, userId: developer.id, choices: NONE });
    await undelivered();
    await mailAll();
    expect(await recipients()).toEqual([await founder()]);
  });

  test('without the right to read deliveries gets no mail about them, whatever they chose', async () => {
    const viewer = await member('viewer');
    const of = { storeId: store.storeId, userId: viewer.id };
    expect(await readMailChoices(accounts.database.pool, of)).toEqual(NONE);
    await chooseMails(accounts.database.pool, {
      ...of,
      choices: { exceptions: true, deliveries: true, decisions: true },
    });
    expect(await readMailChoices(accounts.database.pool, of)).toMatchObject({ exceptions: true, deliveries: false });
    await undelivered();
    await exception();
    await mailAll();
    expect((await recipients()).filter((one) => one === viewer.email)).toHaveLength(1);
    expect((await accounts.lastMail(viewer.email))?.subject).toContain('needs your decision');
  });

  test('whose mail cannot be written does not prevent the mails of other members', async () => {
    const bad = await member('owner');
    const endFault = await makeFault(accounts.database.pool, {
      table: 'mails',
      on: 'INSERT',
      row: `NEW.recipient = '${bad.email}'`,
    });
    await undelivered();
    await mailAll();
    await endFault();
    expect(await recipients()).toEqual([await founder()]);
  });

  test('is mailed about the store’s approval and refusal unless they turned it off, with a link to the store', async () => {
    const { database, context } = accounts;
    const quiet = await member('owner');
    await chooseMails(database.pool, { storeId: store.storeId, userId: quiet.id, choices: NONE });
    const waits = () => forceStoreStatus(database.pool, store.storeId, 'pending');
    for (const decide of [approveStore, rejectStore]) {
      await waits();
      await decide(context, { storeId: store.storeId, reason: 'because' });
      expect((await accounts.lastMail(await founder()))?.text).toContain(`/dashboard/${store.storeId}/`);
    }
    expect(await recipients()).toEqual([await founder(), await founder()]);
  });
});
