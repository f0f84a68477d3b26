import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '@/lib/platform/http';
import { json, openApi, serveApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore, signedRequest, TestClock, testConfig, type TestStore } from '@/testing/fixtures';
import { answer } from './answer';
import type { Services } from './services';
import { answerAsNext } from '@/testing/next-handlers';
import type { OpenedServer } from '@/testing/server';

const LIST = '/api/v1/checkout/sessions';
const clock = new TestClock();
const config = testConfig();
let db: TestDatabase;
let services: Services;
let one: TestStore;
let two: TestStore;
let server: OpenedServer;

beforeAll(async () => {
  ({ db, services, store: one, other: two } = await openApi({ clock, config, addresses: 200 }));
  server = await serveApi(() => services);
});
afterAll(async () => {
  await server.close();
  await db.close();
});

const signed = (store: TestStore, query: string, nonce = randomUUID()) => ({
  ...signedRequest(store, { method: 'GET', path: LIST, now: clock.now(), nonce }),
  query,
});
const list = (query = '', store = one) => answer(services, signed(store, query));
async function create(over: object = {}, store = one): Promise<string> {
  const body = JSON.stringify({ amount: 5, currency: 'USD', order_id: randomUUID(), ...over });
  return json(await answer(services, signedRequest(store, { path: `${LIST}/create`, body, now: clock.now() }))).id;
}
const idsOf = (response: ApiResponse): string[] => json(response).data.map(({ id }: { id: string }) => id);

/** Every id, page by page; `between` happens after each page. */
async function walk(query: string, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    ids.push(...idsOf(page));
    cursor = json(page).next_cursor;
    await between();
  }
  return ids;
}

describe('the list of sessions', () => {
  test('has every session once, newest first, whatever is created and canceled during the walk', async () => {
    const before: string[] = [];
    for (let n = 0; n < 12; n++) {
      // Several within one second, as many merchants have them.
      if (n % 3 === 0) clock.advance(1);
      before.push(await create());
    }
    const walked = await walk('limit=5', async () => {
      await create();
      const path = `${LIST}/${before[3]}/cancel`;
      await answer(services, signedRequest(one, { path, body: '{}', now: clock.now() }));
    });
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked.toSorted()).toEqual(before.toSorted());
    const created = await db.prisma.session.findMany({ where: { id: { in: before } } });
    const timeOf = (id: string) => created.find((row) => row.id === id)?.createdAt.getTime() ?? 0;
    expect(walked.map(timeOf)).toEqual(walked.map(timeOf).toSorted((a, b) => b - a));
  });

  test('shows each session as a read of it does', async () => {
    const id = await create({ metadata: { shelf: '4' }, tax_amount: 1 });
    const path = `${LIST}/${id}`;
    const read = await answer(services, signedRequest(one, { method: 'GET', path, now: clock.now() }));
    expect(json(await list('limit=100')).data).toContainEqual(json(read));
  });

  test('contains only sessions of the own store and environment', async () => {
    const live = await makeStore(db, config, 'live');
    await db.prisma.apiKey.update({ where: { id: live.keyId }, data: { storeId: one.storeId } });
    const foreign = await create({}, two);
    expect(await walk('limit=100')).not.toContain(foreign);
    expect(idsOf(await list('', two))).toEqual([foreign]);
    expect(json(await list('', live))).toEqual({ data: [], next_cursor: null });
    // A cursor grants no access: it is a position, and the key selects the list.
    const { next_cursor: cursor } = json(await list('limit=1'));
    expect(idsOf(await list(`cursor=${cursor}`, two)).every((id) => id === foreign)).toBe(true);
  });

  test('can be narrowed by status, order and time of creation', async () => {
    clock.advance(100);
    const from = clock.now().getTime() / 1000;
    const first = await create({ order_id: 'order & more' });
    clock.advance(10);
    const second = await create();
    await answer(services, signedRequest(one, { path: `${LIST}/${second}/cancel`, body: '', now: clock.now() }));
    expect(await walk(`created_from=${from}`)).toEqual([second, first]);
    expect(await walk(`created_from=${from}&created_to=${from + 10}`)).toEqual([first]);
    expect(await walk(`created_from=${from + 1}`)).toEqual([second]);
    expect(await walk(`created_from=${from}&status=CANCELED`)).toEqual([second]);
    expect(await walk(`created_from=${from}&status=pending`)).toEqual([first]);
    expect(await walk('order_id=order+%26%20more')).toEqual([first]);
    expect(await walk(`created_from=${from + 20}`)).toEqual([]);
  });

  test('has 25 in a page by default', async () => {
    for (let n = 0; n < 15; n++) await create();
    expect(idsOf(await list())).toHaveLength(25);
    expect(idsOf(await list('limit=1'))).toHaveLength(1);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['status=PAID', 'status'],
    ['status=', 'status'],
    ['order_id=', 'order_id'],
    ['order_id=a%00b', 'order_id'],
    [`order_id=${'x'.repeat(129)}`, 'order_id'],
    ['created_from=yesterday', 'created_from'],
    ['created_to=1.5', 'created_to'],
    ['created_to=99999999999', 'created_to'],
    ['cursor=', 'cursor'],
    ['cursor=%20', 'cursor'],
    ['cursor=abc', 'cursor'],
    [`cursor=${Buffer.from('s1 1800000000 x').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from(`s1 18e8 cs_test_${'1'.repeat(22)}`).toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('ed1 5 evt_1').toString('base64url')}`, 'cursor'],
    [`cursor=${'A'.repeat(5000)}`, 'cursor'],
  ])('refuses ?%s and names the parameter', async (query, param) => {
    const response = await list(query);
    expect([response.status, json(response).error.code, json(response).error.param]).toEqual([
      400,
      'INVALID_PARAMETER',
      param,
    ]);
  });

  test('needs the scope to read sessions, and a nonce of its own', async () => {
    const limited = await makeStore(db, config);
    await db.prisma.apiKey.update({ where: { id: limited.keyId }, data: { scopes: ['sessions:write'] } });
    expect(json(await list('', limited)).error.code).toBe('insufficient_scope');
    const nonce = randomUUID();
    expect((await answer(services, signed(one, 'limit=1', nonce))).status).toBe(200);
    expect(json(await answer(services, signed(one, 'limit=2', nonce))).error.code).toBe('nonce_reused');
    expect(json(await answer(services, signed(one, 'status=FAILED&limit=3', nonce))).error.code).toBe('nonce_reused');
  });

  test('reads its query through both adapters', async () => {
    const headersOf = () => {
      const { header } = signed(one, '');
      const names = ['authorization', 'x-service-timestamp', 'x-service-nonce', 'x-service-signature'];
      return Object.fromEntries(names.map((name) => [name, header(name)[0] as string]));
    };
    const query = '?limit=3&status=PENDING';
    const direct = await fetch(`${server.url}${LIST}${query}`, { headers: headersOf() });
    const next = await answerAsNext(
      services,
      new Request(`http://127.0.0.1:3000${LIST}${query}`, { headers: headersOf() }),
    );
    const [a, b] = [await direct.text(), await next.text()];
    expect([direct.status, next.status, JSON.parse(a).data.length]).toEqual([200, 200, 3]);
    expect(a).toBe(b);
  });
});
