import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readConfig } from '@/lib/config';
import { readSignerSettings } from '@/lib/signer/settings';
import { contradiction } from './settings-agree';

const configWith = (more: Record<string, string> = {}) =>
  readConfig({
    DATABASE_URL: 'postgresql://app@127.0.0.1/app',
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    ...more,
  });
const limits = (perRefund: number) => ({ limits: { perRefund: String(perRefund), perHour: '0', perDay: '0' } });

test('the defaults of the worker and of the signer agree', () => {
  const { SIGNER_CENTS_PER_REFUND } = readSignerSettings({ KEYSTORE_FILE: 'k' });
  expect(contradiction(configWith(), limits(Number(SIGNER_CENTS_PER_REFUND)))).toBeNull();
});

test('an approval threshold that is not below the limit per refund is named in one sentence, unless approvals are off', () => {
  const at = (above: string) => contradiction(configWith({ REFUND_APPROVAL_ABOVE: above }), limits(1000));
  expect(at('999')).toBeNull();
  expect(at('1000')).toMatch(/^REFUND_APPROVAL_ABOVE \(1000\) must be below .*SIGNER_CENTS_PER_REFUND \(1000\)/);
  expect(at('999999999999999')).not.toBeNull();
  expect(at('1000000000000000')).toBeNull();
});

test('a signer whose limit per refund is above that of the hour, or the hour above the day, does not start', () => {
  const read = (more: Record<string, string>) => () => readSignerSettings({ KEYSTORE_FILE: 'k', ...more });
  expect(read({ SIGNER_CENTS_PER_REFUND: '2000001' })).toThrow(
    /SIGNER_CENTS_PER_REFUND: is above SIGNER_CENTS_PER_HOUR/,
  );
  expect(read({ SIGNER_CENTS_PER_DAY: '1999999' })).toThrow(/SIGNER_CENTS_PER_HOUR: is above SIGNER_CENTS_PER_DAY/);
  expect(read({ SIGNER_CENTS_PER_REFUND: '2000000', SIGNER_CENTS_PER_DAY: '2000000' })).not.toThrow();
});
