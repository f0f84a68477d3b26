import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { redactedHeaders, signedHeaders, type Message } from './message';

const AT = { timestamp: 1_800_000_000, nonce: '3f0b6b54-0a3f-4d0e-9d5e-1f2a3b4c5d6e' };
const message: Message = {
  eventId: 'evt_1',
  type: 'payment.completed',
  body: '{"id":"evt_1","amount":1250}',
  secret: 'whsec_new',
  previousSecret: null,
};
/** As the documentation tells merchants to compute it. */
const expected = (secret: string): string =>
  createHmac('sha256', secret).update(`${AT.timestamp}.${AT.nonce}.${message.body}`).digest('hex');

describe('the headers of a delivery', () => {
  test('are the documented ones, with the signature of these exact bytes', () => {
    expect(signedHeaders(message, AT)).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Service-Webhook/1.0',
      'X-Service-Signature': expected('whsec_new'),
      'X-Service-Timestamp': '1800000000',
      'X-Service-Nonce': AT.nonce,
      'X-Service-Event-Type': 'payment.completed',
      'X-Service-Event-ID': 'evt_1',
    });
  });

  test('carry the signatures of both secrets during a rotation', () => {
    const headers = signedHeaders({ ...message, previousSecret: 'whsec_old' }, AT);
    expect(headers['X-Service-Signature']).toBe(expected('whsec_new'));
    expect(headers['X-Service-Signature-Previous']).toBe(expected('whsec_old'));
  });
});

test('stored headers keep eight characters of each signature, and all of the others', () => {
  const headers = signedHeaders({ ...message, previousSecret: 'whsec_old' }, AT);
  expect(redactedHeaders(headers)).toEqual({
    ...headers,
    'X-Service-Signature': `${expected('whsec_new').slice(0, 8)}…`,
    'X-Service-Signature-Previous': `${expected('whsec_old').slice(0, 8)}…`,
  });
});
