// Which endpoint drafts a payment.

import { expect, it } from 'vitest';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { localSpec } from '@/testing/signer/signer-scene';
import { ChainError } from '@/lib/networks/chain';
import { openSendEndpoints } from './endpoints';

const NOW = 1_800_000_000;
type Client = { readonly name: string; readonly age: number | null };

/** Endpoints whose newest blocks are this many seconds old; null: the endpoint does not answer. */
function open(...ages: readonly (number | null)[]) {
  const clock = openTestClock(NOW);
  const reads: string[] = [];
  const clients = ages.map((age, at): Client => ({ name: `endpoint ${at + 1}`, age }));
  const endpoints = openSendEndpoints<Client>({
    spec: localSpec('tron'),
    urls: [],
    needed: 1,
    clock,
    log: silentLog(),
    clients,
    prove: async () => {},
    readHead: async ({ name, age }) => {
      reads.push(name);
      if (age === null) throw new ChainError('unavailable', `${name} does not answer`);
      const block = { number: 100, hash: '0x1', parentHash: '0x0', time: NOW - age };
      return { tip: block, final: block };
    },
  });
  return { clock, reads, endpoints, draft: () => endpoints.draft(async ({ name }) => name) };
}

it.each([
  [[5, 3], 'endpoint 1'],
  [[44, 5], 'endpoint 1'],
  [[46, 5], 'endpoint 2'],
  [[3600, 7200, 3601], 'endpoint 1'],
  [[3700, 3800, 3601], 'endpoint 3'],
  // A minute ahead: this makes no other endpoint old.
  [[6, 6, -119], 'endpoint 1'],
  [[24, -29], 'endpoint 1'],
  // An hour ahead: such a block cannot exist, and makes no other endpoint old.
  [[-3600, 5], 'endpoint 2'],
  [[null, 300], 'endpoint 2'],
  [[null, null], 'endpoint 1'],
] as const)('the operator’s first endpoint that does not lag drafts a payment: %j seconds, %s', async (ages, name) => {
  expect(await open(...ages).draft()).toBe(name);
});

it('a sole endpoint drafts whatever the age of its newest block, without a request for it', async () => {
  const { draft, reads } = open(86_400);
  expect([await draft(), reads]).toEqual(['endpoint 1', []]);
});

it('measures the delay of an endpoint every half minute, not for every payment', async () => {
  const { draft, reads, clock } = open(5, 5);
  for (let payment = 0; payment < 20; payment++) await draft();
  expect(reads).toHaveLength(2);
  clock.set(NOW + 31);
  await draft();
  expect(reads).toHaveLength(4);
});

it('an endpoint that lags drafts when no other can, unless it lags by minutes', async () => {
  const draft = (age: number) =>
    open(age, 5).endpoints.draft(async ({ name }) => {
      if (name === 'endpoint 2') throw new ChainError('unavailable', 'endpoint 2 does not answer');
      return name;
    });
  expect(await draft(300)).toBe('endpoint 1');
  await expect(draft(400)).rejects.toThrow('endpoint 2 does not answer');
});
