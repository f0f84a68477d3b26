// The Content-Security-Policy in the running product: every answer that is HTML carries one, whichever path was asked for.

import { expect, test } from '@playwright/test';
import { builtPages, pageIn, raw, sandbox } from './outside';

/** Close to the paths that answer for themselves, to built files, and to nothing at all. */
const NEIGHBOURS = [
  ...['/logo/x', '/logo/x/y', '/logo/', '/embedXjs', '/embed.js/x', '/csp-report/x', '/_next/static/none.js'],
  ...['/_next/none', '/docs/none', '/docs/errors/NONE', '/none', '/.well-known/none', '/API/x', '/V1/x', '/LOGO/x'],
];

test('every answer that is HTML carries a policy, and every page says where violations are reported', async ({
  baseURL,
}) => {
  const [{ id }] = sandbox().stores;
  const pages = builtPages().map((page) => pageIn(page, id));
  for (const at of [...pages, ...NEIGHBOURS]) {
    const { headers } = await raw(baseURL as string, at);
    const policy = String(headers['content-security-policy']);
    expect([at, policy]).toEqual([at, expect.stringMatching(/default-src 'none'.*frame-ancestors/)]);
    expect([at, headers['x-content-type-options']]).toEqual([at, 'nosniff']);
    if (!pages.includes(at)) continue;
    expect([at, policy]).toEqual([at, expect.stringContaining('report-uri /csp-report; report-to csp')]);
    expect([at, headers['reporting-endpoints']]).toEqual([at, 'csp="/csp-report"']);
  }
});
