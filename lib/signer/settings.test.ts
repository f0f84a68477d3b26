import { expect, test } from 'vitest';
import { journalFileOf, policyOf, readSignerSettings } from './settings';

const passphrase = 'a passphrase that nobody guesses';

test('invalid settings are named without their values', () => {
  expect(() => readSignerSettings({})).toThrow(/KEYSTORE_FILE: is needed/);
  const long = `/tmp/${'x'.repeat(100)}`;
  const attempt = () =>
    readSignerSettings({
      KEYSTORE_FILE: 'k',
      SIGNER_SOCKET: long,
      STOP_WITH_PARENT: 'maybe',
      KEYSTORE_PASSPHRASE: passphrase,
    });
  expect(attempt).toThrow(/SIGNER_SOCKET: is longer than 103 bytes[\s\S]*STOP_WITH_PARENT/);
  expect(attempt).not.toThrow(/xxxx|maybe|passphrase that/);
});

test('without settings the signer may pay on no chain and has no key to verify evidence', () => {
  const settings = readSignerSettings({ KEYSTORE_FILE: 'k' });
  expect(policyOf(settings)).toEqual({
    chains: [],
    evidenceKey: null,
    fees: new Map(),
    batches: [],
    limits: { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n },
    claimLimits: { perRefund: 50_000n, perHour: 100_000n, perDay: 500_000n },
    payoutLimits: { perRefund: 0n, perHour: 0n, perDay: 0n },
    cold: { wallets: [], limits: { perRefund: 100_000_000n, perHour: 200_000_000n, perDay: 500_000_000n } },
    approvalAbove: 500_000n,
    payoutApprovalAbove: 500_000n,
    approvals: null,
  });
  expect(journalFileOf(settings)).toBe('k.journal');
});

test('a list of approvers requires the origin of the pages that ask for passkeys', () => {
  const read = (more: Record<string, string>) => readSignerSettings({ KEYSTORE_FILE: 'k', ...more });
  expect(() => read({ SIGNER_APPROVERS_FILE: 'a' })).toThrow(/PUBLIC_URL: is needed with SIGNER_APPROVERS_FILE/);
  expect(() => read({ PUBLIC_URL: 'https://pay.example/' })).toThrow(/PUBLIC_URL: is an origin/);
  const settings = read({ SIGNER_APPROVERS_FILE: 'a', PUBLIC_URL: 'https://pay.example' });
  expect(policyOf(settings).approvals).toEqual({ file: 'a', publicUrl: 'https://pay.example' });
});

test('chains, limits and the evidence key are parsed exactly or refused by name, without the value of the key', () => {
  const key = Buffer.alloc(32, 9).toString('base64');
  const read = (more: Record<string, string>) => policyOf(readSignerSettings({ KEYSTORE_FILE: 'k', ...more }));
  const policy = read({
    EVIDENCE_KEY: key,
    SIGNER_NETWORKS: 'ethereum@mainnet, tron@local,ethereum@testnet',
    SIGNER_CENTS_PER_DAY: '0',
  });
  expect(policy.chains.map(({ network, chain }) => `${network}@${chain}`)).toEqual([
    'ethereum@mainnet',
    'tron@local',
    'ethereum@testnet',
  ]);
  expect(policy.limits.perDay).toBe(0n);
  for (const [name, value] of [
    ['SIGNER_NETWORKS', 'ethereum'],
    ['SIGNER_NETWORKS', 'ethereum@testnet,ethereum@local'],
    ['SIGNER_NETWORKS', 'tron@local,tron@local'],
    ['SIGNER_CENTS_PER_REFUND', '10.00'],
    ['SIGNER_CENTS_PER_HOUR', '-1'],
    ['SIGNER_CENTS_PER_DAY', '1e9'],
    ['EVIDENCE_KEY', Buffer.alloc(31, 9).toString('base64')],
    ['EVIDENCE_KEY', 'not base64 !'],
  ] as const) {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`${name}: `));
    if (name === 'EVIDENCE_KEY') expect(() => read({ [name]: value })).not.toThrow(value);
  }
});
