// Rows D, N and O of docs/failure-model.md#bad-inputs against the running product: the content of pages and build, framing,
// redirects after sign-in, what responses reveal of the inside, and which process has which secret.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type APIRequestContext } from '@playwright/test';
import { cookieOf, DATA_DIRECTORY, raw, ROOT, sandbox, signedIn, stranger, type RawResponse } from './http-client';

const base = (baseURL: string | undefined): string => baseURL as string;

/** The secrets in the installation's files, by field name. No page may show one. */
function secretValues(content: unknown, name: string): [name: string, value: string][] {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]): [string, string][] => {
    if (typeof value !== 'string') return secretValues(value, `${name} ${key}`);
    const isSecret = /(password|secret|api_key|private_key|_KEYS?$|_SECRET$|PASSPHRASE$)/.test(key);
    return isSecret ? [[`${name} ${key}`, value.replace(/^(\d+:|0x)/, '')]] : [];
  });
}
const secrets = (): [name: string, value: string][] => {
  const found = ['sandbox.json', 'secrets.json'].flatMap((name) => {
    const file = path.join(DATA_DIRECTORY, name);
    return existsSync(file) ? secretValues(JSON.parse(readFileSync(file, 'utf8')), name) : [];
  });
  expect(found.length).toBeGreaterThan(10);
  return found;
};

/** Every file below a folder of the checkout, with its content. */
function filesBelow(folder: string): { file: string; text: string }[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ file: path.relative(ROOT, file), text: readFileSync(file, 'latin1') }));
}

/** The most pages checked per user: more than there are kinds of pages. */
const MAX_PAGES = 80;

/** Everything that links reach from one page, as pages and as Next's data for them: one of each kind first. */
async function crawl(baseURL: string, cookie: string, from: string): Promise<Map<string, RawResponse>> {
  const response = new Map<string, RawResponse>();
  const waiting = [from];
  const kinds = new Set<string>();
  while (waiting.length > 0 && response.size < MAX_PAGES) {
    const page = waiting.shift() as string;
    const answer = await raw(baseURL, page, { cookie });
    response.set(page, answer);
    response.set(
      `${page}, as data`,
      await raw(baseURL, `${page}${page.includes('?') ? '&' : '?'}_rsc=abc12`, { cookie, rsc: '1' }),
    );
    for (const [, link = ''] of answer.text.matchAll(/href="(\/(?:dashboard|operator|pay|receipt)[^"#]*)"/g)) {
      const kind = link.replaceAll(/(st|cs_test|cs_live|re|evt|rcp)_\w+|\d+|\?.*/g, '*');
      if (kinds.has(kind)) continue;
      kinds.add(kind);
      waiting.push(link.replaceAll('&amp;', '&'));
    }
  }
  return response;
}

test('D-28: no page contains a secret in any form, for any role', async ({ baseURL }) => {
  const { merchants, operator } = sandbox();
  const values = secrets();
  for (const [person, from, least] of [
    [merchants[0], `/dashboard/${sandbox().stores[0].id}/test/overview`, 16],
    [merchants[1], '/dashboard', 10],
    [operator, '/operator', 16],
  ] as const) {
    const who = await signedIn(base(baseURL), person);
    const cookie = await cookieOf(who);
    const pages = await crawl(base(baseURL), cookie, from);
    expect(pages.size).toBeGreaterThan(least);
    const login = cookie.split('stabletill-login=')[1]?.split(';')[0] ?? '';
    expect(login.length).toBeGreaterThan(40);
    for (const [page, { status, text }] of pages) {
      expect([page, status < 500]).toEqual([page, true]);
      const held = [...values, ['the cookie', login] as const].filter(([, value]) => text.includes(value));
      expect([page, held.map(([name]) => name)]).toEqual([page, []]);
      expect([page, /\b(as_(live|test)|whsec)_[0-9A-Za-z]{16,}|otpauth:\/\/|PRIVATE KEY/.test(text)]).toEqual([
        page,
        false,
      ]);
    }
  }
});

test('D-21: no page with money decisions can be framed', async ({ baseURL }) => {
  const { merchants, operator, stores } = sandbox();
  const pages = {
    refunds: '/operator/refunds',
    payments: '/operator/payments',
    keys: `/dashboard/${stores[0].id}/test/keys`,
  };
  for (const [person, page] of [
    [operator, pages.refunds],
    [operator, pages.payments],
    [operator, '/operator/wallets'],
    [merchants[0], pages.keys],
    [merchants[0], '/dashboard/account'],
  ] as const) {
    const cookie = await cookieOf(await signedIn(base(baseURL), person));
    for (const headers of [{}, { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site' }]) {
      const response = await raw(base(baseURL), page, { cookie, ...headers });
      expect([page, response.status, response.headers['x-frame-options']]).toEqual([page, 200, 'DENY']);
      expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(response.headers['cross-origin-opener-policy']).toBe('same-origin');
    }
  }
});

test('D-11: a page that a mail links to sends its address to no third party', async ({ baseURL }) => {
  for (const page of ['/reset', '/confirm', '/confirm/email', '/invite', '/setup']) {
    const response = await raw(base(baseURL), `${page}?token=${'T'.repeat(43)}`);
    expect([page, response.headers['referrer-policy']]).toEqual([page, 'no-referrer']);
    expect(response.text).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//);
  }
});

const WISHES = [
  '//evil.example',
  '/\\evil.example',
  'https:evil.example',
  'https://evil.example/',
  '/%5Cevil.example/..//evil.example',
];
test('D-22: sign-in redirects only within this service', async ({ baseURL }) => {
  const { merchants } = sandbox();
  for (const wish of [...WISHES, 'javascript:alert(1)', '/\t/evil.example', '/api/auth/signout']) {
    const person = await stranger(base(baseURL));
    const led = await signInTo(person, base(baseURL), wish);
    expect([wish, new URL(led).origin]).toEqual([wish, base(baseURL)]);
    expect(new URL(led).pathname).not.toMatch(/^\/\/|^\/api\//);
    // The page redirects a signed-in user.
    const response = await person.get(`/login?callbackUrl=${encodeURIComponent(wish)}`);
    const place = new URL(response.headers().location ?? '/', base(baseURL));
    expect([wish, place.origin]).toEqual([wish, base(baseURL)]);
  }

  async function signInTo(person: APIRequestContext, origin: string, callbackUrl: string): Promise<string> {
    const { csrfToken } = (await (await person.get('/api/auth/csrf')).json()) as { csrfToken: string };
    const answer = await person.post('/api/auth/callback/credentials', {
      headers: { origin, 'sec-fetch-site': 'same-origin' },
      form: { csrfToken, ...merchants[1], callbackUrl, json: 'true' },
    });
    expect(answer.status()).toBe(200);
    return ((await answer.json()) as { url: string }).url;
  }
});

test('N-04: the build contains no secret, no setting name for browsers and no served source map', async ({
  request,
}) => {
  const values = secrets();
  const files = [...filesBelow('.next/static'), ...filesBelow('.next/server'), ...filesBelow('dist')];
  const holding = files.flatMap(({ file, text }) =>
    values.filter(([, value]) => text.includes(value)).map(([name]) => `${file}: ${name}`),
  );
  expect([files.length > 100, holding]).toEqual([true, []]);
  const served = filesBelow('.next/static');
  const settings =
    // The guides show merchants how their own server reads its key.
    /process\.env\.(?!STABLETILL_)[A-Z]|\b(DATABASE_URL|MASTER_KEYS|KEYSTORE_PASSPHRASE|CRON_SECRET|EVIDENCE_KEY|SIGNER_SOCKET)\b/;
  expect(served.filter(({ text }) => settings.test(text)).map(({ file }) => file)).toEqual([]);
  expect(served.filter(({ file, text }) => file.endsWith('.map') || /\/[/*]# sourceMappingURL=/.test(text))).toEqual(
    [],
  );
  const script = served.find(({ file }) => file.endsWith('.js'))?.file.replace('.next', '/_next') ?? '';
  expect((await request.get(script)).status()).toBe(200);
  expect((await request.get(`${script}.map`)).status()).toBe(404);
});

test('N-13: the build’s manifests list no Server Action, Edge function, rewrite or generated image', () => {
  const read = (file: string) => JSON.parse(readFileSync(path.join(ROOT, '.next', file), 'utf8'));
  const { node, edge } = read('server/server-reference-manifest.json');
  expect([node, edge]).toEqual([{}, {}]);
  const { rewrites, redirects, headers } = read('routes-manifest.json');
  expect([rewrites].flat()).toEqual([{ beforeFiles: [], afterFiles: [], fallback: [] }]);
  expect([...redirects, ...headers].filter((one: { internal?: boolean }) => one.internal !== true)).toEqual([]);
  expect(Object.keys(read('server/middleware-manifest.json').functions)).toEqual([]);
  const made = Object.keys(read('app-path-routes-manifest.json')).filter((name) =>
    /(opengraph-image|twitter-image|apple-icon|\/icon(?!\.svg\/route))/.test(name),
  );
  expect(made).toEqual([]);
});

test('O-04: the public health answer says whether the service works, and nothing else', async ({ baseURL }) => {
  const health = await raw(base(baseURL), '/health');
  expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
  for (const name of ['server', 'x-powered-by', 'via']) expect(health.headers[name]).toBeUndefined();
  for (const headers of [{}, { authorization: 'Bearer guess' }, { 'x-forwarded-for': '127.0.0.1' }] as Record<
    string,
    string
  >[]) {
    const metrics = await raw(base(baseURL), '/metrics', headers);
    expect([401, 404]).toContain(metrics.status);
    expect(metrics.text).not.toContain('stabletill_');
  }
  for (const place of ['/metrics/', '/%6detrics', '/api/metrics', '/health/', '/api/health', '/debug', '/actuator'])
    expect([place, (await raw(base(baseURL), place)).text.includes('process_')]).toEqual([place, false]);
});

test('O-06: only the signer process holds the secret that opens the keystore', () => {
  test.skip(process.platform !== 'linux', 'what a process was given can be read on Linux alone');
  const { KEYSTORE_PASSPHRASE: passphrase = '', MASTER_KEYS: masterKeys = '' } = JSON.parse(
    readFileSync(path.join(DATA_DIRECTORY, 'secrets.json'), 'utf8'),
  ) as Record<string, string>;
  expect([passphrase.length > 30, masterKeys.length > 40]).toEqual([true, true]);
  const holders = (value: string): string[] =>
    processes()
      .filter(({ environment }) => environment.includes(value))
      .map(({ program }) => program);
  expect(new Set(holders(passphrase))).toEqual(new Set(['signer.mjs']));
  expect(new Set(holders(masterKeys))).toEqual(new Set(['server.mjs', 'pages.mjs', 'worker.mjs']));
});

/** The processes whose environment this user may read: the built program of each, and its environment. */
function processes(): { program: string; environment: string }[] {
  const read = (id: string, what: string): string => {
    try {
      return readFileSync(`/proc/${id}/${what}`, 'latin1');
    } catch {
      // It has exited meanwhile, or belongs to another user.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => ({
      program: path.basename(
        read(id, 'cmdline')
          .split('\0')
          .find((one) => one.endsWith('.mjs')) ?? '',
      ),
      environment: read(id, 'environ'),
    }))
    .filter(({ program }) => program !== '');
}
