import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSecret, sealingVersion, sealSecret } from '@/lib/platform/crypto';
import { masterKeys } from './key-rings';

const [one, two, three] = [1, 2, 3].map(() => randomBytes(32).toString('base64')) as [string, string, string];
const ring = (text: string) => masterKeys.parse(text);

test('the highest version without a mark seals, wherever it stands', () => {
  expect(sealingVersion(ring(`1:${one}`))).toBe(1);
  expect(sealingVersion(ring(`1:${one},2:${two}`))).toBe(2);
  expect(sealingVersion(ring(`2:${two},1:${one}`))).toBe(2);
  expect(sealingVersion(ring(`1:${one},2:${two}:opens`))).toBe(1);
  expect(sealingVersion(ring(`1:${one}:opens,2:${two},3:${three}:opens`))).toBe(2);
});

test('a key marked as opens opens what a process with the next ring seals, and the other way round', () => {
  const [known, used] = [ring(`1:${one},2:${two}:opens`), ring(`1:${one},2:${two}`)];
  expect(openSecret(known, sealSecret(used, 'secret', 'p'), 'p')).toBe('secret');
  expect(openSecret(used, sealSecret(known, 'secret', 'p'), 'p')).toBe('secret');
});

test('an audit key opens nothing and seals nothing', () => {
  const retired = ring(`1:${three}:audit,2:${two}`);
  expect([...retired.keys()]).toEqual([2]);
  expect(retired.auditOnly?.get(1)).toEqual(Buffer.from(three, 'base64'));
  expect(() => openSecret(retired, sealSecret(ring(`1:${three}`), 'secret', 'p'), 'p')).toThrow('not configured');
});

test.each([
  ['only marked keys', `1:${one}:opens`],
  ['an unknown mark', `1:${one},2:${two}:seals`],
  ['one version twice', `1:${one},1:${two}:opens`],
  ['one version as key and as audit key', `1:${one},1:${two}:audit`],
  ['an empty entry', `1:${one},`],
])('refuses %s without repeating a key', (_, text) => {
  const { error } = masterKeys.safeParse(text);
  expect(error).toBeDefined();
  expect(JSON.stringify(error?.issues)).not.toContain(one);
});
