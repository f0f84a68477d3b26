// Browser stories against a running sandbox: E2E_BASE_URL is its address, SANDBOX_JSON its description. The caller starts it.

import { defineConfig } from '@playwright/test';

/** They stop what the other stories use: the coin of a sponsor, energy, blocks, and the payouts of a network. */
const BAD_DAY = '**/bad-day*.spec.ts';
/** It stops processes of the installation and makes its database read-only: `npm run drill -- game-day` runs it in a sandbox of its own. */
const GAME_DAY = '**/game-day.spec.ts';
/** Nothing is refunded after it. */
const LAST = '**/freeze.spec.ts';

export default defineConfig({
  testDir: 'e2e',
  reporter: 'line',
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  // A payment is final after several blocks of a local chain.
  expect: { timeout: 60_000 },
  projects: [
    { name: 'stories', testIgnore: [BAD_DAY, GAME_DAY, LAST] },
    { name: 'bad day', testMatch: BAD_DAY, dependencies: ['stories'] },
    { name: 'last', testMatch: LAST, dependencies: ['bad day'] },
    { name: 'game day', testMatch: GAME_DAY },
  ],
  use: {
    baseURL: process.env.E2E_BASE_URL ?? 'http://127.0.0.1:3000',
    locale: 'en-US',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox'],
    },
  },
});
