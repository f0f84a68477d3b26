// A set-up is checked as a whole before anything is done: every fault names its field, and none repeats a value.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { readSignerSettings } from '@/lib/signer/settings';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { withSettings } from './candidate';
import { isSetupName } from './names';
import { readPlan, settingsOf } from './plan';
import { readSetupFile, writeSetupFile } from './settings-file';

const SECRET = 'hunter2-secret';
const WHOLE = {
  address: { public_url: 'https://pay.example', trusted_proxies: ['10.0.0.0/8', '::1/128'] },
  operator: { email: 'op@pay.example', password: SECRET, name: 'Ada' },
  networks: {
    ethereum: {
      endpoints: [`https://one.example/${SECRET}`, 'https://two.example'],
      budgets: ['second=25;day=100000', '-'],
    },
    tron: { endpoints: ['https://api.trongrid.io'], api_key: SECRET },
  },
  mail: {
    host: 'mail.example',
    port: 587,
    encryption: 'starttls',
    user: 'pay@mail.example',
    password: `it's:/@${SECRET}`,
    from: 'Shop <no-reply@pay.example>',
  },
  limits: { per_refund: '10000.00', per_hour: '20000', per_day: '50000.5', approval_above: '5000.00' },
  treasury: { ethereum: '0x52908400098527886E0F7030069857D2E4169EE7', tron: 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA' },
  security_contact: 'mailto:security@pay.example',
};
const faultsIn = (given: unknown): string[] => {
  const read = readPlan(typeof given === 'string' ? given : JSON.stringify(given));
  return 'faults' in read ? read.faults.map(({ field, message }) => `${field}: ${message}`) : [];
};
const settings = () => {
  const read = readPlan(JSON.stringify(WHOLE));
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return settingsOf(read.plan);
};

test('networks of the test environment are followed and refunded beside the live ones, and no endpoint confirms itself', () => {
  const networks = { tron: { endpoints: ['https://one.example'] } };
  const read = readPlan(
    JSON.stringify({ networks, test_networks: { tron: { endpoints: ['default'], api_key: 'k' } } }),
  );
  expect('plan' in read && settingsOf(read.plan)).toEqual({
    LIVE_TRON_URLS: 'https://one.example',
    TEST_TRON_URLS: 'default',
    TEST_TRON_API_KEY: 'k',
    SIGNER_NETWORKS: 'tron@mainnet,tron@testnet',
  });
  const twice = { networks: { tron: { endpoints: ['https://one.example', 'https://ONE.example/'] } } };
  expect(readPlan(JSON.stringify(twice))).toEqual({
    faults: [{ field: 'networks.tron.endpoints', message: 'names an endpoint twice: it would confirm itself' }],
  });
});

test('a complete plan becomes settings that web, worker and signer accept', () => {
  const made = settings();
  expect(made).toMatchObject({
    PUBLIC_URL: 'https://pay.example',
    TRUSTED_PROXIES: '10.0.0.0/8 ::1/128',
    LIVE_ETHEREUM_URLS: `https://one.example/${SECRET} https://two.example`,
    LIVE_ETHEREUM_BUDGETS: 'second=25;day=100000 -',
    LIVE_TRON_API_KEY: SECRET,
    SIGNER_NETWORKS: 'ethereum@mainnet,tron@mainnet',
    MAIL_FROM: 'Shop <no-reply@pay.example>',
    SIGNER_CENTS_PER_REFUND: '1000000',
    SIGNER_CENTS_PER_DAY: '5000050',
    REFUND_APPROVAL_ABOVE: '500000',
    SIGNER_APPROVAL_ABOVE: '500000',
  });
  const mail = new URL(made.SMTP_URL ?? '');
  expect([mail.protocol, mail.host, mail.searchParams.get('requireTLS')]).toEqual([
    'smtp:',
    'mail.example:587',
    'true',
  ]);
  expect([decodeURIComponent(mail.username), decodeURIComponent(mail.password)]).toEqual([
    'pay@mail.example',
    `it's:/@${SECRET}`,
  ]);
  const base = {
    DATABASE_URL: 'postgresql://127.0.0.1/app',
    MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
  };
  const config = readConfig({ ...base, ...made });
  expect(config.endpoints.get('LIVE_ETHEREUM_URLS')).toHaveLength(2);
  expect(withSettings(readConfig(base), made)).toEqual(config);
  const signer = readSignerSettings({ KEYSTORE_FILE: 'k', ...made });
  expect(signer.SIGNER_NETWORKS).toHaveLength(2);
  // Both ends compare the stored form of an address, in which Ethereum's has no capital letters.
  const wallets = signer.SIGNER_TREASURY_WALLETS.map(({ spec, treasury }) => [spec.network, treasury]);
  expect(wallets).toEqual([
    ['ethereum', WHOLE.treasury.ethereum.toLowerCase()],
    ['tron', WHOLE.treasury.tron],
  ]);
  expect(treasuryWallets(config.TREASURY_WALLETS).map(({ spec, address }) => [spec.network, address])).toEqual(wallets);
});

test('the word for the refund wallet is kept as it is, and service and signer read it', () => {
  const read = readPlan(JSON.stringify({ ...WHOLE, treasury: { tron: 'refund-wallet' } }));
  const made = 'plan' in read ? settingsOf(read.plan) : expect.fail('the plan was refused');
  expect(made.TREASURY_WALLETS).toBe('tron@mainnet=refund-wallet');
  expect(made.SIGNER_TREASURY_WALLETS).toBe('tron@mainnet=refund-wallet');
  expect(treasuryWallets([made.TREASURY_WALLETS ?? ''])).toHaveLength(1);
  expect(readSignerSettings({ KEYSTORE_FILE: 'k', ...made }).SIGNER_TREASURY_WALLETS).toHaveLength(1);
});

test('direct settlement is a setting of the service only, and of a plan with the merchant’s own wallets', () => {
  const read = readPlan(JSON.stringify({ ...WHOLE, direct_settlement: true }));
  const made = 'plan' in read ? settingsOf(read.plan) : expect.fail('the plan was refused');
  expect(made).toMatchObject({ DIRECT_SETTLEMENT: 'on' });
  const without = readPlan(JSON.stringify({ ...WHOLE, direct_settlement: false }));
  expect('plan' in without && settingsOf(without.plan)).not.toHaveProperty('DIRECT_SETTLEMENT');
});

test.each<[string, unknown, string[]]>([
  ...[{}, { treasury: { tron: 'refund-wallet' } }].map((part): [string, unknown, string[]] => [
    `direct settlement without a wallet of the merchant: ${JSON.stringify(part)}`,
    { ...part, direct_settlement: true },
    ['direct_settlement: needs wallets of the merchant in treasury, none of which is refund-wallet'],
  ]),
  ['text that is not JSON', `{"operator": "${SECRET}`, ['the file: is not JSON']],
  ['a field of another name', { netwroks: {} }, ['netwroks: is not a field of this file']],
  [
    'a field of another name inside',
    { mail: { ...WHOLE.mail, pasword: SECRET } },
    ['mail.pasword: is not a field of this file'],
  ],
  [
    'a network that there is not',
    { networks: { dogecoin: { endpoints: ['https://a.example'] } } },
    ['networks.dogecoin: must be one of ethereum, bsc, tron, solana'],
  ],
  [
    'an endpoint that is no address',
    { networks: { bsc: { endpoints: ['https://a.example', SECRET] } } },
    ['networks.bsc.endpoints.1: must be an http or https address'],
  ],
  [
    'an endpoint that would be two',
    { networks: { bsc: { endpoints: [`https://a.example/,${SECRET}`] } } },
    ['networks.bsc.endpoints.0: must not contain spaces or commas'],
  ],
  [
    'a value with a line end',
    { networks: { bsc: { endpoints: [`https://a.example/'${SECRET}`] } } },
    ['networks.bsc.endpoints.0: must be one line without an apostrophe'],
  ],
  [
    'a treasury wallet with a typing error',
    { treasury: { ethereum: WHOLE.treasury.ethereum.replace('69EE7', '69eE7'), tron: `${WHOLE.treasury.tron}1` } },
    ['ethereum', 'tron'].map(
      (name) =>
        `treasury.${name}: must be the address of a wallet on this network, with every letter as the wallet shows it`,
    ),
  ],
  [
    'a treasury wallet of another network, two in one, and a token',
    {
      treasury: {
        // A token account, which has no key.
        solana: 'DfZ2mAZ46136mzGgdwfWJ32RnFawePvFzCwbGmj8Gwak',
        bsc: WHOLE.treasury.tron,
        tron: `${WHOLE.treasury.tron} bsc@mainnet=${WHOLE.treasury.ethereum}`,
        ethereum: '0xdac17f958d2ee523a2206206994597c13d831ec7',
      },
    },
    ['solana', 'bsc', 'tron', 'ethereum'].map(
      (name) =>
        `treasury.${name}: must be the address of a wallet on this network, with every letter as the wallet shows it`,
    ),
  ],
  ['no endpoint', { networks: { bsc: { endpoints: [] } } }, ['networks.bsc.endpoints: needs at least one endpoint']],
  [
    'plain http at a public address',
    { address: { public_url: 'http://pay.example' } },
    ['address.public_url: must be an https origin without a path or last slash, like https://pay.example'],
  ],
  [
    'a number for an amount',
    { limits: { ...WHOLE.limits, per_day: 100 } },
    ['limits.per_day: must be an amount as text, like "10000.00"'],
  ],
  [
    'limits that contradict each other',
    { limits: { per_refund: '30000', per_hour: '20000', per_day: '10000', approval_above: '40000' } },
    [
      'limits.per_refund: must not be above per_hour',
      'limits.per_hour: must not be above per_day',
      'limits.approval_above: must be below per_refund, or the signer refuses what two operators approve',
    ],
  ],
])('names the field of %s, and repeats no value', (_, given, expected) => {
  const faults = faultsIn(given);
  expect(faults).toEqual(expected);
  expect(faults.join('\n')).not.toContain(SECRET);
});

test('the file reads back unchanged, is readable by its owner only, and accepts no other setting', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-setup-'));
  const file = path.join(directory, 'settings.env');
  expect(readSetupFile(file)).toBeNull();
  const written = { state: 'finished', settings: settings() } as const;
  writeSetupFile(file, written);
  expect(readSetupFile(file)).toEqual(written);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  for (const name of ['DATABASE_URL', 'MASTER_KEYS', 'KEYSTORE_PASSPHRASE', 'SIGNER_APPROVERS_FILE', 'NODE_OPTIONS']) {
    expect(isSetupName(name)).toBe(false);
    expect(() => writeSetupFile(file, { state: 'open', settings: { [name]: 'a' } })).toThrow(name);
  }
  expect(() => writeSetupFile(file, { state: 'open', settings: { MAIL_FROM: "a'\nPATH=b" } })).toThrow('MAIL_FROM');
  expect(readSetupFile(file)).toEqual(written);
  fs.rmSync(directory, { recursive: true });
});
