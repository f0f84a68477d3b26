import { expect, test } from 'vitest';
import { readSignerSettings } from './settings';

const passphrase = 'a passphrase that nobody guesses';

test('settings at fault are named without their values', () => {
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
