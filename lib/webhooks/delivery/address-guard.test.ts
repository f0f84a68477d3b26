import { describe, expect, test } from 'vitest';
import { hostOf, mayDial, parseWebhookUrl, PrivateAddress, UnsafeAddress } from './address-guard';
import { checkWebhookUrl, resolveSafely, type Lookup } from './resolve';

const far = { toLoopback: false };
const near = { toLoopback: true };
const found =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Hosts as a merchant may write them; the parser folds several forms into one. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '0x7f000001',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '0.1.2.3',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:8.8.8.8]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::808:808]',
  '[64:ff9b:1::]',
  '[2002:7f00:1::]',
  '[2002:808:808::]',
  '[2001:0:53aa:64c::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[3ffe::1]',
  '[2620:4f:8000::1]',
  '[4000::1]',
];
const PUBLIC_HOSTS = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.169.0.1',
  '198.20.0.1',
  '223.255.255.254',
  '[2606:4700:4700::1111]',
  '[2001:4860:4860::8888]',
  '[2a00:1450:4001::1]',
  '[2001:200::1]',
];

describe('W-02, W-03: no private, reserved or special address is accepted or dialled:', () => {
  test.each(PRIVATE_HOSTS)('%s', (host) => {
    expect(() => parseWebhookUrl(`https://${host}/hook`, far)).toThrow(UnsafeAddress);
    const address = new URL(`https://${host}/`).hostname.replace(/[[\]]/g, '');
    expect(mayDial(address, far)).toBe(false);
  });
  test.each(['', 'localhost', '127.1', '::1%lo', 'fe80::1%eth0', '2606:4700::1%eth0', '1.1.1', '08.8.8.8', ' 8.8.8.8'])(
    '“%s” as a resolver’s answer',
    (address) => {
      expect(mayDial(address, far)).toBe(false);
    },
  );
});

test.each(PUBLIC_HOSTS)('the public address %s is accepted and dialled', (host) => {
  expect(parseWebhookUrl(`https://${host}/hook`, far).hostname).toBe(host);
  expect(mayDial(host.replace(/[[\]]/g, ''), far)).toBe(true);
});

describe('W-01: a URL is refused for its form:', () => {
  test.each([
    'http://shop.example.com/',
    'ftp://shop.example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://',
    '//shop.example.com',
    '',
    'shop.example.com',
    'https://user@shop.example.com/',
    'https://user:pass@shop.example.com/',
    'https://:pass@shop.example.com/',
    'https://shop.example.com/#x',
    'https://shop.example.com/#',
    'https://shop.example.com:22/',
    'https://shop.example.com:25/',
    'https://shop.example.com:80/',
    'https://shop.example.com:5432/',
    'https://shop.example.com:6379/',
    'https://shop.example.com:99999/',
    `https://shop.example.com/${'x'.repeat(2048)}`,
    'https://shop.example.com./',
    'https://shop/',
    'https://localhost/',
    'https://localhost./',
    'https://x.localhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://nas.lan/',
    'https://a.home.arpa/',
    'https://home.arpa/',
    'https://db.localdomain/',
    'https://wiki.intranet/',
    'https://git.corp/',
    'https://tv.home/',
    'https://deep.down.internal/',
    'https://shop.example.com\\@evil.example/',
    'https://shop.example.com/\r\nX: y',
    'https://shop.exa\tmple.com/',
    ' https://shop.example.com/',
    'https://shop.example.com/ x',
    'https://shop.exam\u00a0ple.com/',
  ])('%s', (text) => {
    expect(() => parseWebhookUrl(text, far)).toThrow(UnsafeAddress);
  });
});

test.each([
  ['https://shop.example.com', 'https://shop.example.com/'],
  ['HTTPS://Shop.Example.COM:443/Hook?a=B', 'https://shop.example.com/Hook?a=B'],
  ['https://shop.example.com:8443/hook', 'https://shop.example.com:8443/hook'],
  ['https://größe.example/', 'https://xn--gre-6ka8i.example/'],
  ['https://аpple.com/', 'https://xn--pple-43d.com/'],
])('%s is accepted and shown as %s', (text, href) => {
  expect(parseWebhookUrl(text, far).href).toBe(href);
});

test.each([
  'local.example.com',
  'shop.catalan',
  'my-internal.example',
  'home.arpa.example',
  'x.homearpa',
  'a.lan.b.shop',
])('%s only looks like a private name and is accepted', (host) => {
  expect(parseWebhookUrl(`https://${host}/`, far).hostname).toBe(host);
});

test('a URL of 2048 characters is accepted, and one more is too long', () => {
  const url = (length: number) => 'https://shop.example.com/'.padEnd(length, 'x');
  expect(parseWebhookUrl(url(2048), far).href).toHaveLength(2048);
  expect(() => parseWebhookUrl(url(2049), far)).toThrow('The URL must have at most 2048 characters.');
});

test('a URL that leads into a private network is distinguished from a typing error', () => {
  for (const private_ of ['https://10.0.0.1/', 'https://[::1]/', 'https://nas.lan/', 'https://shop/']) {
    expect(() => parseWebhookUrl(private_, far)).toThrow(PrivateAddress);
  }
  for (const wrong of ['http://shop.example.com/', 'https://shop.example.com:80/', 'x']) {
    expect(() => parseWebhookUrl(wrong, far)).not.toThrow(PrivateAddress);
  }
  expect(new PrivateAddress('x').name).toBe('UnsafeAddress');
});

test('the host of an IPv6 address is written without its brackets', () => {
  expect(hostOf(new URL('https://[2606:4700::1111]:8443/'))).toBe('2606:4700::1111');
  expect(hostOf(new URL('https://shop.example.com/[x]'))).toBe('shop.example.com');
});

test('this machine is dialled only where that is allowed, and only in its plain forms', () => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1']) {
    expect([mayDial(address, near), mayDial(address, far)]).toEqual([true, false]);
  }
  for (const address of ['::ffff:127.0.0.1', '0.0.0.0', 'localhost', '', '10.0.0.1']) {
    expect(mayDial(address, near)).toBe(false);
  }
  expect(mayDial('8.8.8.8', near)).toBe(true);
});

describe('where this machine may be called,', () => {
  test.each([
    'http://127.0.0.1:3000/hook',
    'http://localhost:3000/hook',
    'http://[::1]:3000/',
    'https://127.0.0.1:9443/',
    'https://localhost:9443/',
  ])('%s is accepted, and only there', async (text) => {
    expect(await checkWebhookUrl(text, near, found('127.0.0.1', '::1'))).toBe(text);
    await expect(checkWebhookUrl(text, far, found('127.0.0.1', '::1'))).rejects.toThrow(UnsafeAddress);
    // Its form alone is refused, before any name is resolved.
    expect(() => parseWebhookUrl(text, far)).toThrow(UnsafeAddress);
  });
  test.each([
    'http://10.0.0.1/',
    'http://shop.example.com/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:127.0.0.1]/',
    'http://0.0.0.0:3000/',
    'https://x.localhost/',
    'https://1.1.1.1:3000/',
    'ftp://127.0.0.1/',
    'file://localhost/etc/passwd',
  ])('%s is still refused', (text) => {
    expect(() => parseWebhookUrl(text, near)).toThrow(UnsafeAddress);
  });
});

describe('W-04: a name is refused when one of its addresses is', () => {
  test.each([
    ['an A record to a private network', ['10.0.0.1']],
    ['an AAAA record to a private network', ['fd00::1']],
    ['one public and one private record', ['93.184.216.34', '192.168.1.1']],
    ['a record to the metadata service', ['169.254.169.254']],
    ['a record to this machine', ['127.0.0.1']],
  ])('%s', async (_, addresses) => {
    const url = parseWebhookUrl('https://shop.example.com/', far);
    await expect(resolveSafely(url, far, found(...addresses))).rejects.toThrow(UnsafeAddress);
    await expect(resolveSafely(url, near, found(...addresses))).rejects.toThrow(UnsafeAddress);
    await expect(checkWebhookUrl('https://shop.example.com/', far, found(...addresses))).rejects.toThrow(UnsafeAddress);
  });
  test('a name with only public addresses is accepted', async () => {
    expect(await checkWebhookUrl('https://shop.example.com/', far, found('93.184.216.34', '2606:2800:220:1::1'))).toBe(
      'https://shop.example.com/',
    );
  });
  test('a name that does not resolve cannot be saved, and is not a refusal during a call', async () => {
    const nowhere: Lookup = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    await expect(checkWebhookUrl('https://shop.example.com/', far, nowhere)).rejects.toThrow(UnsafeAddress);
    await expect(resolveSafely(new URL('https://shop.example.com/'), far, nowhere)).rejects.not.toThrow(UnsafeAddress);
  });
});
