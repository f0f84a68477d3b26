// Every page of the dashboard and of the operator console authorizes its visitor before it does anything else. No page relies on
// a layout or on proxy.ts for that (row N-02). All other entry points have tests of their guards (D-01), and the error page
// receives no error (N-14).

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from '@/scripts/check/source-tree';

const ROOT = path.join(import.meta.dirname, '../..');
const tree = readTree(ROOT, ['app', 'lib', 'components', 'proxy.ts']);
const pages = tree
  .map((one) => one.path)
  .filter((file) => /^app\/(dashboard|operator|branding-preview)\/(.*\/)?(page|default|route)\.tsx?$/.test(file));
const textOf = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8');

test('N-02: the pages were found', () => {
  expect(pages.length).toBeGreaterThan(25);
});

test.each(pages)('N-02: the first thing that %s does is to authorize its visitor', (file) => {
  const [, first = ''] = /export default async function \w+\([^]*?\) \{\s+([^\n]+)/.exec(textOf(file)) ?? [];
  expect(first).toMatch(/^(const \{[^}]*\} = )?await require(Store)?Page\(.*'[a-z.]+'.*\);$/);
});

test.each(pages)('N-02: the title of %s reveals nothing of its content', (file) => {
  // `titled` receives only keys of the catalogue.
  if (/^export const generateMetadata = titled\('\w+'\);$/m.test(textOf(file))) return;
  const [metadata = ''] = /export (async function|const) (generateM|m)etadata\b[^]*?\n\}/.exec(textOf(file)) ?? [];
  expect(metadata).not.toMatch(/context|services|pool|params|read[A-Z]|list[A-Z]/);
});

test('N-02: proxy.ts reaches no code that decides about access, and no code imports it', () => {
  const reached = new Set<string>();
  const walk = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const one of tree.find((source) => source.path === file)?.imports ?? [])
      if (one.file !== null && !one.typeOnly) walk(one.file);
  };
  walk('proxy.ts');
  const decides = /^lib\/(merchants\/(?!accounts\/sign-in\/(return-path|cookie-names))|dashboard\/|api\/)/;
  expect([...reached].filter((file) => decides.test(file))).toEqual([]);
  const product = tree.filter((one) => !/\.test\.tsx?$/.test(one.path));
  expect(product.filter(({ imports }) => imports.some(({ file }) => file === 'proxy.ts'))).toEqual([]);
});

/** The other entry points for requests, and the tests that they refuse other sites. */
const WAYS_IN = {
  'app/api/dashboard/[[...path]]/route.ts': 'lib/dashboard/matrix.test.ts',
  'app/api/auth/[...nextauth]/route.ts': 'lib/merchants/accounts/sign-in/next-auth.test.ts',
  'app/pay/[session_id]/refund-address/give/route.ts': 'lib/api/public/refund-address.test.ts',
  'app/pay/[session_id]/test-money/route.ts': 'lib/api/public/test-money.test.ts',
  'app/pay/[session_id]/receipt/mail/route.ts': 'lib/api/public/mail-receipt.test.ts',
  'app/claim/[token]/give/route.ts': 'lib/api/public/refund-address.test.ts',
  'app/(account)/payout-addresses/stop/[token]/confirm/route.ts': 'lib/api/public/stop-payout-address.test.ts',
  'app/link/[link_id]/open/route.ts': 'lib/api/public/open-link.test.ts',
  // With a secret that no browser holds, or without an operation.
  'app/api/[[...path]]/route.ts': 'lib/api/bad-input/authentication-headers.test.ts',
  'app/v1/[[...path]]/route.ts': 'lib/api/bad-input/authentication-headers.test.ts',
  'app/api/cron/route.ts': 'lib/api/cron.test.ts',
  // They answer whether the process, or its database, responds, whatever the method.
  'app/health/route.ts': 'lib/api/adapters/page-requests.test.ts',
  'app/livez/route.ts': 'lib/api/adapters/page-requests.test.ts',
  'app/readyz/route.ts': 'lib/api/adapters/page-requests.test.ts',
  // Browsers report from any page; a report only raises a counter.
  'app/csp-report/route.ts': 'lib/api/public/policy-report.test.ts',
};

test('D-01: every entry point for requests has a test that it refuses other sites', () => {
  const taking = tree
    .map((one) => one.path)
    .filter((file) => /^app\/.*\/route\.tsx?$/.test(file) && /\b(POST|PUT|PATCH|DELETE)\b/.test(textOf(file)))
    // The endpoints of the signed API (lib/api/route-files.test.ts) share one adapter, which the contract's tests go through.
    .filter((file) => !/ = endpoint\(/.test(textOf(file)));
  expect(taking.toSorted()).toEqual(Object.keys(WAYS_IN).toSorted());
  for (const file of Object.values(WAYS_IN)) expect(fs.existsSync(path.join(ROOT, file))).toBe(true);
});

test('N-14: the page for a failure does not receive the error', () => {
  const failing = tree.map((one) => one.path).filter((file) => /^app\/(.*\/)?(global-)?error\.tsx$/.test(file));
  expect(failing).toContain('app/error.tsx');
  for (const file of failing) expect(textOf(file)).not.toMatch(/\berror\b(?!['"/])|\.(message|stack|digest)\b/);
});
