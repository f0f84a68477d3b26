// Payments by one link have order ids that begin with the link's id, so they look alike without the link's title.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOpenLink } from '@/lib/api/public/open-link';
import { openServices } from '@/lib/api/services';
import { createPaymentLink } from '@/lib/payments/links/change';
import { newFormSeal } from '@/lib/payments/links/page';
import { SYSTEM } from '@/lib/merchants/stores/actor';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeAddresses, makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { FIRST_PAGE } from './keyset';
import { listPayments } from './payments';
import { formRequest } from '@/testing/page-form';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test('a payment by a link is listed under the title of the link', async () => {
  const clock = new TestClock();
  const services = openServices(testContext(database, clock, testConfig()), () => []);
  const { storeId } = await makeStore(database, services.config);
  await makeAddresses(database, 2);
  await makeChain(database, 'ethereum', clock.now().getTime() / 1000);
  const of = { storeId, environment: 'test' } as const;
  const wish = {
    description: null,
    currency: 'USD',
    amount: 1250,
    least_amount: null,
    most_amount: null,
    most_paid: null,
  };
  const link = await createPaymentLink(services, of, { ...wish, title: 'Birthday cake' }, SYSTEM);
  const request = formRequest(`/link/${link.id}/open`, { name: newFormSeal(services.config, link.id) });
  expect((await answerOpenLink(services, link.id, request)).status).toBe(303);
  const { rows } = await listPayments(services, of, {}, FIRST_PAGE);
  expect(rows.map(({ linkTitle }) => linkTitle)).toEqual(['Birthday cake']);
});
