import { expect, test } from 'vitest';
import { isSessionId, newApiKey, newEventId, newRequestId, newSessionId, randomText } from './ids';

test('ids never repeat and carry 22 characters of 62', () => {
  const ids = Array.from({ length: 20_000 }, () => newSessionId('test'));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^cs_test_[0-9A-Za-z]{22}$/);
  expect(newRequestId()).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(newApiKey('live')).toMatch(/^ak_live_[0-9A-Za-z]{32}$/);
});

test('every character is about as likely as every other', () => {
  const counts = new Map<string, number>();
  for (const character of randomText(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1,000 expected each; beyond ±200 lies more than six standard deviations away.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
});

test('event ids are nanoseconds, grow and never repeat within a process, even when the clock is set', () => {
  const times = [1_800_000_000_000, 1_800_000_000_000, 1_799_999_999_000, 1_800_000_000_001].map(
    (time) => new Date(time),
  );
  const ids = Array.from({ length: 4000 }, (_, n) => newEventId(times[n % times.length] as Date));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^evt_\d{19}$/);
});

test('only text that could be a session id passes as one', () => {
  expect(isSessionId(newSessionId('live'))).toBe(true);
  for (const text of [
    '',
    'cs_test_',
    'cs_prod_0123456789abcdef',
    "cs_test_' OR 1=1 --aaaa",
    `cs_test_${'x'.repeat(65)}`,
  ]) {
    expect(isSessionId(text)).toBe(false);
  }
});
