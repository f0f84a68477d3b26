// What becomes an alarm, how often operators are mailed about it, and what ends it: on a real database, with a test clock.

import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acknowledgeAlarm, listClosedAlarms, listOpenAlarms } from '@/lib/dashboard/operator/alarms';
import { readOverview } from '@/lib/dashboard/operator/overview';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openAccounts, type Accounts, type TestUser } from '@/testing/accounts';
import { makeStore, testContext } from '@/testing/fixtures';
import { openReceiver, verifies } from '@/testing/receivers/receiver';
import { postAlarms } from './post';
import { runAlarms } from './step';

const SECRET = 'a secret of the alarm receiver';
const MINUTE = 60;
const HOUR = 3600;
let accounts: Accounts;
let operator: TestUser;
let lines: string[] = [];

beforeAll(async () => {
  accounts = await openAccounts();
  operator = await accounts.user({ role: 'operator', hasTotp: true });
});
afterAll(() => accounts.close());
beforeEach(async () => {
  lines = [];
  await query('TRUNCATE alarms, mails, signer_states, discrepancies, step_failures, quarantine');
  await query(`UPDATE stores SET status = 'approved'`);
  await query(
    `UPDATE payment_exceptions SET state = 'left', decided_by = 'operator:x', decided_at = now() WHERE state = 'open'`,
  );
});

const query = (text: string, values: unknown[] = []) => accounts.database.pool.query(text, values);
const now = () => accounts.clock.now();
const wait = (seconds: number) => accounts.clock.advance(seconds);

/** A configuration without networks, which nothing here scans. */
const contextOf = (over: object = {}) => ({
  ...testContext(accounts.database, accounts.clock, { ...accounts.config, endpoints: new Map(), ...over }),
  log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
});
const run = () => runAlarms(contextOf());
const mails = async (): Promise<string[]> =>
  (await query('SELECT subject FROM mails WHERE recipient = $1 ORDER BY id', [operator.email])).rows.map(
    ({ subject }) => subject,
  );
const signer = (trouble: string | null, isFrozen = false) =>
  query(
    `INSERT INTO signer_states (id, is_frozen, trouble, checked_at) VALUES (1, $1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET is_frozen = $1, trouble = $2, checked_at = $3`,
    [isFrozen, trouble, now()],
  );
const difference = (environment: 'live' | 'test', address: string) =>
  query(
    `INSERT INTO discrepancies (environment, network, chain_id, currency, address, expected, found, found_at)
     VALUES ($1::"Environment", 'tron', 1, 'USDT', $2, 1, 2, $3)`,
    [environment, address, now()],
  );
const FROZEN = '[Critical] Signing is stopped';
const acknowledge = async () => {
  const [alarm] = await listOpenAlarms(contextOf());
  await acknowledgeAlarm(contextOf(), { id: alarm?.id ?? '', by: `user:${operator.id}`, address: '192.0.2.1' });
};

describe('operators are mailed', () => {
  test('a critical alarm at once, again every hour, and at most twelve times', async () => {
    await signer(null, true);
    await run();
    await run();
    expect(await mails()).toEqual([FROZEN]);
    wait(HOUR - 1);
    await run();
    expect(await mails()).toHaveLength(1);
    for (let hour = 0; hour < 20; hour++) {
      wait(HOUR);
      await run();
    }
    expect(await mails()).toEqual(Array.from({ length: 12 }, () => FROZEN));
  });

  test('a critical alarm, although a roll-back has left alarms of kinds that this version does not know', async () => {
    for (const isOver of [false, true])
      await query(
        `INSERT INTO alarms (kind, subject, severity, count, opened_at, last_seen_at, next_notification_at, post_at, closed_at)
         VALUES ('of_a_later_version', $2, 'critical', 1, $1, $1, $1, $1, CASE WHEN $3 THEN $1::timestamptz END)`,
        [now(), String(isOver), isOver],
      );
    await signer(null, true);
    await run();
    expect(await mails()).toEqual([FROZEN]);
    expect((await listOpenAlarms(contextOf())).map(({ kind }) => kind)).toEqual(['signer_frozen']);
    expect((await listClosedAlarms(contextOf(), { before: null, limit: 9 })).rows).toEqual([]);
  });

  test('of a second operator’s reset at once', async () => {
    const reset = async () =>
      query(
        `INSERT INTO operator_resets (id, user_id, requested_at, ready_at, lapses_at)
         SELECT gen_random_uuid(), $1, $2::timestamptz, $2::timestamptz + interval '1 day', $2::timestamptz + interval '4 days'`,
        [(await accounts.user({ role: 'operator' })).id, now()],
      );
    await reset();
    await run();
    wait(MINUTE);
    await reset();
    await run();
    const REQUESTED = /^\[Critical\] .* · [0-9a-f]{8}$/;
    expect(await mails()).toEqual([expect.stringMatching(REQUESTED), expect.stringMatching(REQUESTED)]);
    await query('TRUNCATE operator_resets');
  });

  test('the severity, the condition, what to do, and a link to the page that handles it', async () => {
    await difference('live', 'TXaddressOfACustomer');
    await run();
    expect(await mails()).toEqual(['[Critical] Ledger and chain differ · Live']);
    const { text } = (await accounts.lastMail(operator.email))!;
    expect(text).toContain('Find the cause before you resume signing.');
    expect(text).toContain(`${accounts.config.PUBLIC_URL}/operator/wallets#differences`);
    expect(text).toContain(`${accounts.config.PUBLIC_URL}/operator/alarms`);
    expect(text + lines.join('')).not.toContain('TXaddressOfACustomer');
  });

  test('not again after an audited acknowledgement, and once when it is over', async () => {
    await signer(null, true);
    await run();
    await acknowledge();
    await acknowledge();
    wait(2 * HOUR);
    await run();
    expect(await mails()).toEqual([FROZEN]);
    const { rows } = await query(`SELECT actor, details FROM audit_entries WHERE action = 'alarm.acknowledge'`);
    expect(rows).toMatchObject([{ actor: `user:${operator.id}` }]);
    await signer(null, false);
    wait(2 * MINUTE);
    await run();
    await run();
    wait(2 * HOUR);
    await run();
    expect(await mails()).toEqual([FROZEN, '[Resolved] Signing is stopped']);
    expect(await listOpenAlarms(contextOf())).toEqual([]);
    const { rows: closed } = await listClosedAlarms(contextOf(), { before: null, limit: 10 });
    expect(closed).toMatchObject([{ kind: 'signer_frozen', acknowledgedBy: operator.email }]);
  });

  test('again within an hour of a new row, although it was acknowledged', async () => {
    await difference('live', 'one');
    await run();
    await acknowledge();
    wait(10 * MINUTE);
    await difference('live', 'another');
    await run();
    expect(await mails()).toHaveLength(1);
    expect(await listOpenAlarms(contextOf())).toMatchObject([{ acknowledgedAt: null, count: 2 }]);
    wait(50 * MINUTE);
    await run();
    expect(await mails()).toEqual([
      '[Critical] Ledger and chain differ · Live',
      '[Critical] Ledger and chain differ · Live (2)',
    ]);
    await acknowledge();
    await difference('live', 'found earlier');
    await query(`UPDATE discrepancies SET found_at = found_at - interval '1 day' WHERE address = 'found earlier'`);
    await run();
    expect(await listOpenAlarms(contextOf())).toMatchObject([{ acknowledgedAt: null, count: 3 }]);
  });

  test('nothing about an alarm that ended before its delay, and one mail about a flickering one', async () => {
    await signer('no answer');
    await run();
    wait(30);
    await signer(null);
    wait(40);
    await run();
    expect(await mails()).toEqual([]);
    expect((await query('SELECT 1 FROM alarms')).rowCount).toBe(0);
    for (let pass = 0; pass < 20; pass++) {
      await signer(pass % 2 === 0 ? 'no answer' : null);
      await run();
      wait(15);
    }
    expect(await mails()).toEqual(['[Critical] The signer does not answer']);
  });

  test('of one source is there although another source cannot be read, and no alarm closes meanwhile', async () => {
    await signer(null, true);
    await run();
    await query('ALTER TABLE screenings RENAME TO screenings_away');
    try {
      await difference('live', 'T1');
      wait(2 * MINUTE);
      await query('UPDATE signer_states SET is_frozen = false');
      await expect(run()).rejects.toThrow('screenings');
      const { rows } = await query('SELECT kind FROM alarms WHERE closed_at IS NULL ORDER BY kind');
      expect(rows.map(({ kind }) => kind)).toEqual(['differences', 'signer_frozen']);
    } finally {
      await query('ALTER TABLE screenings_away RENAME TO screenings');
    }
    await run();
    const { rows } = await query('SELECT kind FROM alarms WHERE closed_at IS NULL');
    expect(rows.map(({ kind }) => kind)).toEqual(['differences']);
  });

  test('one mail for all alarms of a run, the most severe first, and one an hour for a flood of new stores', async () => {
    await signer(null, true);
    await difference('test', 'play money');
    await query(
      `INSERT INTO step_failures (step, message, failures, since, last_at) VALUES ('send mails', 'x', 3, $1, $1)`,
      [now()],
    );
    await run();
    expect(await mails()).toEqual([`${FROZEN} (+1)`]);
    await query('TRUNCATE alarms, mails, signer_states, discrepancies, step_failures');
    for (let pass = 0; pass < 60; pass++) {
      const { storeId } = await makeStore(accounts.database, accounts.config);
      await forceStoreStatus(accounts.database.pool, storeId, 'pending');
      await query('UPDATE stores SET created_at = $2 WHERE id = $1', [storeId, now()]);
      await run();
      wait(MINUTE - 1);
    }
    expect(await mails()).toHaveLength(1);
    wait(MINUTE);
    await run();
    expect(await mails()).toHaveLength(2);
    expect((await mails())[1]).toBe('[Notice] Stores wait for a decision (60)');
  });

  test('only once when two workers run', async () => {
    await signer(null, true);
    await Promise.all([run(), run(), run(), run()]);
    expect(await mails()).toEqual([FROZEN]);
  });
});

test('an alarm of the test environment is less severe, and many exceptions are one notice', async () => {
  await difference('test', 'one');
  const { storeId } = await makeStore(accounts.database, accounts.config);
  const exceptions = (from: number, to: number) =>
    query(
      `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
       SELECT $1, 'live', 'cs_live_' || n, n, 'late', 1 FROM generate_series($2::int, $3::int) n`,
      [storeId, from, to],
    );
  await exceptions(1, 19);
  await run();
  expect(await listOpenAlarms(contextOf())).toMatchObject([
    { kind: 'differences', subject: 'test', severity: 'warning' },
  ]);
  await exceptions(20, 25);
  await run();
  expect(await listOpenAlarms(contextOf())).toMatchObject([
    { kind: 'differences' },
    { kind: 'exceptions', severity: 'notice', count: 25 },
  ]);
  expect((await readOverview(contextOf())).alarms).toMatchObject([
    { kind: 'differences', severity: 'warning', isAcknowledged: false },
    { kind: 'exceptions', severity: 'notice', isAcknowledged: false },
  ]);
});

test('deposit addresses below a quarter of the pool are an alarm for two minutes before it is mailed, until they are made', async () => {
  const context = contextOf({ endpoints: new Map([['LIVE_BSC_URLS', []]]), ADDRESS_POOL_SIZE: 8 });
  const open = async () => (await listOpenAlarms(context)).filter(({ kind }) => kind === 'addresses_low');
  const make = (count: number, environment = 'live') =>
    query(
      `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address)
       SELECT $1::"Environment", 1000 + n, gen_random_uuid()::text, gen_random_uuid()::text, gen_random_uuid()::text
       FROM generate_series((SELECT count(*) FROM address_pool), (SELECT count(*) FROM address_pool) + $2::int - 1) n`,
      [environment, count],
    );
  await query('TRUNCATE address_pool');
  await make(1);
  await make(5, 'test');
  await runAlarms(context);
  wait(2 * MINUTE - 1);
  await runAlarms(context);
  expect(await mails()).not.toContain('[Critical] Few deposit addresses are left · Live');
  wait(1);
  await runAlarms(context);
  expect(await mails()).toContain('[Critical] Few deposit addresses are left · Live');
  expect(await open()).toMatchObject([{ subject: 'live', severity: 'critical', count: 1 }]);
  await make(1);
  wait(2 * MINUTE);
  await runAlarms(context);
  expect(await open()).toEqual([]);
  // Nothing takes addresses while no network is followed.
  await query('TRUNCATE address_pool');
  await run();
  expect(await open()).toEqual([]);
});

test('acknowledging an unknown alarm is refused', async () => {
  for (const id of ['1', 'x', ''])
    await expect(
      acknowledgeAlarm(contextOf(), { id, by: `user:${operator.id}`, address: '192.0.2.1' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('the alarm webhook', () => {
  const withHook = (url: string) =>
    contextOf({ ALARM_WEBHOOK_URL: url, ALARM_WEBHOOK_SECRET: SECRET, WEBHOOKS_TO_LOOPBACK: true });

  test('gets the mailed alarms, signed, in one request, until it accepts them; mails do not wait for it', async () => {
    const receiver = await openReceiver((n) => (n === 0 ? 503 : 200));
    const context = withHook(receiver.url);
    try {
      await signer(null, true);
      await difference('live', 'TXaddressOfACustomer');
      await runAlarms(context);
      expect(await mails()).toHaveLength(1);
      await postAlarms()(context);
      await postAlarms()(context);
      expect(receiver.received).toHaveLength(1);
      wait(MINUTE);
      await postAlarms()(context);
      wait(MINUTE);
      await postAlarms()(context);
      expect(receiver.received).toHaveLength(2);
      const [, call] = receiver.received;
      expect(verifies(call!, SECRET)).toBe(true);
      const body = JSON.parse(call!.body.toString()) as { text: string };
      expect(body).toMatchObject({
        type: 'alarms',
        text: expect.stringContaining('[Critical] Signing is stopped\nNo refund is sent') as string,
        alarms: [
          { kind: 'signer_frozen', severity: 'critical', state: 'open', count: 1, closed_at: null },
          { kind: 'differences', subject: 'live', link: expect.stringContaining('/operator/wallets') as string },
        ],
      });
      expect(call!.body.toString() + lines.join('')).not.toContain('TXaddressOfACustomer');
      expect(lines.join('')).not.toContain(receiver.url);
    } finally {
      await receiver.close();
    }
  });

  test('is not called in a private network, and is not retried after a day', async () => {
    const context = contextOf({ ALARM_WEBHOOK_URL: 'https://10.0.0.1/hook', ALARM_WEBHOOK_SECRET: SECRET });
    await signer(null, true);
    await runAlarms(context);
    await postAlarms()(context);
    expect(lines.join('')).toContain('"outcome":"refused"');
    wait(25 * HOUR);
    await postAlarms()(context);
    expect((await query('SELECT 1 FROM alarms WHERE post_at IS NOT NULL')).rowCount).toBe(0);
  });

  test('leaves nothing to post when the settings name none', async () => {
    await signer(null, true);
    await run();
    expect((await query('SELECT 1 FROM alarms WHERE post_at IS NOT NULL')).rowCount).toBe(0);
  });
});
