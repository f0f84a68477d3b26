// Browser stories against a running sandbox: E2E_BASE_URL is its address, SANDBOX_JSON its description. Whoever runs them starts it.

import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  reporter: 'line',
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,
  // A payment is final after several blocks of a local chain.
  expect: { timeout: 60_000 },
  use: {
    baseURL: process.env.E2E_BASE_URL ?? 'http://127.0.0.1:3000',
    locale: 'en-US',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
});
