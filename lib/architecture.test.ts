// The project's shape, held by reading every source file with a real parser: who may import whom, where settings and time
// come from, which parts of Next stay unused, how files are written. Each rule is also tried on a made-up breach.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as rules from '@/scripts/check/architecture-rules';
import { parseTree, readTree } from '@/scripts/check/source-tree';

const ROOT = path.join(import.meta.dirname, '..');
const ROOT_FILES = fs.readdirSync(ROOT).filter((name) => /\.(ts|mts|mjs)$/.test(name) && name !== 'next-env.d.ts');
const PLACES = ['lib', 'app', 'components', 'packages', 'sandbox', 'e2e', 'scripts', ...ROOT_FILES];
const tree = readTree(ROOT, PLACES);
const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const noDevelopmentPackages = rules.noDevelopmentPackages(new Set(Object.keys(dependencies)));

describe('in this project', () => {
  test.each<[string, rules.Rule]>([
    ['imports point down only', rules.importsPointDown],
    ['no imports go in a circle', rules.noCycles],
    ['there are no barrel files', rules.noBarrels],
    ['production code uses production packages only', noDevelopmentPackages],
    ['the environment is read in the settings files only', rules.settingsOnlyInConfig],
    ['time comes from the injected clock only', rules.clockOnlyInjected],
    ['no HTML is inserted unescaped', rules.noRawHtml],
    ['no file is too long to read at once', rules.filesStayShort],
    ['every file begins by saying what it owns', rules.filesBeginWithComment],
  ])('%s', (_, rule) => {
    expect(rule(tree)).toEqual([]);
  });

  test('N-13: Server Actions, its cache, images, rewrites and the Edge are not used', () => {
    expect(rules.noDangerousNext(tree)).toEqual([]);
  });

  test('N-12: no picture is made by a program', () => {
    const made = /^app\/(.*\/)?(opengraph-image|twitter-image|icon|apple-icon)\d*\.\w+$/;
    expect(tree.filter((file) => made.test(file.path))).toEqual([]);
  });

  test('the files that the rules are about were found', () => {
    const folders = new Set(tree.map((one) => one.path.split('/').slice(0, 2).join('/')));
    expect([...folders]).toEqual(
      expect.arrayContaining(['lib/sessions', 'lib/chains', 'lib/signer', 'app/pay', 'lib/db.ts']),
    );
    expect(tree.flatMap((one) => one.imports.filter((it) => it.file !== null)).length).toBeGreaterThan(100);
  });
});

/** A tree of files by path; a file that is only imported needs no entry. */
const made = (files: Record<string, string>) => parseTree(new Map(Object.entries(files)));
const importing = (from: string, to: string) => made({ [from]: `import { x } from '@/${to}';`, [`${to}.ts`]: '' });

describe('a breach is found:', () => {
  test.each([
    ['lib/sessions/create.ts', 'lib/refunds/create'],
    ['lib/sessions/create.ts', 'lib/webhooks/deliver'],
    ['lib/sessions/create.ts', 'lib/chains/evm/adapter'],
    ['lib/watcher/scan.ts', 'lib/sessions/create'],
    ['lib/watcher/scan.ts', 'lib/webhooks/record'],
    ['lib/chains/evm/adapter.ts', 'lib/db'],
    ['lib/chains/evm/adapter.ts', 'lib/sessions/states'],
    ['lib/signer/main.ts', 'lib/db'],
    ['lib/signer/draft-rules.ts', 'lib/chains/evm/send'],
    ['lib/money.ts', 'lib/sessions/rules'],
    ['lib/sessions/view.ts', 'app/pay/view'],
    ['lib/sessions/view.ts', 'components/ui/button'],
    ['lib/sessions/create.ts', 'sandbox/chains/start'],
    ['lib/sessions/create.ts', 'lib/testing/database'],
    ['lib/api/routes.ts', 'lib/worker/steps'],
    ['lib/api/routes.ts', 'lib/signer/client'],
    ['lib/wallet/address-pool.ts', 'lib/signer/keystore'],
    ['app/pay/page.tsx', 'lib/worker/steps'],
    ['app/api/cron/route.ts', 'lib/worker/main'],
    ['app/pay/page.tsx', 'sandbox/receiver'],
    ['server.ts', 'lib/worker/main'],
    ['server.ts', 'lib/signer/keystore'],
    ['sandbox/demo/main.ts', 'lib/signer/keystore'],
    ['components/ui/button.tsx', 'lib/sessions/view'],
    ['components/ui/button.tsx', 'components/checkout/amount'],
    ['components/checkout/amount.tsx', 'components/dashboard/table'],
    ['components/checkout/amount.tsx', 'lib/db'],
    ['e2e/pay.spec.ts', 'lib/sessions/create'],
    ['packages/sdk/src/transport.ts', 'lib/crypto'],
    ['sandbox/shop/merchant.ts', 'packages/sdk/src/transport'],
  ])('%s must not import %s', (from, to) => {
    expect(rules.importsPointDown(importing(from, to))).toEqual([expect.stringContaining(`${from} imports ${to}`)]);
  });

  test.each([
    ['lib/sessions/create.ts', 'lib/webhooks/record'],
    ['lib/sessions/settle.ts', 'lib/ledger/post'],
    ['lib/sessions/settle.ts', 'lib/db'],
    ['lib/watcher/scan.ts', 'lib/sessions/settle'],
    ['lib/worker/steps.ts', 'lib/watcher/step'],
    ['lib/signer/draft-rules.ts', 'lib/chains/evm/send-draft'],
    ['lib/watcher/payers.ts', 'lib/refund-evidence'],
    ['lib/wallet/address-pool.ts', 'lib/signer/client'],
    ['app/api/cron/route.ts', 'lib/worker/steps'],
    ['app/pay/page.tsx', 'components/checkout/page'],
    ['components/checkout/amount.tsx', 'components/ui/button'],
    ['lib/sessions/create.test.ts', 'lib/testing/database'],
    ['sandbox/demo/main.ts', 'lib/stores/create'],
  ])('%s may import %s', (from, to) => {
    expect(rules.importsPointDown(importing(from, to))).toEqual([]);
  });

  test.each([
    `import '../refunds/create';`,
    `import type { A } from '@/lib/refunds/create';`,
    `export { a } from '@/lib/refunds/create';`,
    `const a = await import('@/lib/refunds/create');`,
    `type A = import('@/lib/refunds/create').A;`,
  ])('however it is written: %s', (text) => {
    const small = made({ 'lib/sessions/a.ts': text, 'lib/refunds/create.ts': '' });
    expect(rules.importsPointDown(small)).toEqual([expect.stringContaining('lib/refunds/create.ts')]);
  });

  test('a cycle over three files, one of them through a type', () => {
    const small = made({
      'lib/a.ts': `import './b';`,
      'lib/b.ts': `import type { C } from './c';`,
      'lib/c.ts': `export { a } from './a';`,
    });
    expect(rules.noCycles(small)).toEqual(['a cycle: lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts']);
  });

  test.each([
    ['lib/sessions/index.ts', `export const a = 1;`],
    ['lib/sessions/all.ts', `export * from './create';`],
    ['lib/sessions/all.ts', `export { a } from './create'; export { b } from './cancel';`],
  ])('a barrel file %s: %s', (file, text) => {
    expect(rules.noBarrels(made({ [file]: text }))).toHaveLength(1);
    expect(rules.noBarrels(made({ 'app/api/x/route.ts': `export { GET } from '@/lib/api/web-door';` }))).toEqual([]);
  });

  test('a package that production does not install', () => {
    expect(noDevelopmentPackages(made({ 'lib/a.ts': `import fc from 'fast-check';` }))).toHaveLength(1);
    expect(noDevelopmentPackages(made({ 'lib/a.test.ts': `import fc from 'fast-check';` }))).toEqual([]);
    expect(noDevelopmentPackages(made({ 'lib/a.ts': `import pg from 'pg'; import fs from 'node:fs';` }))).toEqual([]);
  });

  test.each([
    `const a = process.env.DATABASE_URL;`,
    `const { env } = process;`,
    `const a = process['env'];`,
    `import { env } from 'node:process';`,
    `const a = import.meta.env;`,
  ])('the environment read outside the settings: %s', (text) => {
    expect(rules.settingsOnlyInConfig(made({ 'lib/sessions/a.ts': text }))).toHaveLength(1);
    expect(rules.settingsOnlyInConfig(made({ 'lib/config.ts': text }))).toEqual([]);
  });

  test.each([`const a = Date.now();`, `const a = new Date();`, `const a = Date();`])(
    'the machine’s time: %s',
    (text) => {
      expect(rules.clockOnlyInjected(made({ 'lib/sessions/a.ts': text }))).toHaveLength(1);
      expect(rules.clockOnlyInjected(made({ 'app/pay/page.tsx': text }))).toHaveLength(1);
      expect(rules.clockOnlyInjected(made({ 'lib/clock.ts': text }))).toEqual([]);
      expect(rules.clockOnlyInjected(made({ 'lib/sessions/a.ts': `const a = new Date(5);` }))).toEqual([]);
    },
  );

  test('HTML inserted unescaped', () => {
    expect(
      rules.noRawHtml(made({ 'app/a.tsx': `const a = <p dangerouslySetInnerHTML={{ __html: b }} />;` })),
    ).toHaveLength(1);
  });

  test.each([
    ['app/a.ts', `'use server'; export const a = 1;`],
    ['app/a.ts', `export async function a() { 'use server'; }`],
    ['app/a.ts', `export async function a() { 'use cache: remote'; }`],
    ['app/a.tsx', `import Image from 'next/image';`],
    ['app/a.tsx', `import { ImageResponse } from 'next/og';`],
    ['app/api/a/route.ts', `export const runtime = 'edge';`],
    ['middleware.ts', `export const a = 1;`],
    ['next.config.mjs', `export default { images: { unoptimized: true }, rewrites: async () => [] };`],
    ['next.config.mjs', `export default { poweredByHeader: false };`],
  ])('N-13: a dangerous part of Next in %s: %s', (file, text) => {
    expect(rules.noDangerousNext(made({ [file]: text }))).toHaveLength(1);
  });

  test('a file of 251 lines, though not one of 250', () => {
    expect(rules.filesStayShort(made({ 'lib/a.ts': '// a\n'.repeat(251) }))).toHaveLength(1);
    expect(rules.filesStayShort(made({ 'lib/a.ts': '// a\n'.repeat(250) }))).toEqual([]);
  });

  test('a file that begins with code', () => {
    expect(rules.filesBeginWithComment(made({ 'lib/a.ts': `import 'x';\n// late` }))).toHaveLength(1);
    expect(rules.filesBeginWithComment(made({ 'lib/a.tsx': `'use client';\n// What it owns.\nimport 'x';` }))).toEqual(
      [],
    );
  });
});
