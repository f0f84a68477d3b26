// The documentation is complete and true: a page per code of the table, and sample code that works.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '@/lib/errors';
import { ERROR_TEXTS, GUIDES } from './docs-text';
import { SAMPLES } from './samples';

/** Runs a sample as the module that it is and returns what it exports. */
const load = (code: string) =>
  import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`) as Promise<
    Record<string, (...values: unknown[]) => unknown>
  >;

const SECRET = 'as_test_documentation';
const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');

describe('the documentation', () => {
  test('explains exactly the codes that the API answers', () => {
    expect(Object.keys(ERROR_TEXTS).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
    for (const text of Object.values(ERROR_TEXTS))
      expect(Object.values(text).every((part) => part.length > 20)).toBe(true);
  });

  test('shows only samples that exist, and every one of them', () => {
    const shown = GUIDES.flatMap(({ sections }) => sections.flatMap(({ code }) => code ?? []));
    expect(shown.toSorted()).toEqual(Object.keys(SAMPLES).toSorted());
  });

  test('has a signing sample whose signature is the one of the specification', async () => {
    const { signedHeaders } = await load(SAMPLES.sign);
    const body = '{"amount":1250}';
    const headers = signedHeaders?.('ak_test_x', SECRET, body) as Record<string, string>;
    const text = `${headers['X-Service-Timestamp']}.${headers['X-Service-Nonce']}.${body}`;
    expect(headers['X-Service-Signature']).toBe(hmac(text));
  });

  test('has a verifying sample that takes a genuine delivery and no other', async () => {
    const { isGenuine } = await load(SAMPLES.verify);
    const body = Buffer.from('{"id":"evt_1"}');
    const now = Math.floor(Date.now() / 1000);
    const delivery = (timestamp: string, signature: string) =>
      isGenuine?.(
        { 'x-service-timestamp': timestamp, 'x-service-nonce': 'n', 'x-service-signature': signature },
        body,
        SECRET,
      );
    expect(delivery(`${now}`, hmac(`${now}.n.${body}`))).toBe(true);
    expect(delivery(`${now}`, hmac(`${now}.n.{}`))).toBe(false);
    expect(delivery(`${now - 400}`, hmac(`${now - 400}.n.${body}`))).toBe(false);
    expect(delivery(`${now}`, 'short')).toBe(false);
  });
});
