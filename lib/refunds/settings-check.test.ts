import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import { stateResult } from '@/lib/signer/protocol';
import { readSignerSettings } from '@/lib/signer/settings';
import { settingsContradiction } from './settings-check';

const configWith = (more: Record<string, string> = {}) =>
  readConfig({
    DATABASE_URL: 'postgresql://app@127.0.0.1/app',
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    ...more,
  });
const limits = (perRefund: number, approvalAbove = '1000000000000000') => {
  const none = { perRefund: '0', perHour: '0', perDay: '0' };
  return { limits: { ...none, perRefund: String(perRefund), claims: none, approvalAbove } };
};

test('the defaults of the worker and of the signer agree', () => {
  const { SIGNER_CENTS_PER_REFUND, SIGNER_APPROVAL_ABOVE } = readSignerSettings({ KEYSTORE_FILE: 'k' });
  const shown = limits(Number(SIGNER_CENTS_PER_REFUND), String(SIGNER_APPROVAL_ABOVE));
  expect(settingsContradiction(configWith(), shown)).toBeNull();
});

test('an approval threshold that is not below the limit per refund is reported in one sentence, unless approvals are off', () => {
  const at = (above: string) => settingsContradiction(configWith({ REFUND_APPROVAL_ABOVE: above }), limits(1000));
  expect(at('999')).toBeNull();
  expect(at('1000')).toMatch(/^REFUND_APPROVAL_ABOVE \(1000\) must be below .*SIGNER_CENTS_PER_REFUND \(1000\)/);
  expect(at('999999999999999')).not.toBeNull();
  expect(at('1000000000000000')).toBeNull();
});

test('the documented value that turns approvals off is one that the signer accepts and reports', () => {
  const off = '1000000000000000';
  const { SIGNER_APPROVAL_ABOVE } = readSignerSettings({ KEYSTORE_FILE: 'k', SIGNER_APPROVAL_ABOVE: off });
  const shown = stateResult.shape.limits.parse(limits(1000, String(SIGNER_APPROVAL_ABOVE)).limits);
  expect(settingsContradiction(configWith({ REFUND_APPROVAL_ABOVE: off }), { limits: shown })).toBeNull();
});

test('an approval threshold above the signer’s own is reported in one sentence, also when approvals are off', () => {
  const at = (above: string) =>
    settingsContradiction(configWith({ REFUND_APPROVAL_ABOVE: above }), limits(10_000, '500'));
  expect(at('500')).toBeNull();
  for (const above of ['501', '1000000000000000'])
    expect(at(above)).toMatch(/^REFUND_APPROVAL_ABOVE .* must not be above .*SIGNER_APPROVAL_ABOVE \(500\)/);
});

test('a signer whose limit per refund is above that of the hour, or the hour above the day, does not start', () => {
  const read = (more: Record<string, string>) => () => readSignerSettings({ KEYSTORE_FILE: 'k', ...more });
  expect(read({ SIGNER_CENTS_PER_REFUND: '2000001' })).toThrow(
    /SIGNER_CENTS_PER_REFUND: is above SIGNER_CENTS_PER_HOUR/,
  );
  expect(read({ SIGNER_CENTS_PER_DAY: '1999999' })).toThrow(/SIGNER_CENTS_PER_HOUR: is above SIGNER_CENTS_PER_DAY/);
  expect(read({ SIGNER_CLAIM_CENTS_PER_REFUND: '100001' })).toThrow(
    /SIGNER_CLAIM_CENTS_PER_REFUND: is above SIGNER_CLAIM_CENTS_PER_HOUR/,
  );
  expect(read({ SIGNER_CENTS_PER_REFUND: '2000000', SIGNER_CENTS_PER_DAY: '2000000' })).not.toThrow();
});

test('a threshold of payouts above that of the signer is reported, and one without payouts is not', () => {
  const at = (above: string, payoutApprovalAbove?: string) =>
    settingsContradiction(configWith({ PAYOUT_APPROVAL_ABOVE: above }), {
      limits: { ...limits(1_000_000).limits, ...(payoutApprovalAbove === undefined ? {} : { payoutApprovalAbove }) },
    });
  expect(at('500', '500')).toBeNull();
  expect(at('501', '500')).toMatch(
    /^PAYOUT_APPROVAL_ABOVE \(501\) must not be above .*SIGNER_PAYOUT_APPROVAL_ABOVE \(500\)/,
  );
  expect(at('501')).toBeNull();
});
