// What a restored database does to the webhook secrets that a merchant knows.

import { expect, it } from 'vitest';
import { expectedSecrets, removeSecrets, restoreSecrets, type Secret } from './secrets';

const copyOf = (secrets: readonly Secret[]): Secret[] => secrets.map((one) => ({ ...one }));

it('a store knows each secret once, however often its database was restored', () => {
  const secrets: Secret[] = [{ text: 'kept', from: 0, until: null }];
  for (let now = 1; now <= 40; now++) restoreSecrets(secrets, copyOf(secrets), now);
  expect(secrets.filter(({ until }) => until === null)).toEqual([{ text: 'kept', from: 40, until: null }]);
  // Those that a former restore ended stay for calls that were on their way.
  expect(secrets.length).toBeLessThanOrEqual(41);
});

it('what the backup has is in use again, and what came after it is not', () => {
  const secrets: Secret[] = [{ text: 'replaced', from: 0, until: 500 }];
  const backup = copyOf(secrets);
  secrets[0]!.until = 90;
  secrets.push({ text: 'later', from: 80, until: null });
  restoreSecrets(secrets, backup, 100);
  expect(expectedSecrets(secrets, 101)).toEqual({ must: ['replaced'], may: ['replaced'] });
  expect(expectedSecrets(secrets, 600)).toEqual({ must: [], may: [] });
});

it('a secret that its merchant removed before the backup is not in use again', () => {
  const secrets: Secret[] = [{ text: 'removed', from: 0, until: null }];
  removeSecrets(secrets, 50);
  restoreSecrets(secrets, copyOf(secrets), 100);
  expect(expectedSecrets(secrets, 101)).toEqual({ must: [], may: [] });
});
