import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { bufferPage, isSentWithoutFramework, withoutFramework } from './without-framework';

const asked = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  ({ method, url, headers }) as unknown as IncomingMessage;

describe('a payment page is sent without the framework', () => {
  const without = [
    '/pay/cs_test_1',
    '/pay/cs_test_1?method=bsc-USDT',
    '/pay/cs_test_1?',
    '/branding-preview/st_1/new?name=x',
  ];
  test.each(without)('at %s', (url) => {
    expect(isSentWithoutFramework(asked(url))).toBe(true);
  });

  test.each([
    '/pay/cs_test_1/receipt',
    '/pay/cs_test_1/status',
    '/link/pl_1',
    '/payments/1',
    '/branding-preview/st_1',
    '/dashboard?to=/pay/1',
  ])('and %s with it', (url) => {
    expect(isSentWithoutFramework(asked(url))).toBe(false);
  });

  test('and the framework’s own requests stay unchanged', () => {
    expect(isSentWithoutFramework(asked('/pay/cs_test_1', { rsc: '1' }))).toBe(false);
    expect(isSentWithoutFramework(asked('/pay/cs_test_1', {}, 'POST'))).toBe(false);
  });

  test('so that its own script is the only one, and the remainder is unchanged', () => {
    const page =
      '<html><head><link rel="stylesheet" href="/a.css"/><link rel="preload" as="script" href="/_next/a.js"/></head>' +
      '<body><p>1 &lt;script&gt;</p><script src="/_next/a.js" async=""></script><noscript>on</noscript>' +
      '<script type="module" src="/own.js" data-of-the-page=""></script>' +
      '<script>self.__next_f.push([1,"a\\u003c/script>"])</script></body></html>';
    expect(withoutFramework(page)).toBe(
      '<html><head><link rel="expect" href="#end-of-page" blocking="render"/><link rel="stylesheet" href="/a.css"/></head>' +
        '<body><p>1 &lt;script&gt;</p><noscript>on</noscript>' +
        '<script type="module" src="/own.js" data-of-the-page=""></script></body></html>',
    );
  });

  test('and a page whose rendering failed keeps the scripts that report it', () => {
    const failed = '<html id="__next_error__"><body><script src="/_next/a.js"></script></body></html>';
    expect(withoutFramework(failed)).toBe(failed);
  });
});

describe('a buffered response', () => {
  let server: http.Server | undefined;
  afterEach(() => void server?.close());

  async function answered(write: (request: IncomingMessage, response: http.ServerResponse) => void) {
    server = http.createServer((request, response) => {
      bufferPage(response);
      write(request, response);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { text: await answer.text(), status: answer.status };
  }

  test('in pieces, and ended twice, arrives once and whole, in every script', async () => {
    const text = 'Zahlung · 支付 · الدفع';
    const bytes = Buffer.from(`<p>${text}</p><scr`);
    const answer = await answered((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.flushHeaders();
      response.write(bytes.subarray(0, 13));
      response.write(bytes.subarray(13));
      response.end('ipt>1</script>!');
      response.end('again');
    });
    expect(answer.text).toBe(`<p>${text}</p>!`);
  });

  test('that is not a page arrives unchanged', async () => {
    const answer = await answered((_request, response) => {
      response.statusCode = 404;
      response.setHeader('content-type', 'text/plain');
      response.end('<script>1</script>');
    });
    expect(answer).toEqual({ text: '<script>1</script>', status: 404 });
  });
});
