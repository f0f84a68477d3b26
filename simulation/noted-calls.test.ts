// What the signer is asked for is noted in its order, with what stood in its way, and ends as the answer says.

import { expect, it } from 'vitest';
import { Refusal } from '@/lib/signer/refusal';
import { openNotes } from './noted-calls';

const orderOf = (intentId: string, kind: 'payer' | 'payout' | 'cold') => ({
  ...{ intentId, network: 'bsc', currency: 'USDT', to: '0x21', amount: '300' },
  evidence: { kind },
});
const signed = (): Promise<object> => Promise.resolve({});
const refused = (): Promise<object> => Promise.reject(new Refusal('limit', 'the limit is reached'));
const open = () => openNotes(() => 5);
const states = (calls: readonly { readonly id: string; readonly state: string }[]): string[] =>
  calls.map(({ id, state }) => `${id} ${state}`);

it('notes every payout of a batch, in the order of the batch, and all of them get its answer', async () => {
  const { calls, answered } = open();
  const params = { orders: [orderOf('one', 'payout'), orderOf('two', 'payout')] };
  const signing = answered('sign-batch', signed, params);
  expect(states(calls.payouts)).toEqual(['one called', 'two called']);
  await signing;
  await expect(answered('sign-batch', refused, params)).rejects.toThrow('the limit is reached');
  const expected = ['one signed', 'two signed', 'one refused', 'two refused'];
  expect([states(calls.payouts), states(calls.guarded)]).toEqual([expected, expected]);
});

it('notes refunds, payouts and cold transfers with what stood in their way when they were asked for', async () => {
  const { calls, answered } = open();
  const nothing = { isPaused: false, hits: new Set<string>(), unknown: new Set<string>() };
  calls.stopLook = ({ kind }) => ({ ...nothing, isPaused: kind === 'refunds' });
  for (const kind of ['payer', 'payout', 'cold'] as const)
    await answered('sign', signed, { order: orderOf(kind, kind) });
  expect(calls.guarded.map(({ kind, at, stops }) => [kind, at, stops.isPaused])).toEqual([
    ['refunds', 5, true],
    ['payouts', 5, false],
    ['cold_transfers', 5, false],
  ]);
  expect([states(calls.payouts), states(calls.cold)]).toEqual([['payout signed'], ['cold signed']]);
});

it('notes nothing of other calls, and forgets everything when a history begins', async () => {
  const { calls, answered, clear } = open();
  await answered('sweep', signed, { order: orderOf('one', 'payout') });
  expect(calls.guarded).toEqual([]);
  await answered('sign', signed, { order: orderOf('one', 'payout') });
  clear();
  expect([calls.guarded, calls.payouts, calls.cold]).toEqual([[], [], []]);
});
