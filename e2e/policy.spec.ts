// The Content-Security-Policy in the running product: every HTML response carries one, whatever the path.

import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { chromium, expect, test } from '@playwright/test';
import { selfSigned } from '../testing/receivers/receiver-certificate';
import { builtPages, pageIn, raw, sandbox } from './http-client';

/** The headless shell sends no reports, so a CHROMIUM that is one does not serve here. */
const WHOLE_BROWSER =
  process.env.CHROMIUM && !process.env.CHROMIUM.includes('headless') ? process.env.CHROMIUM : '/usr/bin/chromium';
/** Paths close to special routes, to built files, and to nothing at all. */
const NEIGHBOURS = [
  ...['/logo/x', '/logo/x/y', '/logo/', '/embedXjs', '/embed.js/x', '/csp-report/x', '/_next/static/none.js'],
  ...['/_next/none', '/docs/none', '/docs/errors/NONE', '/none', '/.well-known/none', '/API/x', '/V1/x', '/LOGO/x'],
];

test('every HTML response carries a policy, and every page says where violations are reported', async ({ baseURL }) => {
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

type Report = { readonly type: string; readonly body: string; readonly status: number };

/** Serves the product over TLS, as an operator's proxy does: browsers send reports from https pages only. */
async function overTls(baseURL: string): Promise<{ url: string; reports: Report[]; close: () => void }> {
  const reports: Report[] = [];
  const day = 86_400_000;
  const certificate = selfSigned('localhost', new Date(Date.now() - day), new Date(Date.now() + day));
  const server = https.createServer(certificate, (request, response) => {
    const { method, url = '/', headers } = request;
    const chunks: Buffer[] = [];
    const passed = http.request(`${baseURL}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      if (url === '/csp-report')
        reports.push({
          type: String(headers['content-type']),
          body: Buffer.concat(chunks).toString(),
          status: answer.statusCode ?? 0,
        });
    });
    passed.on('error', () => response.destroy());
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, reports, close };
}

test('a browser reports a picture that the policy blocks, and the service takes the report', async ({ baseURL }) => {
  const proxy = await overTls(baseURL as string);
  // Browsers otherwise collect reports for a minute.
  const browser = await chromium.launch({
    executablePath: WHOLE_BROWSER,
    args: ['--no-sandbox', '--short-reporting-delay'],
  });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(`${proxy.url}/login`);
    await page.evaluate(() => {
      const picture = new Image();
      picture.src = 'https://evil.example/x.png';
      document.body.append(picture);
    });
    await expect.poll(() => proxy.reports.map(({ body }) => body).join()).toContain('"effectiveDirective":"img-src"');
    for (const { type, status } of proxy.reports) expect([type, status]).toEqual(['application/reports+json', 204]);
  } finally {
    await browser.close();
    proxy.close();
  }
});
