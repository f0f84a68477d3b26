import { expect, it, vi } from 'vitest';
import { bench } from './treasury.mjs';
import { goal } from './treasury/goal.mjs';

it('a goal is met at its limit and missed one unit beyond', () => {
  const met = (value: number, limit: object) => goal('what', value, limit).met;
  expect([met(17, { most: 17 }), met(18, { most: 17 })]).toEqual([true, false]);
  expect([met(1_480_000, { least: 1_480_000 }), met(1_479_999, { least: 1_480_000 })]).toEqual([true, false]);
  expect(met(Number.NaN, { most: 17 })).toBe(false);
});

it('a part that cannot be measured is a missed goal', async () => {
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  try {
    // Without the directory of the tokens' sources.
    expect(await bench(['real'])).toBe(false);
    expect(printed.mock.calls.flat().join('\n')).toContain('FAIL  real: could not be measured');
  } finally {
    printed.mockRestore();
  }
});

it('a part that does not exist is an error, so that a slip does not pass', async () => {
  await expect(bench(['solanna'])).rejects.toThrow('There is no part "solanna"');
});
