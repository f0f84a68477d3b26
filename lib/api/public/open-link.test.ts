// A payment link's form makes sessions for its store: one for each form and price, and none where the link, its store or its
// limits do not allow it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPaymentLink, switchPaymentLink, type PaymentLinkInput } from '@/lib/payments/links/change';
import type { PaymentLink } from '@/lib/payments/links/link';
import { newFormSeal, readLink } from '@/lib/payments/links/page';
import { offeredIn } from '@/lib/payments/sessions/create/offered';
import { createSessionByStore } from '@/lib/payments/sessions/by-store';
import { SYSTEM } from '@/lib/merchants/stores/actor';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  TestClock,
  testConfig,
  testContext,
  type TestStore,
} from '@/testing/fixtures';
import { formRequest } from '@/testing/page-form';
import { addPayment, type PaymentRow } from '@/testing/payments/payment-row';
import { answerOpenLink } from './open-link';
import { clientHeader } from '@/lib/api/client-address';
import { openServices, type Services } from '@/lib/api/services';

let database: TestDatabase;
let clock: TestClock;
let services: Services;
let store: TestStore;

beforeAll(async () => {
  database = await openTestDatabase();
  clock = new TestClock();
  const config = testConfig({ RATE_SOURCES: 'coinbase kraken er-api' });
  // None of them responds.
  services = openServices(testContext(database, clock, config), () => []);
  store = await makeStore(database, services.config);
  await makeAddresses(database, 300);
  await makeChain(database, 'ethereum', clock.now().getTime() / 1000);
  await makeChain(database, 'tron', clock.now().getTime() / 1000);
});
afterAll(() => database.close());

const link = (over: Partial<PaymentLinkInput> = {}, storeId = store.storeId): Promise<PaymentLink> =>
  createPaymentLink(
    services,
    { storeId, environment: 'test' },
    {
      title: 'Guided walk',
      description: null,
      currency: 'USD',
      amount: 1250,
      least_amount: null,
      most_amount: null,
      most_paid: null,
      ...over,
    },
    SYSTEM,
  );

const seal = (linkId: string): string => newFormSeal(services.config, linkId);

/** Sends the form; returns the path of the redirect, or the error's status. */
async function press(linkId: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const request = formRequest(`/link/${linkId}/open`, fields, headers);
  const answer = await answerOpenLink(services, linkId, request);
  return answer.status === 303 ? (answer.headers.Location ?? '') : String(answer.status);
}

const sessionsOf = async (linkId: string): Promise<number> =>
  (await database.pool.query('SELECT FROM payment_link_sessions WHERE link_id = $1', [linkId])).rowCount ?? 0;
const setStore = (status: string) =>
  database.pool.query('UPDATE stores SET status = $2::"StoreStatus" WHERE id = $1', [store.storeId, status]);
const by = clientHeader;
const endSession = (id: string, status: 'completed' | 'expired') =>
  database.pool.query(
    `UPDATE sessions SET status = $2::"SessionStatus", closed_at = $3, completed_network = CASE WHEN $2 = 'completed' THEN 'ethereum' END,
       completed_currency = CASE WHEN $2 = 'completed' THEN 'USDT' END, completed_transaction = CASE WHEN $2 = 'completed' THEN '0xa' END
     WHERE id = $1`,
    [id, status, clock.now()],
  );
const SESSION = /^\/pay\/(cs_test_[0-9A-Za-z]{22})$/;

test('a click leads to a session of the store, at the link’s price, that names the link', async () => {
  const made = await link({ currency: 'usd' });
  const [, id = ''] = SESSION.exec(await press(made.id, { name: seal(made.id) })) ?? [];
  const session = await database.prisma.session.findUniqueOrThrow({ where: { id } });
  expect(session).toMatchObject({
    storeId: store.storeId,
    environment: 'test',
    amountTotal: 1250n,
    currency: 'USD',
    description: 'Guided walk',
    metadata: { payment_link: made.id },
    cancelUrl: `${services.config.PUBLIC_URL}/link/${made.id}`,
  });
  expect(session.orderId.startsWith(`${made.id}-`)).toBe(true);
});

test('a form sent twice, at once or later, is one session, and a newly opened page is another', async () => {
  const made = await link();
  const form = { name: seal(made.id) };
  const paths = await Promise.all(Array.from({ length: 6 }, () => press(made.id, form)));
  paths.push(await press(made.id, form));
  expect(new Set(paths).size).toBe(1);
  expect(paths[0]).toMatch(SESSION);
  expect(await sessionsOf(made.id)).toBe(1);
  expect(await press(made.id, { name: seal(made.id) })).not.toBe(paths[0]);
  expect(await sessionsOf(made.id)).toBe(2);
});

test('a form sent twice at once is one session also where it takes the link’s last place', async () => {
  const made = await link({ most_paid: 1 });
  const form = { name: seal(made.id) };
  const paths = await Promise.all(Array.from({ length: 6 }, () => press(made.id, form)));
  expect(new Set(paths).size).toBe(1);
  expect(paths[0]).toMatch(SESSION);
});

test('a form sent again with another amount requests that amount', async () => {
  const made = await link({ amount: null });
  const name = seal(made.id);
  const [five, six] = [await press(made.id, { name, amount: '5' }), await press(made.id, { name, amount: '6,50' })];
  expect(five).not.toBe(six);
  expect(await press(made.id, { name, amount: '5.00' })).toBe(five);
  const session = await database.prisma.session.findUniqueOrThrow({ where: { id: SESSION.exec(six)?.[1] ?? '' } });
  expect(session.amountTotal).toBe(650n);
});

test('an amount outside the link’s limits, or an invalid one, is reported beside the field and creates nothing', async () => {
  const made = await link({ amount: null, least_amount: 500, most_amount: 1000 });
  for (const typed of ['', 'ten', '4.99', '10,01', '5.001'])
    expect(await press(made.id, { name: seal(made.id), amount: typed })).toBe(
      `/link/${made.id}?${new URLSearchParams({ amount: typed })}`,
    );
  expect(await sessionsOf(made.id)).toBe(0);
  expect(await press(made.id, { name: seal(made.id), amount: '10' })).toMatch(SESSION);
});

test('an amount with two readings creates nothing, and is read by the language of the page', async () => {
  const made = await link({ amount: null, currency: 'USDT' });
  const kwd = await link({ amount: null, currency: 'KWD' });
  expect(await press(kwd.id, { name: seal(kwd.id), amount: '1,000', lang: 'en' })).toBe(
    `/link/${kwd.id}?amount=1%2C000`,
  );
  // Read as 1.000 KWD, which only lacks a rate here.
  expect(await press(kwd.id, { name: seal(kwd.id), amount: '1,000', lang: 'de' })).toContain('refused=busy');
  expect(await press(made.id, { name: seal(made.id), amount: '1,00', lang: 'en' })).toMatch(SESSION);
});

test('a customer cannot change a fixed price', async () => {
  const made = await link();
  const path = await press(made.id, { name: seal(made.id), amount: '0.01' });
  const session = await database.prisma.session.findUniqueOrThrow({ where: { id: SESSION.exec(path)?.[1] ?? '' } });
  expect(session.amountTotal).toBe(1250n);
});

describe('no session is created', () => {
  test('by a link that is off; customers who clicked before still reach their session', async () => {
    const made = await link();
    const form = { name: seal(made.id) };
    const before = await press(made.id, form);
    await switchPaymentLink(
      services,
      { storeId: store.storeId, environment: 'test' },
      { linkId: made.id, isActive: false },
      SYSTEM,
    );
    expect((await readLink(database.pool, made.id))?.state).toBe('off');
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}`);
    expect(await press(made.id, form)).toBe(before);
    expect(await sessionsOf(made.id)).toBe(1);
  });

  test('by a link whose places are all taken or reserved, until a session with a reserved place ends unpaid', async () => {
    const made = await link({ most_paid: 2 });
    const paths = await Promise.all(
      Array.from({ length: 6 }, (_, n) => press(made.id, { name: seal(made.id) }, by(`198.51.100.${n}`))),
    );
    const ids = paths.flatMap((path) => SESSION.exec(path)?.[1] ?? []);
    expect(ids).toHaveLength(2);
    expect(paths.filter((path) => path === `/link/${made.id}?refused=busy`)).toHaveLength(4);
    await endSession(ids[0]!, 'expired');
    const [, third = ''] = SESSION.exec(await press(made.id, { name: seal(made.id) })) ?? [];
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}?refused=busy`);
    for (const id of [ids[1]!, third]) await endSession(id, 'completed');
    expect((await readLink(database.pool, made.id))?.state).toBe('used');
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}`);
    const { expiresAt, createdAt } = await database.prisma.session.findUniqueOrThrow({ where: { id: third } });
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(900_000);
  });

  test('by a link that has received its payments, an unconfirmed one among them', async () => {
    const made = await link({ most_paid: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) ids.push(SESSION.exec(await press(made.id, { name: seal(made.id) }))?.[1] ?? '');
    const pay = (id: string | undefined, over: Partial<PaymentRow> = {}) =>
      addPayment(database, id ?? '', { table: 'unconfirmed_transfers', time: clock.now().getTime() / 1000, ...over });
    const state = async () => (await readLink(database.pool, made.id))?.state;
    await pay(ids[0], { table: 'transfers' });
    expect(await state()).toBe('open');
    // None of these takes the last place, because they pay for nothing.
    await pay(ids[1], { amount: 9999 });
    await pay(ids[1], { amount: 9999, table: 'transfers' });
    await pay(ids[1], { time: clock.now().getTime() / 1000 - 3600 });
    await pay(ids[1], { network: 'tron', contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' });
    expect(await state()).toBe('open');
    await pay(ids[1]);
    expect(await state()).toBe('used');
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}`);
    expect(await sessionsOf(made.id)).toBe(2);
  });

  test('for a store that is not approved', async () => {
    const made = await link();
    await setStore('suspended');
    expect((await readLink(database.pool, made.id))?.state).toBe('paused');
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}`);
    await setStore('approved');
    expect(await sessionsOf(made.id)).toBe(0);
  });

  test('above the limit that the operator has set for a session', async () => {
    const made = await link({ amount: null });
    await database.pool.query('UPDATE stores SET session_limit = 1000 WHERE id = $1', [store.storeId]);
    expect(await press(made.id, { name: seal(made.id), amount: '10.01' })).toBe(
      `/link/${made.id}?amount=10.01&refused=limit`,
    );
    await database.pool.query('UPDATE stores SET session_limit = NULL WHERE id = $1', [store.storeId]);
    expect(await sessionsOf(made.id)).toBe(0);
  });

  test('in a stablecoin that none of the store’s networks has', async () => {
    const made = await link({ currency: 'USDC' });
    const { networks } = await database.prisma.store.findUniqueOrThrow({ where: { id: store.storeId } });
    const setNetworks = (to: string[]) =>
      database.prisma.store.update({ where: { id: store.storeId }, data: { networks: to } });
    await setNetworks(['tron']);
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}?refused=shop`);
    await setNetworks(networks);
    expect(await sessionsOf(made.id)).toBe(0);
  });

  test('without a trustworthy rate', async () => {
    const made = await link({ currency: 'EUR' });
    expect(await press(made.id, { name: seal(made.id) })).toBe(`/link/${made.id}?refused=busy`);
    expect(await sessionsOf(made.id)).toBe(0);
  });

  test('by more clicks than customers make', async () => {
    const made = await link();
    const paths: string[] = [];
    for (let n = 0; n < 62; n++) paths.push(await press(made.id, { name: seal(made.id) }, by(`198.51.100.${n}`)));
    expect(paths.at(-1)).toBe(`/link/${made.id}?refused=busy`);
    expect(await sessionsOf(made.id)).toBe(60);
  });

  test('by one client that holds many unpaid sessions of the link; other clients are not affected', async () => {
    const made = await link();
    const paths: string[] = [];
    for (let n = 0; n < 12; n++) paths.push(await press(made.id, { name: seal(made.id) }, by(`2001:db8::${n}`)));
    expect(paths.filter((path) => SESSION.test(path))).toHaveLength(10);
    expect(paths.slice(10)).toEqual(Array(2).fill(`/link/${made.id}?refused=busy`));
    expect(await press(made.id, { name: seal(made.id) }, by('2001:db8:1::1'))).toMatch(SESSION);
    await endSession(SESSION.exec(paths[0]!)?.[1] ?? '', 'expired');
    expect(await press(made.id, { name: seal(made.id) }, by('2001:db8::1'))).toMatch(SESSION);
  });

  test('by one client that clicks without end; other clients are not affected', async () => {
    const made = await link();
    for (let n = 0; n < 100; n++) await press(made.id, { name: seal(made.id) }, by('2001:db8:2::1'));
    expect(await press(made.id, { name: seal(made.id) }, by('2001:db8:3::1'))).toMatch(SESSION);
  });

  test('from the store’s own quota: clicks use up only the links’ part of its day', async () => {
    await database.pool.query('UPDATE stores SET day_limit = 5000 WHERE id = $1', [store.storeId]);
    const made = await link({ amount: 5000 });
    expect(await press(made.id, { name: seal(made.id) }, by('203.0.113.1'))).toMatch(SESSION);
    expect(await press(made.id, { name: seal(made.id) }, by('203.0.113.2'))).toContain('refused=limit');
    const side = { storeId: store.storeId, environment: 'test', record: async () => {} } as const;
    const sale = { amount: 5000, currency: 'USD', order_id: 'sold at the till', expires_in: 600 } as const;
    expect(await createSessionByStore(services, side, sale)).toMatch(/^cs_test_/);
    await database.pool.query('UPDATE stores SET day_limit = NULL WHERE id = $1', [store.storeId]);
  });

  test('by a form that is not from our pages, or of another link’s', async () => {
    const [made, other] = [await link(), await link()];
    const name = seal(made.id);
    expect(await press(made.id, { name }, { 'sec-fetch-site': 'cross-site' })).toBe('403');
    expect(await press(made.id, { name }, { 'content-type': 'text/plain' })).toBe('400');
    expect(await press(made.id, { name: seal(other.id) })).toBe('403');
    expect(await press(made.id, { name: 'mine' })).toBe('403');
    expect(await press(made.id, {})).toBe('403');
    const unknown = 'pl_test_0123456789012345678901';
    expect(await press(unknown, { name: seal(unknown) })).toBe('404');
    expect(await sessionsOf(made.id)).toBe(0);
  });
});

test('the page of a link names the networks and tokens that its payment then offers', async () => {
  await makeChain(database, 'bsc', clock.now().getTime() / 1000, 'test');
  for (const [currency, networks] of [
    ['usd', []],
    ['usd', ['bsc']],
    ['USDC', []],
  ] as const) {
    await database.pool.query('UPDATE stores SET networks = $2 WHERE id = $1', [store.storeId, networks]);
    const made = await link({ currency });
    const shown = await readLink(database.pool, made.id);
    const offered = offeredIn(services.config, shown!.store, shown!.link.currency);
    const path = await press(made.id, { name: seal(made.id) }, by('192.0.2.77'));
    expect(path).toMatch(SESSION);
    const session = await database.prisma.session.findUniqueOrThrow({ where: { id: path.slice('/pay/'.length) } });
    expect(offered.networks.toSorted()).toEqual(session.networks.toSorted());
    expect(offered.tokens.toSorted()).toEqual(session.currencies.toSorted());
  }
  const converted = {
    ...(await readLink(database.pool, (await link({ currency: 'usd' })).id))!.store,
    settlementCurrency: 'USDC',
  };
  expect(offeredIn(services.config, converted, 'EUR').tokens).toEqual(['USDC']);
});
