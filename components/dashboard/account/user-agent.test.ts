// Devices are distinguished by their User-Agent header, and unusual headers cause no error.

import { describe, expect, test } from 'vitest';
import { readUserAgent } from './user-agent';

describe('names a device by its browser and system', () => {
  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
      'Edge',
      'Windows',
      false,
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari',
      'macOS',
      false,
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1',
      'Chrome',
      'iPhone',
      true,
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
      'Chrome',
      'Android',
      true,
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox', 'Linux', false],
  ])('%s', (text, browser, system, isPhone) => {
    expect(readUserAgent(text)).toEqual({ browser, system, isPhone });
  });

  test.each(['', 'curl/8.5.0', '__proto__', 'x'.repeat(10_000)])('but names neither for %j', (text) => {
    expect(readUserAgent(text)).toEqual({ browser: null, system: null, isPhone: false });
  });
});
