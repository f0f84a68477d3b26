// The settings of retention refuse what would remove rows too soon.

import { expect, it } from 'vitest';
import { testConfig } from '@/testing/fixtures';

it('keeps deliveries and events for ever, and mails for 30 days by default', () => {
  const { DELIVERY_RETENTION_DAYS, MAIL_RETENTION_DAYS, EVENT_RETENTION_DAYS, ARCHIVE_DIR } = testConfig();
  expect([DELIVERY_RETENTION_DAYS, MAIL_RETENTION_DAYS, EVENT_RETENTION_DAYS, ARCHIVE_DIR]).toEqual([
    0,
    30,
    0,
    undefined,
  ]);
});

it.each(['DELIVERY_RETENTION_DAYS', 'MAIL_RETENTION_DAYS', 'EVENT_RETENTION_DAYS'])(
  '%s can be 0, and not a few days',
  (name) => {
    expect(testConfig({ [name]: '0' })).toMatchObject({ [name]: 0 });
    for (const few of ['1', '29', '-1', '30.5']) expect(() => testConfig({ [name]: few })).toThrow(name);
    expect(testConfig({ [name]: '180' })).toMatchObject({ [name]: 180 });
  },
);

it('the directory of archives is an absolute path', () => {
  expect(() => testConfig({ ARCHIVE_DIR: 'archive' })).toThrow('ARCHIVE_DIR: must be an absolute path');
});
