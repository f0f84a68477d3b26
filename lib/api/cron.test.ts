import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { TestClock, testConfig, testContext } from '@/lib/testing/fixtures';
import { answerCron } from './cron';
import { openServices, type Services } from './services';

const SECRET = 'a-secret-of-the-host';
let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const servicesWith = (over: Record<string, string>): Services =>
  openServices(testContext(db, new TestClock(), testConfig({ SIGNER_SOCKET: '/nowhere/signer.sock', ...over })));

test('without a secret in the settings the path does not exist', async () => {
  expect((await answerCron(servicesWith({}), `Bearer ${SECRET}`)).status).toBe(404);
});

test.each([[null], ['Bearer wrong'], ['Bearer '], [SECRET], [`Basic ${SECRET}`]])(
  'credentials %s are refused',
  async (given) => {
    expect((await answerCron(servicesWith({ CRON_SECRET: SECRET }), given)).status).toBe(401);
  },
);

test('one pass runs every step, and a step that cannot work keeps no other from running', async () => {
  const services = servicesWith({ CRON_SECRET: SECRET });
  const [first, second] = await Promise.all([
    answerCron(services, `Bearer ${SECRET}`),
    answerCron(services, `Bearer ${SECRET}`),
  ]);
  expect([first.status, second.status]).toEqual([200, 200]);
  const { steps } = JSON.parse(first.body) as { steps: { name: string; failed: boolean; runs: number }[] };
  const outcome = Object.fromEntries(steps.map(({ name, failed }) => [name, failed]));
  // No signer answers here, so no addresses can be made; nothing else suffers from it.
  expect(outcome).toEqual({
    'watch test ethereum': false,
    'watch test bsc': false,
    'refunds test ethereum': false,
    'refunds test bsc': false,
    'reconcile test ethereum': false,
    'reconcile test bsc': false,
    'fee of test ethereum': false,
    'fee of test bsc': false,
    'endpoints of test ethereum': false,
    'endpoints of test bsc': false,
    'second pass test ethereum': false,
    'second pass test bsc': false,
    'expire sessions': false,
    'fill the address pool': true,
    'fetch exchange rates': false,
    'deliver webhooks': false,
    'clear what is spent': false,
    'clear accounts': false,
    'clear webhook hours': false,
    'freeze switch': false,
    'send mails': false,
    'tell of paused endpoints': false,
  });
});
