// The project's shape, held by reading every source file with a real parser: who may import whom, where settings and time
// come from, which parts of Next stay unused, how files are written. Each rule is also tried on a made-up breach.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as rules from '@/scripts/check/architecture-rules';
import { chainLibrariesLoadLazily, draftsHaveTwoAuthors } from '@/scripts/check/draft-rules';
import { hotPathsWithoutPrisma } from '@/scripts/check/hot-paths';
import { parseTree, readTree } from '@/scripts/check/source-tree';

const ROOT = path.join(import.meta.dirname, '..');
const ROOT_FILES = fs.readdirSync(ROOT).filter((name) => /\.(ts|mts|mjs)$/.test(name) && name !== 'next-env.d.ts');
const PLACES = [
  'lib',
  'app',
  'components',
  'packages',
  'sandbox',
  'simulation',
  'testing',
  'e2e',
  'scripts',
  ...ROOT_FILES,
];
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
    ['no folder of lib shows too many files', rules.foldersStaySmall],
    ['every file begins by saying what it owns', rules.filesBeginWithComment],
    ['the writers of drafts and the signer’s readers share no code', draftsHaveTwoAuthors],
    ['only the writers of drafts load the chains’ libraries, and not before the first draft', chainLibrariesLoadLazily],
    ['the hot paths load no Prisma client', hotPathsWithoutPrisma],
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
      expect.arrayContaining(['lib/payments', 'lib/networks', 'lib/signer', 'app/pay', 'proxy.ts', 'testing/database']),
    );
    expect(tree.flatMap((one) => one.imports.filter((it) => it.file !== null)).length).toBeGreaterThan(100);
  });
});

/** A tree of files by path; a file that is only imported needs no entry. */
const made = (files: Record<string, string>) => parseTree(new Map(Object.entries(files)));
const importing = (from: string, to: string) => made({ [from]: `import { x } from '@/${to}';`, [`${to}.ts`]: '' });

test('a hot path that loads Prisma’s client through another file is found', () => {
  const files = {
    'lib/api/operations/create.ts': `import { a } from '@/lib/money/a';`,
    'lib/money/a.ts': `import { prismaOn } from '@/lib/platform/database/prisma';`,
    'lib/platform/database/prisma.ts': '',
  };
  expect(hotPathsWithoutPrisma(made(files))).toEqual([
    expect.stringContaining('create.ts → lib/money/a.ts → lib/platform/database/prisma.ts'),
  ]);
});

describe('a breach is found:', () => {
  test.each([
    ['lib/payments/sessions/create/create.ts', 'lib/refunds/request/create'],
    ['lib/payments/sessions/create/create.ts', 'lib/webhooks/delivery/deliver'],
    ['lib/payments/sessions/create/create.ts', 'lib/networks/families/evm/adapter'],
    ['lib/payments/watcher/scan-final.ts', 'lib/payments/sessions/create/create'],
    ['lib/payments/watcher/scan-final.ts', 'lib/webhooks/events/record'],
    ['lib/networks/families/evm/adapter.ts', 'lib/platform/database/db'],
    ['lib/networks/families/evm/adapter.ts', 'lib/payments/sessions/states'],
    ['lib/signer/main.ts', 'lib/platform/database/db'],
    ['lib/signer/draft-rules.ts', 'lib/networks/families/evm/sending/send'],
    ['lib/money/amounts.ts', 'lib/payments/sessions/create/rules'],
    ['lib/payments/sessions/view.ts', 'app/pay/view'],
    ['lib/payments/sessions/view.ts', 'components/ui/button'],
    ['lib/payments/sessions/create/create.ts', 'sandbox/chains/start'],
    ['lib/payments/sessions/create/create.ts', 'testing/database/database'],
    ['sandbox/main.ts', 'testing/sweeps/sweep-scene'],
    ['lib/api/routes.ts', 'lib/worker/steps'],
    ['lib/api/routes.ts', 'lib/signer/client'],
    ['lib/treasury/wallets/address-pool.ts', 'lib/signer/keystore/keystore'],
    ['app/pay/page.tsx', 'lib/worker/steps'],
    ['app/api/cron/route.ts', 'lib/worker/main'],
    ['app/pay/page.tsx', 'sandbox/receiver'],
    ['server.ts', 'lib/worker/main'],
    ['server.ts', 'lib/signer/keystore/keystore'],
    ['proxy.ts', 'lib/payments/watcher/step'],
    ['lib/platform/ids.ts', 'lib/money/amounts'],
    ['lib/new-room/a.ts', 'lib/platform/ids'],
    ['lib/payments/links/open.ts', 'lib/refunds/request/create'],
    ['lib/merchants/audit/record.ts', 'lib/merchants/stores/read'],
    ['sandbox/demo/main.ts', 'lib/signer/keystore/keystore'],
    ['components/ui/button.tsx', 'lib/payments/sessions/view'],
    ['components/ui/button.tsx', 'components/checkout/amount'],
    ['components/checkout/amount.tsx', 'components/dashboard/table'],
    ['components/checkout/amount.tsx', 'lib/platform/database/db'],
    ['e2e/pay.spec.ts', 'lib/payments/sessions/create/create'],
    ['packages/sdk/src/transport.ts', 'lib/platform/crypto'],
    ['sandbox/shop/merchant.ts', 'packages/sdk/src/transport'],
  ])('%s must not import %s', (from, to) => {
    expect(rules.importsPointDown(importing(from, to))).toEqual([expect.stringContaining(`${from} imports ${to}`)]);
  });

  test.each([
    ['lib/payments/sessions/create/create.ts', 'lib/webhooks/events/record'],
    ['lib/payments/sessions/settle/settle.ts', 'lib/ledger/post'],
    ['lib/payments/sessions/settle/settle.ts', 'lib/platform/database/db'],
    ['lib/payments/watcher/scan-final.ts', 'lib/payments/sessions/settle/settle'],
    ['lib/worker/steps.ts', 'lib/payments/watcher/step'],
    ['lib/signer/draft-rules.ts', 'lib/networks/families/evm/sending/read-draft'],
    ['lib/payments/watcher/transfers/payers.ts', 'lib/signer/attestations/payer-evidence'],
    ['lib/treasury/wallets/address-pool.ts', 'lib/signer/client'],
    ['app/api/cron/route.ts', 'lib/worker/steps'],
    ['app/pay/page.tsx', 'components/checkout/page'],
    ['components/checkout/amount.tsx', 'components/ui/button'],
    ['lib/payments/sessions/create/create.test.ts', 'testing/database/database'],
    ['sandbox/demo/main.ts', 'lib/merchants/stores/create'],
    ['scripts/bench/treasury/sweep-deposits.ts', 'testing/sweeps/sweep-scene'],
  ])('%s may import %s', (from, to) => {
    expect(rules.importsPointDown(importing(from, to))).toEqual([]);
  });

  test.each([
    `import '../../refunds/request/create';`,
    `import type { A } from '@/lib/refunds/request/create';`,
    `export { a } from '@/lib/refunds/request/create';`,
    `const a = await import('@/lib/refunds/request/create');`,
    `type A = import('@/lib/refunds/request/create').A;`,
  ])('however it is written: %s', (text) => {
    const small = made({ 'lib/payments/sessions/a.ts': text, 'lib/refunds/request/create.ts': '' });
    expect(rules.importsPointDown(small)).toEqual([expect.stringContaining('lib/refunds/request/create.ts')]);
  });

  test('code that writes a draft and reads it for the signer', () => {
    const [writer, reader] = ['lib/networks/families/evm/sending/write-draft.ts', 'lib/networks/families/evm/rlp.ts'];
    expect(draftsHaveTwoAuthors(made({ [writer]: `import { a } from '../rlp';`, [reader]: '' }))).toHaveLength(1);
    expect(draftsHaveTwoAuthors(made({ [writer]: `import type { A } from '../rlp';`, [reader]: '' }))).toEqual([]);
    const through = made({
      'lib/signer/main.ts': `import '@/lib/networks/families/evm/rlp';`,
      [reader]: `import './sending/write-draft';`,
      [writer]: '',
    });
    expect(draftsHaveTwoAuthors(through)).toEqual([`lib/signer/main.ts reaches ${writer}`]);
  });

  test.each([
    ['lib/networks/families/tron/sending/write-draft.ts', `import { utils } from 'tronweb';`],
    ['lib/networks/families/tron/sending/send.ts', `const { utils } = await import('tronweb');`],
    ['lib/networks/families/evm/address.ts', `import { getAddress } from 'ethers';`],
  ])('a chain’s library loaded too early, or elsewhere: %s: %s', (file, text) => {
    expect(chainLibrariesLoadLazily(made({ [file]: text }))).toHaveLength(1);
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
    ['lib/payments/index.ts', `export const a = 1;`],
    ['lib/payments/all.ts', `export * from './create';`],
    ['lib/payments/all.ts', `export { a } from './create'; export { b } from './cancel';`],
  ])('a barrel file %s: %s', (file, text) => {
    expect(rules.noBarrels(made({ [file]: text }))).toHaveLength(1);
    expect(
      rules.noBarrels(made({ 'app/api/x/route.ts': `export { GET } from '@/lib/api/adapters/next-adapter';` })),
    ).toEqual([]);
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
    expect(rules.settingsOnlyInConfig(made({ 'lib/payments/sessions/a.ts': text }))).toHaveLength(1);
    expect(rules.settingsOnlyInConfig(made({ 'lib/platform/config/config.ts': text }))).toEqual([]);
  });

  test.each([`const a = Date.now();`, `const a = new Date();`, `const a = Date();`])(
    'the machine’s time: %s',
    (text) => {
      expect(rules.clockOnlyInjected(made({ 'lib/payments/sessions/a.ts': text }))).toHaveLength(1);
      expect(rules.clockOnlyInjected(made({ 'app/pay/page.tsx': text }))).toHaveLength(1);
      expect(rules.clockOnlyInjected(made({ 'lib/platform/clock.ts': text }))).toEqual([]);
      expect(rules.clockOnlyInjected(made({ 'lib/payments/sessions/a.ts': `const a = new Date(5);` }))).toEqual([]);
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

  test('a folder of lib with 17 files, though not one of 16 and its tests', () => {
    const folder = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`lib/money/a${n}.ts`, '']));
    expect(rules.foldersStaySmall(made(folder(17)))).toEqual(['lib/money has 17 files, more than 16']);
    expect(rules.foldersStaySmall(made({ ...folder(16), 'lib/money/a1.test.ts': '' }))).toEqual([]);
  });

  test('a file that begins with code', () => {
    expect(rules.filesBeginWithComment(made({ 'lib/a.ts': `import 'x';\n// late` }))).toHaveLength(1);
    expect(rules.filesBeginWithComment(made({ 'lib/a.tsx': `'use client';\n// What it owns.\nimport 'x';` }))).toEqual(
      [],
    );
  });
});
