// Reports about the pages' policy, through our server and through Next.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LARGEST_BODY } from '@/lib/platform/http';
import { REPORT_PATH } from '@/lib/platform/security/page-policy';
import { flushSecurityEvents } from '@/lib/platform/security/events';
import { openFrontServer, sendTo, type FrontServer } from '@/testing/front-server';
import { answerPublicWeb } from '@/lib/api/adapters/next-adapter';
import { clientHeader } from '@/lib/api/client-address';
import { publicOperationOf } from './operations';

type Sent = { method?: string; type?: string; body?: string };
type Answered = { status: number; code: string | undefined; retryAfter: string | undefined };

const REPORTS = 'application/reports+json';
const report = (documentURL: string, effectiveDirective: string) => ({
  type: 'csp-violation',
  body: { documentURL, effectiveDirective, blockedURL: 'inline' },
});
const VIOLATION = JSON.stringify([report('https://pay.example/pay/cs_live_secret', 'script-src-elem')]);

let front: FrontServer;
beforeAll(async () => void (front = await openFrontServer({ LIMIT_LOOPBACK: 'on' })));
afterAll(() => front.close());
beforeEach(async () => {
  await flushSecurityEvents(front.services);
  await front.db.pool.query('TRUNCATE security_counts');
  // The next test may send as much as the first.
  front.clock.advance(60);
});

async function throughServer({ method = 'POST', type = REPORTS, body = VIOLATION }: Sent): Promise<Answered> {
  const headers: [string, string][] = [
    ['host', '127.0.0.1'],
    ['content-type', type],
    ['content-length', String(Buffer.byteLength(body))],
  ];
  const answer = await sendTo(front.port, { method, path: REPORT_PATH, headers, body: Buffer.from(body) });
  return { status: answer.status, code: answer.json.error?.code, retryAfter: answer.headers['retry-after'] };
}

async function throughNext({ method = 'POST', type = REPORTS, body = VIOLATION }: Sent): Promise<Answered> {
  const request = new Request(`http://127.0.0.1:3000${REPORT_PATH}`, {
    method,
    headers: { 'content-type': type, ...clientHeader('203.0.113.5') },
    ...(method === 'GET' ? {} : { body }),
  });
  const response = await answerPublicWeb(front.services, request, publicOperationOf(REPORT_PATH));
  const text = await response.text();
  const code = text === '' ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') ?? undefined };
}

async function stored(): Promise<Record<string, number>> {
  await flushSecurityEvents(front.services);
  const { rows } = await front.db.pool.query('SELECT kind, sort, subject, count::int AS count FROM security_counts');
  return Object.fromEntries(rows.map((row) => [`${row.kind} ${row.sort} ${row.subject}`.trim(), row.count]));
}

describe.each([
  ['our server', throughServer],
  ['Next', throughNext],
] as const)('through %s', (_, send) => {
  test('counts a violation by kind of page and directive, and stores nothing of the page’s address', async () => {
    expect(await send({})).toMatchObject({ status: 204, code: undefined });
    const old = { 'document-uri': 'https://pay.example/dashboard/st_1', 'effective-directive': 'img-src' };
    const sent = { type: 'application/csp-report', body: JSON.stringify({ 'csp-report': old }) };
    expect(await send(sent)).toMatchObject({ status: 204 });
    expect(await stored()).toEqual({
      'policy_violated all': 2,
      'policy_violated policy pay script-src-elem': 1,
      'policy_violated policy dashboard img-src': 1,
    });
  });

  test('refuses invalid reports, bodies that are too large, and other methods', async () => {
    expect(await send({ body: 'x' })).toMatchObject({ status: 400, code: 'unsupported_media_type' });
    expect(await send({ type: 'application/json' })).toMatchObject({ status: 400, code: 'unsupported_media_type' });
    const large = VIOLATION.padEnd(LARGEST_BODY + 1);
    expect(await send({ body: large })).toMatchObject({ status: 413, code: 'request_too_large' });
    expect(await send({ body: VIOLATION.padEnd(LARGEST_BODY) })).toMatchObject({ status: 204 });
    expect(await send({ method: 'GET', body: '' })).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(await stored()).toMatchObject({ 'policy_violated all': 1 });
  });

  test('a flood is refused from the twenty-first report of an address on, and does not affect the limit of the pages', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send({})));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', retryAfter: '1' });
    expect(await stored()).toMatchObject({ 'policy_violated all': 20 });
    const page = await sendTo(front.port, {
      method: 'GET',
      path: '/pay/cs_test_none/status',
      headers: [['host', '127.0.0.1']],
      body: Buffer.alloc(0),
    });
    expect(page.status).toBe(404);
  });
});
