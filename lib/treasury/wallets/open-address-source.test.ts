import { expect, test } from 'vitest';
import { rememberOwned } from './open-address-source';

const scene = (answer: (index: number) => boolean) => {
  const calls: number[] = [];
  class Source {
    readonly #calls = calls;
    async owns(index: number): Promise<boolean> {
      this.#calls.push(index);
      return answer(index);
    }
  }
  return { calls, source: rememberOwned(new Source()) };
};

test('the source confirms an address once, and each other index and address by itself', async () => {
  const { calls, source } = scene(() => true);
  for (let n = 0; n < 3; n++) expect(await source.owns(7, ['a'])).toBe(true);
  expect(calls).toEqual([7]);
  await source.owns(7, ['b']);
  await source.owns(8, ['a']);
  expect(calls).toEqual([7, 7, 8]);
});

test('a refusal and a failure are not remembered', async () => {
  let isReady = false;
  const { calls, source } = scene((index) => {
    if (index === 1) throw new Error('the signer does not respond');
    return isReady;
  });
  expect(await source.owns(2, ['a'])).toBe(false);
  await expect(source.owns(1, ['a'])).rejects.toThrow('does not respond');
  isReady = true;
  expect(await source.owns(2, ['a'])).toBe(true);
  await expect(source.owns(1, ['a'])).rejects.toThrow('does not respond');
  expect(calls).toEqual([2, 1, 2, 1]);
});

test('the memory is bounded', async () => {
  const { calls, source } = scene(() => true);
  for (let index = 0; index <= 10_000; index++) await source.owns(index, ['a']);
  await source.owns(10_000, ['a']);
  expect(calls).toHaveLength(10_001);
  await source.owns(0, ['a']);
  expect(calls).toHaveLength(10_002);
});
