// The OpenAPI oracle accepts what the document describes, and reports everything else.

import { describe, expect, it } from 'vitest';
import { openApiDocument } from '@/lib/api/openapi/document';
import { EVENTS } from '@/lib/api/openapi/event-examples';
import * as examples from '@/lib/api/openapi/examples';
import { errorExample } from '@/lib/api/openapi/refusals';
import { openApiOracle, type GivenAnswer, type GivenEvent } from './openapi';

const URL = 'https://pay.example.com';
const oracle = openApiOracle(URL);
const SESSIONS = '/api/v1/checkout/sessions';
const session: Record<string, unknown> = Object.values(examples.READ_SESSION)[0]!;
const id = String(session.id);

it('accepts every example of the document as an answer of its operation', () => {
  for (const [path, item] of Object.entries(openApiDocument(URL).paths))
    for (const [method, { responses }] of Object.entries(item))
      for (const [status, { content }] of Object.entries(responses))
        for (const { value } of Object.values(content?.['application/json'].examples ?? {})) {
          const given = {
            method: method.toUpperCase(),
            path: path.replaceAll(/\{\w+\}/g, 'x'),
            status: Number(status),
          };
          expect(oracle.checkAnswer({ ...given, body: value })).toEqual([]);
        }
});

describe('an answer', () => {
  const read: GivenAnswer = { method: 'GET', path: `${SESSIONS}/${id}`, status: 200, body: session };
  const refused = errorExample('SESSION_NOT_FOUND', URL);
  const { amount_received: _, ...missing } = session;

  it.each<[string, Partial<GivenAnswer>, RegExp]>([
    [
      'with a field that is not described',
      { body: { ...session, secret: 'x' } },
      /must NOT have additional properties/,
    ],
    ['without a field', { body: missing }, /must have required property 'amount_received'/],
    ['with a number as text', { body: { ...session, amount_total: '1250' } }, /amount_total must be integer/],
    ['with a nested field that is not described', { body: { ...session, payments: [{ x: 1 }] } }, /payments\/0 must/],
    ['with another status', { status: 201 }, /answers 201, which the OpenAPI document does not list/],
    ['with an error in place of a result', { body: refused }, /must have required property/],
    [
      'with a code of another operation',
      { status: 404, body: errorExample('REFUND_NOT_FOUND', URL) },
      /REFUND_NOT_FOUND is not/,
    ],
    ['at an unknown path', { path: '/api/v1/nothing' }, /is not in the OpenAPI document/],
    ['with an unknown method', { method: 'POST' }, /is not in the OpenAPI document/],
    [
      'that refuses an unknown path without the envelope',
      { path: '/api/v9', status: 404, body: {} },
      /required property/,
    ],
  ])('%s is a fault', (_name, change, sentence) => {
    expect(oracle.checkAnswer({ ...read, ...change })[0]).toMatch(sentence);
  });

  it.each<[string, Partial<GivenAnswer>]>([
    ['as described', {}],
    ['with a query', { path: `${SESSIONS}/${id}?x=1` }],
    ['with a documented refusal', { status: 404, body: refused }],
    ['of a literal path before one with a parameter', { path: SESSIONS, body: { data: [session], next_cursor: null } }],
    ['that refuses an unknown path', { path: '/api/v1/nothing', status: 404, body: errorExample('NOT_FOUND', URL) }],
  ])('%s is none', (_name, change) => {
    expect(oracle.checkAnswer({ ...read, ...change })).toEqual([]);
  });
});

describe('an event', () => {
  const body = EVENTS['payment.completed'] as { id: string; type: string; data: { object: object } };
  const given = (change: object = {}, headers: object = {}): GivenEvent => {
    const event = { ...body, ...change };
    const usual = {
      ...{ 'x-service-signature': 'a'.repeat(64), 'x-service-timestamp': '1700000000', 'x-service-nonce': 'n' },
      ...{ 'x-service-event-type': event.type, 'x-service-event-id': event.id },
    };
    return { body: JSON.stringify(event), headers: { ...usual, ...headers } };
  };

  it('as described is none', () => expect(oracle.checkEvent(given())).toEqual([]));

  it.each<[string, GivenEvent, RegExp]>([
    ['of an unknown type', given({ type: 'payment.success' }), /payment.success is not in the OpenAPI document/],
    ['with a field that is not described', given({ extra: 1 }), /must NOT have additional properties/],
    [
      'with a wrong status',
      given({ data: { object: { ...body.data.object, status: 'failed' } } }),
      /status must be equal/,
    ],
    ['with a signature in capitals', given({}, { 'x-service-signature': 'A'.repeat(64) }), /X-Service-Signature: the/],
    ['without a nonce', given({}, { 'x-service-nonce': undefined }), /X-Service-Nonce is missing/],
    ['with another id in the header', given({}, { 'x-service-event-id': 'evt_1' }), /X-Service-Event-ID differs/],
    ['with another type in the header', given({}, { 'x-service-event-type': 'payment.failed' }), /Event-Type differs/],
  ])('%s is a fault', (_name, event, sentence) => {
    expect(oracle.checkEvent(event)[0]).toMatch(sentence);
  });
});
