// The documentation is complete and true: a page per code of the table, working links, existing programs, and the
// numbers that were decided.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { NETWORKS } from '@/lib/networks/networks';
import { hmacSha256, signatureOf } from '@/lib/platform/crypto';
import { ERROR_CODES } from '@/lib/platform/errors/errors';
import { VERDICTS } from '@/lib/payments/finder/verdict';
import { SCOPES } from '@/lib/merchants/api-keys/verify-key';
import { checkMessageSignature } from '@/lib/merchants/api-keys/message-signature';
import type { ApiRequest } from '@/lib/platform/http';
import { OPERATIONS } from '@/lib/api/openapi/operations';
import { eventSchemaName } from '@/lib/api/openapi/events';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { slowSchedule } from '@/lib/webhooks/delivery/schedule';
import { ALL_GUIDES, DOCS_WORDS, docsIn, ERROR_TEXTS } from './docs-text';
import { shownGuides } from './guides';
import { GUIDE_GROUPS } from './pages';
import { languagesOf } from './languages';
import { signInBrowser } from './sign';
import { SIGNING_EXAMPLE } from './signing-example';
import catalogue from '@/messages/docs/en.json';
import dashboard from '@/messages/dashboard/en.json';
import { withProductNames } from './product-names';

const ROOT = path.join(import.meta.dirname, '../..');
const GUIDES = shownGuides(docsIn('en'));
const sections = ALL_GUIDES.flatMap((guide) => guide.sections);
const textsOf = ({ text, list = [], steps = [], table }: (typeof sections)[number]) => [
  ...text,
  ...list,
  ...steps,
  ...(table?.rows.flat() ?? []),
];
const all = sections.flatMap(textsOf).join('\n');

describe('the documentation', () => {
  test('explains exactly the codes that the API returns', () => {
    expect(Object.keys(ERROR_TEXTS).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
    for (const text of Object.values(ERROR_TEXTS))
      expect(Object.values(text).every((part) => part.length > 20)).toBe(true);
  });

  test('has a unique title for every guide and section', () => {
    expect(new Set(ALL_GUIDES.map(({ slug }) => slug)).size).toBe(ALL_GUIDES.length);
    for (const guide of ALL_GUIDES) {
      const anchors = guide.sections.map(({ id }) => id);
      expect(new Set(anchors).size).toBe(anchors.length);
      expect(anchors.filter((anchor) => anchor === '')).toEqual([]);
    }
    for (const { table } of sections)
      if (table) expect(table.rows.filter((row) => row.length !== table.head.length)).toEqual([]);
  });

  test('shows a guide exactly when the API has the operation that it describes', () => {
    expect(GUIDES.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['quick-start', 'signing', 'webhooks']));
    const paths = Object.keys(OPERATIONS).map((key) => key.split(' ')[1]);
    const hidden = ALL_GUIDES.filter((guide) => !GUIDES.includes(guide)).map(({ needs }) => needs);
    expect(hidden.filter((needs) => needs === undefined || paths.includes(needs))).toEqual([]);
  });

  test('has every guide in one group of its navigation', () => {
    expect(Object.values(GUIDE_GROUPS).flat().toSorted()).toEqual(ALL_GUIDES.map(({ slug }) => slug).toSorted());
  });

  test('names every group of operations in its reference', () => {
    const tags = Object.values(OPERATIONS).map(({ tag }) => tag);
    expect(Object.keys(DOCS_WORDS.operation.tags).toSorted()).toEqual([...new Set([...tags, 'webhooks'])].toSorted());
  });

  test('has no broken link', () => {
    const texts = [all, ...ALL_GUIDES.map(({ summary }) => summary), DOCS_WORDS.referenceIntro].join('\n');
    const links = [...texts.matchAll(/\]\(([^)]+)\)/g)].map(([, address = '']) => address);
    expect(links.length).toBeGreaterThan(30);
    const operations = [
      ...Object.values(OPERATIONS).map(({ id }) => id),
      ...EVENT_TYPES.map((t) => `on${eventSchemaName(t)}`),
    ];
    const tags = Object.values(OPERATIONS).map(({ tag }) => `tag-${tag}`);
    const known = new Set([
      '/openapi.json',
      '/status',
      '/signup',
      '/docs/errors',
      '/docs/reference',
      ...ALL_GUIDES.map(({ slug }) => `/docs/${slug}`),
      ...Object.keys(ERROR_CODES).map((code) => `/docs/errors/${code}`),
      ...[...operations, ...tags, 'tag-webhooks'].map((id) => `/docs/reference#${id}`),
    ]);
    expect(links.filter((link) => !link.startsWith('https://') && !known.has(link))).toEqual([]);
  });

  test('names only existing codes, scopes and paths', () => {
    const named = [...all.matchAll(/`(sessions|refunds|payouts):(\w+)`/g)].map(([text]) => text.slice(1, -1));
    expect([...new Set(named)].toSorted()).toEqual([...SCOPES].toSorted());
    const shown = GUIDES.flatMap((guide) => guide.sections.flatMap(textsOf)).join('\n');
    const paths = [...shown.matchAll(/`(GET|POST) ((?:\/api)?\/v1\/[^`?]*)/g)].map(
      ([, method, at]) => `${method} ${at}`,
    );
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter((key) => OPERATIONS[key] === undefined)).toEqual([]);
  });

  test('explains each verdict and each event', () => {
    const finder =
      ALL_GUIDES.find(({ slug }) => slug === 'finder')
        ?.sections.flatMap(textsOf)
        .join(' ') ?? '';
    expect(VERDICTS.filter((verdict) => !finder.includes(`\`${verdict}\``))).toEqual([]);
    expect(EVENT_TYPES.filter((type) => !all.includes(`\`${type}\``))).toEqual([]);
  });

  test('states the blocks to finality of each main network', () => {
    const table = sections.find(({ title }) => title === 'What counts as a payment')?.table;
    const stated = (table?.rows ?? []).map(([network, blocks]) => `${network} ${blocks}`);
    const right = NETWORKS.filter(({ chain, isStandard }) => chain === 'mainnet' && isStandard).map(
      (one) => `\`${one.network}\` ${one.confirmations}`,
    );
    expect(stated.toSorted()).toEqual(right.toSorted());
  });

  test('explains to webhook receivers everything that the contract requires of them', () => {
    const guide =
      ALL_GUIDES.find(({ slug }) => slug === 'webhooks')
        ?.sections.flatMap(textsOf)
        .join(' ') ?? '';
    const duties = ['300 seconds', 'raw bytes', 'constant time', 'answer 401', '`X-Service-Event-ID` as a unique key'];
    const times = ['remember it for 30 days', '30 seconds in all', 'Answer at once and do long work afterwards'];
    expect([...duties, ...times].filter((text) => !guide.includes(text))).toEqual([]);
  });

  test('shows only programs and parts that exist', () => {
    for (const { snippet } of sections) {
      if (!snippet) continue;
      for (const { id, extension } of languagesOf(snippet.name)) {
        const name = id === 'node' ? (snippet.node ?? snippet.name) : snippet.name;
        const file = path.join(ROOT, 'docs/snippets', `${name}.${extension}`);
        expect(existsSync(file)).toBe(true);
        if (snippet.part)
          expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`\\[${snippet.part}\\][^]+\\[/${snippet.part}\\]`));
      }
    }
  });
});

describe('names of pages and buttons', () => {
  const source = JSON.stringify(catalogue);

  test('come from the catalogues of the product, so that a rename there applies here', () => {
    const typed = /\b(?:under|pages?|press(?:es)?|clicks?|ticks?) “?(?=[A-Z])[^.,;:]{1,30}/gi;
    const bare = [...source.matchAll(typed)].map(([text]) => text).filter((text) => /^\w+ “?[A-Z]/.test(text));
    expect(bare).toEqual([]);
    expect([...source.matchAll(/\{(?:ui|pay)\.\w+\}/g)].length).toBeGreaterThan(10);
  });

  test('are filled in on every page, in the search and in the errors', () => {
    const shown = JSON.stringify([ALL_GUIDES, ERROR_TEXTS, DOCS_WORDS]);
    expect(shown).not.toMatch(/\{(?:ui|pay)\./);
    expect(ERROR_TEXTS.invalid_api_key.do).toContain(`the page ${dashboard.navKeys}`);
  });

  test('must exist in a catalogue, and omit the amount that a button shows', () => {
    expect(() => withProductNames('{ui.navNothing}')).toThrow('navNothing');
    expect(withProductNames('{ui.tillCharge}, {pay.payTestMoney}, {origin}')).toBe(
      'Charge, Pay with test money, {origin}',
    );
  });
});

test('the webhook guide explains the longer retries that a store may choose', () => {
  const retries = sections.find(({ title }) => title === 'Retries');
  const { minutes, hours, total } = slowSchedule();
  const guide = retries?.text.join(' ') ?? '';
  const expected = [
    dashboard.hookSlow,
    `${minutes} minutes`,
    `${hours} hours after each failure`,
    `${total} hours in all`,
  ];
  expect(expected.filter((text) => !guide.includes(text))).toEqual([]);
});

describe('the example of signature version 2', () => {
  const guide = ALL_GUIDES.find(({ slug }) => slug === 'signature-version-2');
  const codeOf = (title: string) => guide?.sections.find((one) => one.title === title)?.code ?? '';
  const request = codeOf('An example: the request');
  const [head = '', body = ''] = request.split('\n\n');
  const [line = '', ...lines] = head.split('\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = new Map(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 2)]),
  );
  const key = { apiKey: 'ak_test_documentation', secret: SIGNING_EXAMPLE.secret, now: 1_700_000_000 };
  const sent = (over: Partial<ApiRequest> = {}): ApiRequest => ({
    ...{ method, path: target, query: '', body: Buffer.from(body), address: '127.0.0.1' },
    header: (name) => [headers.get(name) ?? []].flat(),
    ...over,
  });

  test('is accepted by the service, and no variation of it is', () => {
    expect(checkMessageSignature(sent(), key)).toBe(SIGNING_EXAMPLE.nonce);
    expect(body).toBe(SIGNING_EXAMPLE.body);
    expect(headers.get('authorization')).toBe(`Bearer ${key.apiKey}`);
    expect(() => checkMessageSignature(sent({ path: `${target}/` }), key)).toThrow('Signature does not match');
    expect(() => checkMessageSignature(sent({ body: Buffer.from(`${body} `) }), key)).toThrow('Content-Digest');
  });

  test('shows the exact text that is signed', () => {
    const base = codeOf('An example: what is signed');
    expect(headers.get('signature')).toBe(`sig1=:${hmacSha256(key.secret, base).toString('base64')}:`);
    expect(guide?.sections.flatMap(textsOf).join(' ')).toContain(`\`${key.secret}\``);
  });
});

describe('the signing calculator', () => {
  test.each([SIGNING_EXAMPLE.secret, 'as_test_ü', ''])(
    'computes what the service computes, secret %j',
    async (secret) => {
      for (const body of [SIGNING_EXAMPLE.body, '', '{"name":"Кофе ☕"}']) {
        const { timestamp, nonce } = SIGNING_EXAMPLE;
        const { signature, signString } = await signInBrowser(secret, { timestamp, nonce, body });
        expect(signature).toBe(signatureOf(secret, timestamp, nonce, body).toString('hex'));
        expect(signString).toBe(`${timestamp}.${nonce}.${body}`);
      }
    },
  );
});
