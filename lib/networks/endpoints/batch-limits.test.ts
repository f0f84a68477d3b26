// Providers allow different batch sizes and refuse larger batches in different words. The client learns the size from the
// refusals and continues.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { localChainId } from '@/testing/local-chain-id';
import { startFakeNode, type FakeNode } from '@/testing/evm/fake-evm-node';
import { T0 } from '@/testing/watching/watched-chain';
import { requireBlocks } from '@/lib/networks/families/evm/node';
import { openRpcClient } from './json-rpc/client';
import { openRequestBudget } from './request-budget';

let node: FakeNode;
let requests: number[];

beforeEach(async () => {
  node = await startFakeNode({ chainId: localChainId('ethereum'), decimals: {}, time: T0 });
  for (let n = 0; n < 20; n++) node.mine();
  requests = [];
});
afterEach(() => node.close());

type Refusal = { status?: number; body: (ids: readonly number[]) => unknown };
const error = (code: number, message: string) => ({ error: { code, message } });
const whole = (code: number, message: string, id: 'null' | 'first' = 'null'): Refusal => ({
  body: (ids) => ({ jsonrpc: '2.0', id: id === 'null' ? null : ids[0], ...error(code, message) }),
});

/** Refuses requests with more calls than this. */
function allow(most: number, { status = 200, body }: Refusal): void {
  node.hijack = (_request, response, text) => {
    const calls = JSON.parse(text) as { id: number } | { id: number }[];
    requests.push(Array.isArray(calls) ? calls.length : 1);
    if (!Array.isArray(calls) || calls.length <= most) return false;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body(calls.map(({ id }) => id))));
    return true;
  };
}

const open = (budget = openRequestBudget({ name: 'endpoint 1' })) => ({
  name: 'endpoint 1',
  rpc: openRpcClient(node.url, 'endpoint 1', { budget }),
  logsRefused: false,
});
const numbers = Array.from({ length: 12 }, (_, n) => n + 1);

const REFUSALS: [string, Refusal][] = [
  ['an error object without an id', whole(31, 'Batch of more than 3 requests are not allowed on free plan')],
  ['an error object with the first id', whole(-32005, 'batch size exceeded', 'first')],
  ['an error that knows no lists', whole(-32600, 'Invalid Request')],
  ['status 413', { status: 413, body: () => ({}) }],
  ['status 400 with an error', { ...whole(-32000, 'max batch size is 3'), status: 400 }],
  [
    'an error for each call',
    { body: (ids) => ids.map((id) => ({ jsonrpc: '2.0', id, ...error(-32005, 'Batch too large for your plan') })) },
  ],
];

it.each(REFUSALS)(
  'reads every block if the provider refuses batches of more than three with %s',
  async (_name, refusal) => {
    allow(3, refusal);
    const evm = open();
    expect((await requireBlocks(evm, numbers)).map(({ number }) => number)).toEqual(numbers);
    expect(requests.slice(0, 3)).toEqual([10, 5, 2]);
    requests = [];
    await requireBlocks(evm, numbers);
    expect(requests).toEqual([2, 2, 2, 2, 2, 2]);
  },
);

it('sends one call at a time if the provider accepts no batches', async () => {
  allow(1, whole(-32600, 'batch requests are not supported'));
  expect(await requireBlocks(open(), numbers)).toHaveLength(12);
  expect(requests).toEqual([10, 5, 2, ...numbers.map(() => 1)]);
});

it('shares the learned batch size with every other client of the endpoint', async () => {
  allow(3, whole(31, 'Batch of more than 3 requests are not allowed on free plan'));
  const budget = openRequestBudget({ name: 'endpoint 1' });
  await requireBlocks(open(budget), numbers);
  requests = [];
  await requireBlocks(open(budget), numbers);
  expect(Math.max(...requests)).toBe(2);
});

it('starts with the number in the setting', async () => {
  allow(3, whole(31, 'Batch of more than 3 requests are not allowed on free plan'));
  const limits = { perSecond: null, perDay: null, batch: 3, weights: new Map() };
  await requireBlocks(open(openRequestBudget({ name: 'endpoint 1', limits })), numbers);
  expect(requests).toEqual([3, 3, 3, 3]);
});

it('does not mistake a rate limit or a failed call for a batch limit', async () => {
  node.tamper = ({ params }) => (params[0] === '0x3' ? error(-32000, 'header not found') : undefined);
  const budget = openRequestBudget({ name: 'endpoint 1' });
  await expect(requireBlocks(open(budget), numbers)).rejects.toMatchObject({ fault: 'unavailable' });
  allow(0, whole(-32005, 'daily request limit reached'));
  await expect(requireBlocks(open(budget), numbers)).rejects.toMatchObject({ throttled: true });
  expect(budget.batch).toBe(10);
});
