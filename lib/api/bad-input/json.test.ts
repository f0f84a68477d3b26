// The rows of docs/failure-model.md#json: bodies that are invalid JSON or have the wrong shape.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFrontServer, outcome, type FrontServer } from '@/testing/front-server';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer();
});
afterAll(() => front.close());

const INVALID = '400 INVALID_JSON body';
const request = async (body: string | object) => outcome(await front.send({ body }));
const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
/** A correct body with this text as the value of an additional field, or of one of its own. */
const withText = (field: string, text: string) => {
  const { [field]: _, ...rest } = draft() as Record<string, unknown>;
  return `${JSON.stringify(rest).slice(0, -1)},"${field}":${text}}`;
};
const timed = async (body: string) => {
  const began = performance.now();
  return { outcome: await request(body), took: performance.now() - began };
};

test.each(['', ' ', 'null', '[]', '[{}]', '"x"', '1', 'true', '{', '}'])('J-01 the body %j', async (body) => {
  expect(await request(body)).toBe(INVALID);
});

test.each([
  '1,',
  '1 /* a */',
  '1 // a\n',
  "'a'",
  'NaN',
  'Infinity',
  '-Infinity',
  '01',
  '.5',
  '+1',
  '0x10',
  '1.',
  '1_0',
  'undefined',
  'True',
  '"a\tb"',
])('J-02 %j as a value', async (text) => {
  expect(await request(withText('description', text))).toBe(INVALID);
  expect(await request(withText('unknown', `{"deep":[${text}]}`))).toBe(INVALID);
});

test('J-02 keys without quotes, in single ones, or none', async () => {
  for (const member of ['a:1', "'a':1", ':1', '"a"', '"a":']) expect(await request(`{${member}}`)).toBe(INVALID);
});

test.each([
  '{"amount":1250,"amount":1}',
  '{"amount":1250,"\\u0061mount":1}',
  '{"metadata":{"a":"1","b":"2","a":"3"}}',
  '{"line_items":[{"quantity":1,"quantity":1}]}',
  '{"unknown":{"a":{"":1,"":2}}}',
])('J-03 %s has a key twice', async (body) => {
  expect(await request(body)).toBe(INVALID);
  expect(await request(`${JSON.stringify(draft()).slice(0, -1)},${body.slice(1)}`)).toBe(INVALID);
});

test('J-04 seventeen levels and a hundred thousand, and sixteen are read', async () => {
  const nested = (levels: number) => withText('unknown', `${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`);
  expect([await request(nested(16)), await request(nested(17))]).toEqual(['200', INVALID]);
  for (const open of ['[', '{"a":']) {
    const deep = withText('unknown', open.repeat(10_000));
    const { outcome: answered, took } = await timed(deep);
    expect(answered).toBe(INVALID);
    expect(took).toBeLessThan(3000);
  }
  expect(await request(withText('unknown', '['.repeat(100_000)))).toBe('413 request_too_large body');
});

test('J-05 a key __proto__ anywhere', async () => {
  for (const body of [
    '{"__proto__":{"polluted":1}}',
    '{"metadata":{"__proto__":"1"}}',
    '{"a":[{"\\u005f_proto__":1}]}',
  ]) {
    expect(await request(`${JSON.stringify(draft()).slice(0, -1)},${body.slice(1)}`)).toBe(INVALID);
  }
});

test('J-05 constructor and prototype are ordinary keys, and pollute nothing', async () => {
  const metadata = { constructor: 'a', prototype: 'b', toString: 'c' };
  const { json, ...answer } = await front.send({
    body: draft({ constructor: { prototype: { polluted: 1 } }, prototype: { polluted: 1 }, metadata }),
  });
  expect(outcome({ json, ...answer })).toBe('200');
  expect(json.metadata).toMatchObject(metadata);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(['"\\ud800"', '"\\udfff"', '"\\ud800x"', '"\\udc00\\ud800"', '"\\ud83d\\ud83d\\ude00"'])(
  'J-06 the lone surrogate in %s',
  async (text) => {
    for (const field of ['order_id', 'description', 'unknown'])
      expect(await request(withText(field, text))).toBe(INVALID);
    expect(await request(withText('metadata', `{${text}:"a"}`))).toBe(INVALID);
  },
);

test('J-07 NUL in any string, escaped or not', async () => {
  for (const text of ['"\\u0000"', '"a\\u0000b"', '"a\0b"']) {
    for (const field of ['order_id', 'description', 'success_url', 'unknown'])
      expect(await request(withText(field, text))).toBe(INVALID);
    expect(await request(withText('metadata', `{${text}:"a"}`))).toBe(INVALID);
    expect(await request(withText('metadata', `{"a":${text}}`))).toBe(INVALID);
  }
});

test('J-08 unknown fields have no effect and are not stored', async () => {
  const forged = {
    ...{
      id: 'cs_test_forged',
      store_id: 'st_other',
      payment_status: 'paid',
      status: 'COMPLETED',
      created: 1,
      amount_total: 1,
    },
    ...{
      url: 'https://evil.example',
      address_index: 0,
      evm_address: '0x0',
      environment: 'live',
      expires_at: 1,
      exchange_rate: '9',
    },
  };
  const { json } = await front.send({ body: draft(forged) });
  expect(json).toMatchObject({ payment_status: 'unpaid', status: 'PENDING', amount_total: 1250 });
  const row = await front.db.prisma.session.findUniqueOrThrow({ where: { id: String(json.id) } });
  expect(row).toMatchObject({
    storeId: front.store.storeId,
    environment: 'test',
    status: 'pending',
    amountTotal: 1250n,
  });
  expect(JSON.stringify(row, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one))).not.toMatch(
    /forged|evil|st_other/,
  );
});

const OPERATORS = [{ $gt: '' }, { contains: 'a' }, { not: null }, { set: 'x' }, [], ['a'], 1, true];
test.each(['order_id', 'description', 'success_url', 'cancel_url'])(
  'J-09 a value that is not text as %s',
  async (field) => {
    for (const value of OPERATORS) {
      expect(await request(draft({ [field]: value }))).toBe(`400 INVALID_PARAMETER ${field}`);
    }
  },
);

test('J-09 a currency that is no text, and a wrong type where an object or list is required', async () => {
  for (const value of OPERATORS)
    expect(await request(draft({ currency: value }))).toBe('400 INVALID_CURRENCY currency');
  for (const value of [[], 'a', 1])
    expect(await request(draft({ metadata: value }))).toBe('400 INVALID_PARAMETER metadata');
  for (const value of [{}, 'a', 1])
    expect(await request(draft({ line_items: value }))).toBe('400 INVALID_PARAMETER line_items');
  for (const value of [[], 'a', 1, null]) {
    expect(await request(draft({ line_items: [value] }))).toBe('400 INVALID_PARAMETER line_items[0]');
  }
});

test('J-10 very many keys and very long texts are refused by their size, and what fits is read in linear time', async () => {
  const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":1`).join(',')}}`;
  for (const body of [keys(100_000), withText('description', `"${'x'.repeat(1_000_000)}"`)]) {
    expect(await request(body)).toBe('413 request_too_large body');
  }
  const [few, many] = [await timed(withText('unknown', keys(600))), await timed(withText('unknown', keys(6000)))];
  expect([few.outcome, many.outcome]).toEqual(['200', '200']);
  expect(many.took).toBeLessThan(3000);
  expect(await request(withText('description', `"${'x'.repeat(60_000)}"`))).toBe('400 INVALID_PARAMETER description');
});

test.each(['1'.repeat(10_000), '1e400', '-1e400', `0.${'1'.repeat(10_000)}`, '1e-400'])(
  'J-11 the number %#',
  async (text) => {
    const { outcome: answered, took } = await timed(withText('amount', text));
    expect(answered).toBe('400 INVALID_AMOUNT amount');
    expect(took).toBeLessThan(3000);
    expect(await request(withText('unknown', text))).toBe('200');
  },
);

test('J-12 two documents, or any text after the first', async () => {
  const body = JSON.stringify(draft());
  for (const after of ['{}', body, ',', '\0', 'x', '\ufeff', '\u00a0'])
    expect(await request(body + after)).toBe(INVALID);
  expect(await request('{}{}')).toBe(INVALID);
});
