// The link to the first set-up, which the web process prints when it starts.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openServices } from './services';
import { offerSetup } from './start-web';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

test('a new installation prints the link although its database did not answer at first', async () => {
  const services = openServices(testContext(db, new TestClock(), testConfig()), () => []);
  let failures = 3;
  const connect = db.pool.connect.bind(db.pool);
  const failing = vi.spyOn(db.pool, 'connect').mockImplementation((async () => {
    if (failures-- > 0) throw new Error('Connection terminated due to connection timeout');
    return connect();
  }) as never);
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await offerSetup(services, 1);
    expect(failing.mock.calls.length).toBeGreaterThan(3);
    expect(printed.mock.calls.flat().join()).toMatch(/There is no operator yet\. .*\/setup\?token=/);
  } finally {
    printed.mockRestore();
    failing.mockRestore();
  }
});
