// The OpenAPI document is complete and correct: valid by the specification's own schema, with every route, code, event and field,
// and with examples that match its schemas.

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '@/lib/api/routes';
import { SCOPES } from '@/lib/merchants/api-keys/verify-key';
import { ERROR_CODES } from '@/lib/platform/errors/errors';
import { DASHBOARD_ERRORS } from '@/lib/platform/errors/dashboard-errors';
import { isNonce, TIMESTAMP_TOLERANCE_SECONDS } from '@/lib/merchants/api-keys/request-signature';
import { LARGEST_BODY } from '@/lib/platform/http';
import { testConfig } from '@/testing/fixtures';
import { RETRY_SECONDS } from '@/lib/webhooks/delivery/schedule';
import guides from '@/messages/docs/en.json';
import type { JsonObject } from '@/lib/platform/json/json';
import { inMinorUnits, quickStartSchema } from '@/lib/payments/sessions/create/quick-start';
import { createRefundSchema } from '@/lib/refunds/request/schema';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import words from '@/messages/docs/reference/en.json';
import { openApiDocument } from './document';
import { EVENT_TYPES, OPTIONAL_EVENTS, PAYMENT_TYPES, REFUND_TYPES } from '@/lib/webhooks/events/events';
import { eventSchemaName } from './events';
import { EVENTS } from './event-examples';
import { fieldsOf, jsonSchema, type JsonSchema } from './json-schema';
import { OPERATIONS } from './operations';
import { TEXT_NAMES } from './schemas';
import type { Content } from './types';

const document = openApiDocument('https://pay.example');
const text = JSON.stringify(document);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, one]) => ({ path, method, ...one })),
);
const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(JSON.parse(text), 'openapi');
const located = (schema: JsonSchema): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as object;
const validate = (schema: JsonSchema, value: unknown): string[] => {
  const check = ajv.compile(located(schema));
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

/** A text of the reference by its key, own properties only. */
const has = (texts: object, name: string) => Object.hasOwn(texts, name);

test('the document is valid OpenAPI 3.1 with JSON Schema 2020-12', async () => {
  const read = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
  expect(read.errors ?? []).toEqual([]);
  expect(read.valid).toBe(true);
  for (const schema of Object.values(document.components.schemas)) expect(ajv.validateSchema(schema)).toBe(true);
});

test('a document that violates the specification is detected', async () => {
  const broken = { ...(JSON.parse(text) as Record<string, unknown>), paths: { 'no-slash': { get: 1 } } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

describe('every route', () => {
  test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is described',
    (key, route) => {
      const operation = OPERATIONS[key];
      expect(operation, `describe ${key} in lib/api/openapi/operations.ts`).toBeDefined();
      const made = operations.find((one) => `${one.method.toUpperCase()} ${one.path}` === key);
      const scopes = [route.scope, ...(route.orScopes ?? [])];
      const versions = (scope: string) => [{ ApiKey: [scope] }, { ApiKey: [scope], MessageSignature: [] }];
      expect(made?.security).toEqual(scopes.flatMap(versions));
      expect(SCOPES).toEqual(expect.arrayContaining(scopes));
      expect(made?.parameters.length).toBeGreaterThanOrEqual(3);
      const named = made?.parameters.flatMap((one) => ('in' in one && one.in === 'path' ? [one.name] : []));
      expect(named).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    },
  );

  test('and no other is described', () => {
    const keys = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(OPERATIONS).filter((key) => !keys.includes(key))).toEqual([]);
    expect(operations).toHaveLength(ROUTES.length);
  });

  test('has its own id, descriptions, and a response for each class of error', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(Object.keys(words.operations).toSorted()).toEqual(operations.map((one) => one.operationId).toSorted());
    for (const { summary, description, responses, tags } of operations) {
      expect(summary.length).toBeGreaterThan(5);
      expect(description.length).toBeGreaterThan(20);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
      expect(tags.every((tag) => has(words.tags, tag))).toBe(true);
    }
  });
});

test('every reference resolves, and every named schema is used', () => {
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(30);
  for (const [whole, kind = '', name = ''] of references) {
    const all = (document.components as Readonly<Record<string, object>>)[kind] ?? {};
    expect({ [whole]: has(all, name) }).toEqual({ [whole]: true });
  }
  const used = new Set(references.map(([, , name]) => name));
  expect(Object.keys(document.components.schemas).filter((name) => !used.has(name))).toEqual([]);
  expect(text.match(/"\$ref"/g)).toHaveLength(references.length);
});

test('every field, parameter and header has a description, and no description is unused', () => {
  expect(Object.keys(words.schemas).toSorted()).toEqual([...TEXT_NAMES].toSorted());
  const shared: Readonly<Record<string, string[]>> = {
    Event: PAYMENT_TYPES.map(eventSchemaName),
    OptionalEvent: OPTIONAL_EVENTS.map(eventSchemaName),
    PayoutEvent: (['payout.paid', 'payout.failed'] as const).map(eventSchemaName),
    RefundEvent: REFUND_TYPES.map(eventSchemaName),
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect({ [name]: schema.description }).not.toEqual({ [name]: '' });
    const bare = fieldsOf(schema).filter(([, field]) => field.description === undefined);
    expect(bare.map(([path]) => `${name}.${path}`)).toEqual([]);
  }
  for (const [name, { fields }] of Object.entries(words.schemas)) {
    const schemas = shared[name] ?? [name];
    const known = schemas.flatMap((one) => fieldsOf(document.components.schemas[one] ?? {}).map(([path]) => path));
    expect(Object.keys(fields).filter((path) => !known.includes(path))).toEqual([]);
  }
  const parameters = [...operations.flatMap((one) => one.parameters), ...Object.values(document.components.parameters)];
  const named = parameters.flatMap((one) => ('name' in one ? [one] : []));
  expect(named.filter(({ description }) => description.length < 10)).toEqual([]);
  expect(Object.keys(words.parameters).filter((name) => !named.some((one) => one.name === name))).toEqual([]);
});

test('every code that the signed API returns is listed where it is returned', () => {
  const told = new Set([...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code));
  // For paths and methods without an operation.
  const elsewhere = ['METHOD_NOT_ALLOWED', ...Object.keys(DASHBOARD_ERRORS)];
  expect(
    Object.keys(ERROR_CODES)
      .filter((code) => !told.has(code))
      .toSorted(),
  ).toEqual(elsewhere.toSorted());
});

describe('every example is valid by its schema:', () => {
  const contents = operations.flatMap((one): [string, Content][] => [
    ...(one.requestBody ? [[`${one.operationId} request`, one.requestBody.content] as [string, Content]] : []),
    ...Object.entries(one.responses).flatMap(([status, { content }]): [string, Content][] =>
      content ? [[`${one.operationId} ${status}`, content]] : [],
    ),
  ]);
  test.each(contents)('%s', (_, content) => {
    const { schema, examples } = content['application/json'];
    expect(Object.keys(examples).length).toBeGreaterThan(0);
    for (const { value } of Object.values(examples)) expect(validate(schema, value)).toEqual([]);
  });

  test('webhooks', () => {
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES);
    expect(Object.keys(EVENTS).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    expect(Object.keys(words.events).toSorted()).toEqual([...EVENT_TYPES].toSorted());
    for (const { post } of Object.values(document.webhooks)) {
      const { schema, examples } = post.requestBody.content['application/json'];
      expect(validate(schema, examples.example.value)).toEqual([]);
    }
  });

  test('and an invalid one is detected', () => {
    const schema = { $ref: '#/components/schemas/CreateSession' };
    expect(validate(schema, { amount: '1', currency: 'USD', order_id: 'a' })).toEqual(['/amount must be integer']);
  });
});

test('the published rules of a create request refuse and accept what the service does', () => {
  const right = { amount: 1250, currency: 'USD', order_id: 'a' };
  const cases: unknown[] = [
    right,
    { ...right, amount: 0 },
    { ...right, amount: 10 ** 15 },
    { ...right, amount: 10 ** 15 + 1 },
    { ...right, order_id: '' },
    { ...right, order_id: '😀'.repeat(128) },
    { ...right, order_id: '😀'.repeat(129) },
    { ...right, order_id: 'a\u202eb' },
    { ...right, order_id: 'a\nb' },
    { ...right, description: 'a\nb' },
    { ...right, description: 'a\u0000b' },
    { ...right, description: 'a'.repeat(1001) },
    { ...right, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) },
    { ...right, metadata: { k: 1 } },
    { ...right, metadata: { ['k'.repeat(41)]: 'v' } },
    { ...right, expires_in: 59 },
    { ...right, expires_in: 3600 },
    { ...right, line_items: Array.from({ length: 101 }, () => ({})) },
    { ...right, unknown: true },
    { amount: 1 },
  ];
  const published = cases.map((body) => validate({ $ref: '#/components/schemas/CreateSession' }, body).length === 0);
  expect(published).toEqual(cases.map((body) => createSessionSchema.safeParse(body).success));
  expect(published.filter(Boolean).length).toBeGreaterThan(3);
});

test('the published rules of a refund request accept what the service accepts', () => {
  const right = { session_id: 's', refund_id: 'r', amount: 1, currency: 'USDT' };
  const cases: unknown[] = [
    right,
    { ...right, amount: 0 },
    { ...right, amount: Number.MAX_SAFE_INTEGER },
    { ...right, amount: 1.5 },
    { ...right, session_id: '' },
    { ...right, refund_id: '' },
    { ...right, refund_id: '😀'.repeat(128) },
    { ...right, refund_id: '😀'.repeat(129) },
    { ...right, refund_id: 'a\nb' },
    { ...right, currency: 'EUR' },
    { ...right, reason: 'duplicate' },
    { ...right, reason: 'other' },
    { ...right, description: 'a'.repeat(1001) },
    { ...right, metadata: { a: [{ b: null }] } },
    { ...right, metadata: { ['k'.repeat(41)]: 'v' } },
    { ...right, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'v'])) },
    { ...right, metadata: [] },
    { session_id: 's' },
  ];
  const published = cases.map((body) => validate({ $ref: '#/components/schemas/CreateRefund' }, body).length === 0);
  expect(published).toEqual(cases.map((body) => createRefundSchema.safeParse(body).success));
  expect(published.filter(Boolean)).toHaveLength(5);
});

test('the published rules of the quick-start variant refuse and accept what the service does', () => {
  const right = { amount: '12.50', currency: 'USD', order_id: 'a', mode: 'payment' };
  const crypto = { network: 'tron', currency: 'USDT' };
  const item = { price_data: { currency: 'USD', unit_amount: '12.50', product_data: { name: 'A' } } };
  const cases = [
    right,
    { ...right, amount: 1250 },
    { ...right, amount: '12.5.0' },
    { ...right, amount: '1e3' },
    { ...right, amount: '012' },
    { ...right, tax_amount: '0.10' },
    { ...right, tax_amount: 10 },
    { ...right, mode: 'subscription' },
    { ...right, payment_method_types: ['crypto'] },
    { ...right, payment_method_types: ['card'] },
    { ...right, payment_method_types: [] },
    { ...right, payment_method_options: { crypto } },
    { ...right, payment_method_options: { crypto: { network: '' } } },
    { ...right, payment_method_options: 'crypto' },
    { ...right, line_items: [item] },
    { ...right, line_items: [{ ...item, quantity: 0 }] },
    { ...right, line_items: [{ price_data: { ...item.price_data, unit_amount: 1250 } }] },
    { ...right, expires_in: 3601 },
  ];
  const published = cases.map((body) => validate({ $ref: '#/components/schemas/QuickStart' }, body).length === 0);
  const taken = (body: JsonObject) =>
    quickStartSchema.safeParse(body).success && createSessionSchema.safeParse(inMinorUnits(body)).success;
  expect(published).toEqual(cases.map((body) => taken(body)));
  expect(published.filter(Boolean).length).toBeGreaterThan(3);
});

test('the published patterns of the signing headers accept what the service accepts', () => {
  const { Timestamp, Nonce, Signature } = document.components.parameters;
  const takes = (parameter: typeof Nonce, value: string) => new RegExp(String(parameter?.schema.pattern)).test(value);
  for (const nonce of ['a', 'a.b', '"\\\\', ']}|~', 'a{', '[', ' ', 'é', '', 'x'.repeat(255), 'x'.repeat(256)])
    expect([nonce, takes(Nonce, nonce)]).toEqual([nonce, isNonce(nonce)]);
  expect([takes(Timestamp, '1800000000'), takes(Timestamp, '180000000'), takes(Timestamp, '1.8e9')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([takes(Signature, 'aF'.repeat(32)), takes(Signature, 'g'.repeat(64))]).toEqual([true, false]);
  // Signature version 2 works without them.
  expect([Timestamp, Nonce, Signature].map((one) => one?.required)).toEqual([false, false, false]);
  expect(document.components.securitySchemes.MessageSignature).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'Signature',
  });
});

test('a rule that JSON Schema cannot express is not lost silently', () => {
  expect(() => jsonSchema(z.object({ at: z.date() }))).toThrow(/cannot be represented/);
});

test('the guides state the default limits', () => {
  const usual = testConfig();
  const said = JSON.stringify(guides);
  expect(said).toContain(`${usual.KEY_RATE} a second, ${usual.KEY_BURST} at once`);
  expect(said).toContain(`${usual.PAGE_RATE} a second, ${usual.PAGE_BURST} at once`);
  expect(said).toContain(`${usual.FAILURE_RATE} a second, ${usual.FAILURE_BURST} at once`);
  expect(said).toContain(`${usual.RATE_MAX_AGE} seconds unless the operator`);
  expect(said).toContain(`${LARGEST_BODY / 1024} KiB`);
  expect(said).toContain(`${RETRY_SECONDS.slice(0, -1).join(', ')} and ${RETRY_SECONDS.at(-1)} seconds`);
  expect(said).toContain(`${TIMESTAMP_TOLERANCE_SECONDS} seconds off`);
});
