// The base of every story: a merchant, and a page that fails its story on any violation of the Content-Security-Policy,
// any script error and any request to another host.

import { test as base, expect } from '@playwright/test';
import { Merchant } from './merchant';

type Fixtures = { merchant: Merchant; faults: string[] };

export const test = base.extend<Fixtures>({
  merchant: async ({ baseURL }, use) => {
    await use(new Merchant(baseURL as string));
  },
  faults: [
    async ({ page, baseURL }, use) => {
      const faults: string[] = [];
      page.on('console', (message) => {
        if (/content security policy|hydrat/i.test(message.text())) faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.protocol.startsWith('http') && url.origin !== baseURL) faults.push(`request to ${url.origin}`);
      });
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
