// What the dependency check rejects, on small made-up lock files. `npm run check` tests that the real lock file passes.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareVersions, dependencyFaults } from './check-deps.mjs';

const good = { version: '1.0.0', integrity: 'sha512-AAAA' };
const faultsOf = (packages: Record<string, object>, project: object = {}, limits = {}) =>
  dependencyFaults({ packages: { '': project, ...packages } }, limits);

test('an installation runs no script of any package', () => {
  expect(fs.readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
});

test('the native code for an HSM is optional: an installation neither compiles it nor fails without it', () => {
  const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
  expect(packages['node_modules/pkcs11js']).toMatchObject({ optional: true, hasInstallScript: true });
  expect(packages[''].dependencies).not.toHaveProperty('pkcs11js');
});

describe('a lock file', () => {
  test('of exact, whole registry packages has no fault', () => {
    expect(faultsOf({ 'node_modules/a': good }, { dependencies: { a: '1.0.0' } })).toEqual([]);
  });

  test.each([
    [
      'a version below its floor',
      { 'node_modules/next': { ...good, version: '16.4.4' } },
      /next 16\.4\.4 is below 16\.4\.5/,
    ],
    ['a nested copy below its floor', { 'node_modules/x/node_modules/sharp': { ...good, version: '0.35.4' } }, /sharp/],
    ['a prerelease of the floor', { 'node_modules/next': { ...good, version: '16.4.5-canary.1' } }, /below/],
    [
      'a version that became another library',
      { 'node_modules/@solana/web3.js': { ...good, version: '2.0.0' } },
      /too new/,
    ],
    ['a version published by thieves', { 'node_modules/axios': { ...good, version: '1.14.1' } }, /thieves/],
    [
      'a package from a git address',
      { 'node_modules/a': { ...good, resolved: 'git+ssh://x/y' } },
      /outside the registry/,
    ],
    ['a linked folder', { 'node_modules/a': { ...good, link: true } }, /outside the registry/],
    ['a missing integrity', { 'node_modules/a': { version: '1.0.0' } }, /integrity/],
    ['a weak integrity', { 'node_modules/a': { version: '1.0.0', integrity: 'sha1-AAAA' } }, /integrity/],
    [
      'parts of one product in two versions',
      { 'node_modules/react': good, 'node_modules/react-dom': { ...good, version: '1.0.1' } },
      /one version/,
    ],
  ])('with %s is refused', (_, packages, message) => {
    expect(faultsOf(packages)).toEqual([expect.stringMatching(message)]);
  });

  test('may list another platform’s optional package without integrity', () => {
    expect(faultsOf({ 'node_modules/a': { version: '1.0.0', optional: true, os: ['aix'] } })).toEqual([]);
    expect(faultsOf({ 'node_modules/a': { version: '1.0.0', optional: true, os: [process.platform] } })).toHaveLength(
      1,
    );
  });

  test.each(['^1.0.0', '~1.0.0', '*', 'latest', 'github:a/b', 'file:../a'])('of a range %s is refused', (range) => {
    expect(faultsOf({}, { devDependencies: { a: range } })).toEqual([expect.stringContaining('exact version')]);
  });

  test('may link to a package of this repository, which has no dependencies and no install script', () => {
    const link = { resolved: 'packages/a', link: true };
    const faults = (own: object, workspaces = ['packages/a']) =>
      faultsOf({ 'node_modules/@b/a': link, 'packages/a': { name: '@b/a', version: '1.0.0', ...own } }, { workspaces });
    expect(faults({})).toEqual([]);
    expect(faults({ dependencies: { c: '1.0.0' } })).toEqual([
      expect.stringContaining('without dependencies, and has c'),
    ]);
    expect(faults({ hasInstallScript: true })).toEqual([expect.stringContaining('must not run a script')]);
    expect(faults({}, [])).toContainEqual(expect.stringContaining('outside the registry'));
  });

  test('with more packages than agreed is refused', () => {
    expect(faultsOf({ 'node_modules/a': good, 'node_modules/b': good }, {}, { budget: 1 })).toHaveLength(1);
    expect(faultsOf({ 'node_modules/a': good, 'node_modules/b': good }, {}, { budget: 2 })).toEqual([]);
  });
});

test('versions are ordered by number, and a prerelease comes before its release', () => {
  const ordered = ['0.9.9', '1.2.3-beta.2', '1.2.3-beta.10', '1.2.3', '1.10.0', '16.4.5'];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
});
