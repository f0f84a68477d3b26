import { afterAll, beforeAll, expect, test } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { answerCron } from './cron';
import { openServices, type Services } from './services';

const SECRET = 'a-secret-of-the-host';
let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const call = (services: Services, authorization: string | null, method = 'POST') =>
  answerCron(services, { method, authorization });
const servicesWith = (over: Record<string, string>): Services =>
  openServices(testContext(db, new TestClock(), testConfig({ SIGNER_SOCKET: '/nowhere/signer.sock', ...over })));

test('without a secret in the settings the path does not exist', async () => {
  for (const method of ['GET', 'POST', 'HEAD'])
    expect((await call(servicesWith({}), `Bearer ${SECRET}`, method)).status).toBe(404);
});

test.each([[null], ['Bearer wrong'], ['Bearer '], [SECRET], [`Basic ${SECRET}`]])(
  'credentials %s are refused',
  async (given) => {
    expect((await call(servicesWith({ CRON_SECRET: SECRET }), given)).status).toBe(401);
  },
);

test('a run executes every step although one of them fails, and a failed step makes the response 500', async () => {
  const services = servicesWith({ CRON_SECRET: SECRET });
  const [first, second] = await Promise.all([
    call(services, `Bearer ${SECRET}`),
    call(services, `Bearer ${SECRET}`, 'GET'),
  ]);
  expect([first.status, second.status]).toEqual([500, 500]);
  const { steps } = JSON.parse(first.body) as { steps: { name: string; failed: boolean; runs: number }[] };
  const outcome = Object.fromEntries(steps.map(({ name, failed }) => [name, failed]));
  // No signer responds here, so the address pool cannot be filled.
  expect(outcome).toEqual({
    'announce payout addresses': false,
    'mail about payout rates': false,
    'request scheduled payouts': false,
    'follow cold returns': false,
    'quarantine frozen money': false,
    'prove the reserves': false,
    'watch test ethereum': false,
    'watch test bsc': false,
    'refunds test ethereum': false,
    'refunds test bsc': false,
    'sweep test ethereum': false,
    'sweep test bsc': false,
    'own wallets test ethereum': false,
    'own wallets test bsc': false,
    'reconcile test ethereum': false,
    'reconcile test bsc': false,
    'fee of test ethereum': false,
    'fee of test bsc': false,
    'endpoints of test ethereum': false,
    'endpoints of test bsc': false,
    'store request usage': false,
    'store objectives': false,
    'store the status': false,
    'add sessions up': false,
    'book outflows': false,
    'guard the wallets on test ethereum': false,
    'guard the wallets on test bsc': false,
    'correct payment times': false,
    'book coins': false,
    'balances test ethereum': false,
    'balances test bsc': false,
    'expire sessions': false,
    'store quarantined transfers': false,
    'settle quarantined sessions': false,
    'tend quarantine': false,
    'tend security events': false,
    'tend alarms': false,
    'post alarms': false,
    'watch the audit log': false,
    'fill the address pool': true,
    'fetch exchange rates': false,
    'deliver webhooks': false,
    'clear what is spent': false,
    'clear accounts': false,
    'clear webhook hours': false,
    'remove old records': false,
    'freeze switch': false,
    'send mails': false,
    'tell of paused endpoints': false,
    'mail notices': false,
    'close statement months': false,
    'record the wallets': false,
  });
});

test('a run without the evidence key watches no chain, and fails when no other worker does', async () => {
  const clock = new TestClock();
  const config = { ...testConfig({ CRON_SECRET: SECRET }), EVIDENCE_KEY: undefined };
  const pass = async () => {
    const { body } = await call(openServices(testContext(db, clock, config)), `Bearer ${SECRET}`);
    const { steps } = JSON.parse(body) as { steps: { name: string; failed: boolean }[] };
    return Object.fromEntries(steps.map(({ name, failed }) => [name, failed]));
  };
  const alone = await pass();
  expect(alone).toMatchObject({ 'watch test ethereum': true, 'watch test bsc': true });
  expect(Object.keys(alone)).not.toContain('balances test ethereum');
  expect(Object.keys(alone)).not.toContain('freeze switch');
  await makeChain(db, 'ethereum', unixSeconds(clock.now()));
  await db.pool.query('UPDATE chains SET scanned_at = $1', [clock.now()]);
  expect(await pass()).toMatchObject({ 'watch test ethereum': false, 'watch test bsc': true });
  clock.advance(121);
  expect(await pass()).toMatchObject({ 'watch test ethereum': true });
});
