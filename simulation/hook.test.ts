// The hook of a history answers in the same order, whatever the order in which the worker's questions arrive.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openSimulatedHook, type SimulatedHook } from './hook';

let statements = 0;
let hook: SimulatedHook;
beforeAll(async () => void (hook = await openSimulatedHook({ statements: () => statements, isBusy: () => false })));
afterAll(() => hook.close());
beforeEach(() => hook.begin());

const ask = async (address: string, answered: string[] = []): Promise<string> => {
  const response = await fetch(hook.url, { method: 'POST', body: JSON.stringify({ address }) });
  const text = await response.text();
  statements++;
  answered.push(address);
  return `${response.status} ${text}`;
};

it('answers in the order of the questions, not of their arrival', async () => {
  for (const order of [
    ['0xa', '0xb', '0xc'],
    ['0xc', '0xa', '0xb'],
  ]) {
    const answered: string[] = [];
    await Promise.all(order.map((address) => ask(address, answered)));
    expect(answered).toEqual(['0xa', '0xb', '0xc']);
  }
});

it('names who is named, knows no address, or fails, and names none in the next history', async () => {
  hook.named = new Set(['0xa']);
  expect([await ask('0xa'), await ask('0xb')]).toEqual(['200 {"result":"hit"}', '200 {"result":"clear"}']);
  hook.mode = 'unknown';
  expect(await ask('0xa')).toBe('200 {"result":"unknown"}');
  hook.mode = 'fails';
  expect(await ask('0xa')).toBe('500 ');
  hook.begin();
  expect(await ask('0xa')).toBe('200 {"result":"clear"}');
});
