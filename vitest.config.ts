// Settings of the unit, property, database and chain tests. Browser tests are Playwright's (playwright.config.ts).

import { randomBytes } from 'node:crypto';
import { configDefaults, defineConfig } from 'vitest/config';

const INCLUDE = ['{lib,app,components,packages,sandbox,scripts,simulation}/**/*.test.{ts,tsx,mts}'];
/** These replace modules that other files have loaded, read settings before they are loaded, count what the process has done, or leave a connection behind that is opened for ever. */
const ISOLATED = [
  'app/proxy-payer.test.ts',
  ...['lib/merchants/accounts/sign-in/sign-in.test.ts', 'lib/webhooks/delivery/resolve.test.ts'],
  ...['sandbox/chains/solana/web3.test.ts', 'lib/installation/metrics/metrics.test.ts'],
];

export default defineConfig({
  resolve: {
    alias: {
      // Its sources, as in tsconfig.json: tests need no build of the package.
      '@stabletill/sdk': `${import.meta.dirname}/packages/sdk/src/stabletill.ts`,
      '@': import.meta.dirname,
    },
  },
  test: {
    // Files share a process, which loads modules once: to load those of ethers, tronweb and Solana for each file took a third of all time.
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: INCLUDE, exclude: [...configDefaults.exclude, ...ISOLATED], isolate: false },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
    // The settings of the process that runs the tests: the audit log's key is derived from its master key.
    env: { DATABASE_URL: 'postgresql://unused', MASTER_KEYS: `1:${randomBytes(32).toString('base64')}` },
    globalSetup: ['testing/global-setup.ts'],
    setupFiles: ['testing/async-storage.ts', 'testing/row-types/record.ts'],
    // A hang ends; a slow machine does not fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // Many tests wait for a process or a timer: three keep two cores busy.
    maxWorkers: 3,
  },
});
