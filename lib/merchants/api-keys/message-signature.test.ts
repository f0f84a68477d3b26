// Signature version 2: the test vectors of the RFCs, and invalid headers.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hmacSha256, sha256 } from '@/lib/platform/crypto';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';
import { contentDigest, COVERED, signMessage, type Message, type MessageChange } from '@/testing/sign-message';
import { checkMessageSignature, hasMessageSignature, signatureBase } from './message-signature';
import { readBytes, readDictionary, readInnerList } from './structured-fields';

const KEYS = { apiKey: `ak_test_${'k'.repeat(32)}`, apiSecret: `as_test_${'s'.repeat(43)}` };
const NOW = 1_800_000_000;
const MESSAGE = { method: 'POST', path: '/api/v1/refunds/create', body: '{"amount":1}', created: NOW, nonce: 'n-1' };

type Headers = Readonly<Record<string, string | readonly string[]>>;
const requestOf = ({ method, path, body = '' }: Message, headers: Headers): ApiRequest => {
  const [pathname = '', ...query] = path.split('?');
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  const header = (name: string) => byName.get(name) ?? [];
  return { method, path: pathname, query: query.join('?'), header, body: Buffer.from(body), address: '127.0.0.1' };
};
/** The nonce, or the code and the parameter of the refusal. */
const judge = (message: Message, headers: Headers, now = NOW): string => {
  try {
    return checkMessageSignature(requestOf(message, headers), { ...KEYS, secret: KEYS.apiSecret, now });
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.param}`;
    throw error;
  }
};
const judgeChange = (change: MessageChange, message: Message = MESSAGE) =>
  judge(message, signMessage(KEYS, message, change));

describe('RFC 9421', () => {
  test('B.2.5: the signature of HMAC-SHA256 is the published one', () => {
    const secret = Buffer.from(
      'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
      'base64',
    );
    const text = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
    const input = readDictionary(`sig-b25=${text}`)?.get('sig-b25') ?? '';
    const list = readInnerList(input);
    expect([...(list?.parameters ?? [])]).toEqual([
      ['created', '1618884473'],
      ['keyid', '"test-shared-secret"'],
    ]);
    const components = (list?.items ?? []).map((item) => item.slice(1, -1) as 'date' | '@authority' | 'content-type');
    const base = signatureBase(
      { components, text: input },
      { date: 'Tue, 20 Apr 2021 02:07:55 GMT', '@authority': 'example.com', 'content-type': 'application/json' },
    );
    expect(base).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@authority": example.com',
        '"content-type": application/json',
        `"@signature-params": ${text}`,
      ].join('\n'),
    );
    const published = readDictionary('sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:')?.get('sig-b25') ?? '';
    expect(hmacSha256(secret, base)).toEqual(readBytes(published));
  });

  test.each([
    ['2.2.6: the path is not decoded', '/path%2Fto/%7euser', '/path%2Fto/%7euser', '?'],
    [
      '2.2.7: the query is the question mark and all after it',
      '/path?param=value&foo=bar&baz=bat%2Dman',
      '/path',
      '?param=value&foo=bar&baz=bat%2Dman',
    ],
    ['2.2.7: a query without names', '/path?queryString', '/path', '?queryString'],
    ['2.2.7: an absent query is a question mark alone', '/path', '/path', '?'],
    ['2.2.7: an empty query is a question mark alone', '/path?', '/path', '?'],
    ['a second question mark belongs to the query', '/path?a=b?c', '/path', '?a=b?c'],
  ])('%s', (_, path, pathLine, queryLine) => {
    const message = { ...MESSAGE, method: 'GET', path, body: '' };
    const headers = signMessage(KEYS, message);
    const text = headers['Signature-Input'].slice('sig1='.length);
    const base = `"@method": GET\n"@path": ${pathLine}\n"@query": ${queryLine}\n"content-digest": ${contentDigest('')}\n"@signature-params": ${text}`;
    expect(headers.Signature).toBe(`sig1=:${hmacSha256(KEYS.apiSecret, base).toString('base64')}:`);
    expect(judge(message, headers)).toBe('n-1');
  });
});

test.each([
  ['RFC 9530, appendix B', '{"hello": "world"}\n', 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg='],
  ['the test request of RFC 9421, B.2', '{"hello": "world"}', 'X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE='],
  ['an empty body', '', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
])('the digest of %s is the published one', (_, body, published) => {
  expect(sha256(body).toString('base64')).toBe(published);
  expect(judgeChange({ digest: `sha-256=:${published}:` }, { ...MESSAGE, body })).toBe('n-1');
  const both = 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:';
  expect(judgeChange({ digest: `${both}, sha-256=:${published}:` }, { ...MESSAGE, body })).toBe('n-1');
  expect(judgeChange({ digest: both }, { ...MESSAGE, body })).toBe('invalid_signature Content-Digest');
});

describe('what is covered', () => {
  const quoted = COVERED.map((name) => `"${name}"`);

  test('may stand in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(quoted, { minLength: 4 }), (components) => {
        expect(judgeChange({ components })).toBe('n-1');
      }),
    );
  });

  test.each<[string, string[]]>([
    ...quoted.map((left): [string, string[]] => [`leaves out ${left}`, quoted.filter((one) => one !== left)]),
    ['is nothing', []],
    ['has one twice', [...quoted, '"@path"']],
    ['has one in place of another', [...quoted.slice(1), '"@path"']],
    ['has a component that is not known', [...quoted, '"@authority"']],
    ['has a header that is not known', [...quoted, '"x-other"']],
    ['has a component with a parameter', [...quoted.slice(1), '"@method";req']],
    ['has a component in capitals', [...quoted.slice(0, 3), '"Content-Digest"']],
    ['has a token for a string', ['*method', ...quoted.slice(1)]],
  ])('is refused when it %s', (_, components) => {
    expect(judgeChange({ components })).toBe('invalid_signature Signature-Input');
  });
});

describe('the parameters', () => {
  test('may stand in any order', () => {
    const { created, nonce, ...others } = {
      created: `${NOW}`,
      nonce: '"n-1"',
      tag: '"stabletill-api"',
      alg: '"hmac-sha256"',
    };
    const turned = { tag: null, alg: null, keyid: null, nonce: null, created: null };
    const more = `;tag=${others.tag};alg=${others.alg};keyid="${KEYS.apiKey}";nonce=${nonce};created=${created}`;
    expect(judgeChange({ parameters: turned, more })).toBe('n-1');
  });

  test.each<[string, MessageChange, string]>([
    ['without created', { parameters: { created: null } }, 'invalid_signature'],
    ['without nonce', { parameters: { nonce: null } }, 'invalid_signature'],
    ['without keyid', { parameters: { keyid: null } }, 'invalid_signature'],
    ['without alg', { parameters: { alg: null } }, 'invalid_signature'],
    ['without tag', { parameters: { tag: null } }, 'invalid_signature'],
    ['with another tag', { parameters: { tag: '"other"' } }, 'invalid_signature'],
    ['with a tag that is a token', { parameters: { tag: 'stabletill-api' } }, 'invalid_signature'],
    ['with created twice', { more: `;created=${NOW}` }, 'invalid_signature'],
    ['with tag twice', { more: ';tag="stabletill-api"' }, 'invalid_signature'],
    ['with nonce twice', { more: ';nonce="n-2"' }, 'invalid_signature'],
    ['with expires', { parameters: { expires: `${NOW + 60}` } }, 'invalid_signature'],
    ['with another parameter', { more: ';x' }, 'invalid_signature'],
    ['with another alg', { parameters: { alg: '"hmac-sha512"' } }, 'invalid_signature'],
    ['with another keyid', { parameters: { keyid: '"ak_test_other"' } }, 'invalid_signature'],
    ['with a keyid that is a token', { parameters: { keyid: KEYS.apiKey } }, 'invalid_signature'],
    ['with created in milliseconds', { parameters: { created: `${NOW}000` } }, 'invalid_timestamp'],
    ['with created as a decimal', { parameters: { created: `${NOW}.0` } }, 'invalid_timestamp'],
    ['with created as text', { parameters: { created: `"${NOW}"` } }, 'invalid_timestamp'],
    ['with a negative created', { parameters: { created: '-1800000000' } }, 'invalid_timestamp'],
    ['with an early created', { parameters: { created: `${NOW - 301}` } }, 'timestamp_out_of_range'],
    ['with a late created', { parameters: { created: `${NOW + 301}` } }, 'timestamp_out_of_range'],
    ['with an empty nonce', { parameters: { nonce: '""' } }, 'invalid_nonce'],
    ['with a space in the nonce', { parameters: { nonce: '"a b"' } }, 'invalid_nonce'],
    ['with a brace in the nonce', { parameters: { nonce: '"a{b"' } }, 'invalid_nonce'],
    ['with a long nonce', { parameters: { nonce: `"${'x'.repeat(256)}"` } }, 'invalid_nonce'],
    ['with a nonce that is a number', { parameters: { nonce: '1' } }, 'invalid_nonce'],
    ['with a nonce that is not ASCII', { parameters: { nonce: '"é"' } }, 'invalid_signature'],
    ['with two spaces', { more: ';  x' }, 'invalid_signature'],
  ])('%s are refused', (_, change, code) => {
    expect(judgeChange(change)).toBe(`${code} Signature-Input`);
  });

  test.each([-300, 300])('accept a created time %i seconds away', (away) => {
    expect(judgeChange({}, { ...MESSAGE, created: NOW + away })).toBe('n-1');
  });

  test('accept a nonce with quotation marks and backslashes, unescaped, and one of 255 characters', () => {
    for (const nonce of ['a"b\\c', 'x'.repeat(255), "~!#$%&'()*+,-./:;<=>?@^_`|}]"])
      expect(judgeChange({}, { ...MESSAGE, nonce })).toBe(nonce);
  });
});

describe('several signatures', () => {
  const own = signMessage(KEYS, MESSAGE);
  const foreign = 'proxy=("@authority" "x-a";sf);created=1;keyid="p";tag="web-bot-auth"';
  const withInputs = (input: string, signature: string) =>
    judge(MESSAGE, { ...own, 'Signature-Input': input, Signature: signature });

  test('are distinguished by their tag, in any order and with lines split anywhere', () => {
    const [input, signature] = [own['Signature-Input'], own.Signature];
    expect(withInputs(`${foreign}, ${input}`, `proxy=:AA==:, ${signature}`)).toBe('n-1');
    expect(withInputs(`${input}, ${foreign}`, `${signature},\tproxy=:AA==:`)).toBe('n-1');
    const lines = { ...own, 'Signature-Input': [foreign, input], Signature: ['proxy=:AA==:', signature] };
    expect(judge(MESSAGE, lines)).toBe('n-1');
  });

  test('with our tag are refused, and so are a repeated label and a label that only one header has', () => {
    const other = signMessage(KEYS, { ...MESSAGE, nonce: 'n-2' }, { label: 'sig2' });
    const [input, signature] = [own['Signature-Input'], own.Signature];
    const refused = [
      withInputs(`${input}, ${other['Signature-Input']}`, `${signature}, ${other.Signature}`),
      withInputs(`${input}, ${input}`, signature),
      withInputs(foreign, signature),
    ];
    expect(refused).toEqual(Array(3).fill('invalid_signature Signature-Input'));
    const unsigned = [
      withInputs(input, `${signature}, ${signature}`),
      withInputs(input, other.Signature),
      withInputs(input, `${signature};x`),
      withInputs(input, 'sig1="text"'),
      withInputs(input, signature.replaceAll(':', '')),
      withInputs(input, signature.replace('=:', '=:AA')),
      withInputs(input, 'sig1=::'),
    ];
    expect(unsigned).toEqual(Array(unsigned.length).fill('invalid_signature Signature'));
  });

  test('of other parties do not affect a request of version 1', () => {
    const first = { 'X-Service-Timestamp': '1', 'X-Service-Nonce': 'n', 'X-Service-Signature': 's' };
    const is = (headers: Headers) => hasMessageSignature(requestOf(MESSAGE, headers));
    expect(is({})).toBe(false);
    expect(is(first)).toBe(false);
    expect(is({ ...first, 'Signature-Input': foreign, Signature: 'proxy=:AA==:' })).toBe(false);
    expect(is({ ...first, 'Signature-Input': 'not a dictionary' })).toBe(false);
    expect(is({ ...first, 'Signature-Input': 'a=("b");x=";tag=\\"stabletill-api\\""' })).toBe(false);
    expect(is({ 'X-Service-Nonce': 'n', 'Signature-Input': foreign })).toBe(false);
    expect(is({ 'Signature-Input': foreign })).toBe(true);
    expect(is({ ...first, ...own })).toBe(true);
  });
});

test.each(['Signature-Input', 'Signature', 'Content-Digest'])('%s that is missing or empty is named', (name) => {
  const headers = signMessage(KEYS, MESSAGE);
  expect(judge(MESSAGE, { ...headers, [name]: [] })).toBe(`missing_header ${name}`);
  expect(judge(MESSAGE, { ...headers, [name]: '' })).toBe(`missing_header ${name}`);
});

test.each(['Signature-Input', 'Signature', 'Content-Digest'])('%s of 4 KiB and more is refused', (name) => {
  const headers: Record<string, string> = signMessage(KEYS, MESSAGE);
  expect(judge(MESSAGE, { ...headers, [name]: `${headers[name]}, x=:${'A'.repeat(4096)}:` })).toBe(
    `invalid_signature ${name}`,
  );
});

test('a header of exactly 4 KiB is read, and one character more is refused', () => {
  const headers = signMessage(KEYS, MESSAGE);
  const padded = (length: number): string => {
    const around = `${headers.Signature}, x=""`.length;
    return `${headers.Signature}, x="${'a'.repeat(length - around)}"`;
  };
  expect(judge(MESSAGE, { ...headers, Signature: padded(4096) })).toBe('n-1');
  expect(judge(MESSAGE, { ...headers, Signature: padded(4097) })).toBe('invalid_signature Signature');
});

test.each<[string, string]>([
  ['of another body', contentDigest('{}')],
  ['that is no byte sequence', 'sha-256="X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="'],
  ['in the form of the older Digest header', 'SHA-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE='],
  ['that is repeated', `${contentDigest(MESSAGE.body)}, ${contentDigest(MESSAGE.body)}`],
  ['that is shorter', 'sha-256=:X48E9qOokqqrvdts8nOJRA==:'],
  ['that is not canonical base64', contentDigest(MESSAGE.body).replace(/.=:$/, '9=:')],
])('a Content-Digest %s is refused although it is signed', (_, digest) => {
  expect(judgeChange({ digest })).toBe('invalid_signature Content-Digest');
});

test('a change of any part of a signed request invalidates it', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'abcXYZ019/%-_.~'), minLength: 1, maxLength: 20 });
  const messages = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    path: texts.map((text) => `/${text}`),
    query: fc.option(texts, { nil: '' }),
    body: fc.string({ unit: 'binary', maxLength: 50 }).filter((text) => Buffer.from(text).toString() === text),
    created: fc.integer({ min: NOW - 300, max: NOW + 300 }),
    nonce: texts,
  });
  const message = ({ path, query, ...rest }: { path: string; query: string } & Omit<Message, 'path'>) => ({
    ...rest,
    path: query === '' ? path : `${path}?${query}`,
  });
  fc.assert(
    fc.property(messages, messages, (one, other) => {
      const headers = signMessage(KEYS, message(one));
      expect(judge(message(one), headers)).toBe(one.nonce);
      for (const part of ['method', 'path', 'query', 'body'] as const) {
        if (one[part] === other[part]) continue;
        expect(judge(message({ ...one, [part]: other[part] }), headers)).toMatch(/^invalid_signature /);
      }
      const changed = signMessage(KEYS, message({ ...one, created: other.created, nonce: other.nonce }));
      if (changed['Signature-Input'] === headers['Signature-Input']) return;
      // Both times are within the window, so only the signature can refuse them.
      expect(judge(message(one), { ...headers, 'Signature-Input': changed['Signature-Input'] })).toBe(
        'invalid_signature Signature',
      );
    }),
    { numRuns: 500 },
  );
});

test('another secret and any changed byte of the signature are refused', () => {
  const other = signMessage({ ...KEYS, apiSecret: `${KEYS.apiSecret}x` }, MESSAGE);
  expect(judge(MESSAGE, other)).toBe('invalid_signature Signature');
  const right = signMessage(KEYS, MESSAGE);
  const bytes = Buffer.from(right.Signature.slice('sig1=:'.length, -1), 'base64');
  for (let n = 0; n < bytes.length; n++) {
    const changed = Buffer.from(bytes);
    changed[n] = (changed[n] ?? 0) ^ 1;
    const Signature = `sig1=:${changed.toString('base64')}:`;
    expect(judge(MESSAGE, { ...right, Signature })).toBe('invalid_signature Signature');
  }
  expect(judge(MESSAGE, right)).toBe('n-1');
});

test('a request with both kinds of signature is refused', () => {
  for (const name of ['X-Service-Timestamp', 'X-Service-Nonce', 'X-Service-Signature'])
    expect(judge(MESSAGE, { ...signMessage(KEYS, MESSAGE), [name]: '1' })).toBe('invalid_signature Signature-Input');
});

test('any content of the headers leads to a refusal with a code, never to a failure', () => {
  const right: Record<string, string> = signMessage(KEYS, MESSAGE);
  const name = fc.constantFrom('Signature-Input', 'Signature', 'Content-Digest');
  const cut = fc.tuple(name, fc.nat(300), fc.nat(20), fc.string({ unit: 'binary-ascii', maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (cuts) => {
      const headers = { ...right };
      for (const [header, at, length, text] of cuts) {
        const value = headers[header] ?? '';
        headers[header] = `${value.slice(0, at)}${text}${value.slice(at + length)}`;
      }
      // A cut behind a value's end may change nothing, or only the label or the order of members.
      expect(judge(MESSAGE, headers)).toMatch(
        /^n-1$|^(missing_header|invalid_signature|invalid_timestamp|timestamp_out_of_range) /,
      );
    }),
    { numRuns: 3000 },
  );
});
