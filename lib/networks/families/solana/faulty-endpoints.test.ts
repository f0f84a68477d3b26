// Endpoints that are dead, slow, lagging or lying. Nothing is credited falsely, nothing unproven is reported as empty, and a good
// endpoint takes over.

import { describe, expect, it } from 'vitest';
import { refusal, solanaFaults } from '@/testing/solana/solana-faults';
import { useFaultySolana, watchOurs, wholeWindow } from '@/testing/solana/solana-faulty-pair';
import { ata, localSolana, OURS } from '@/testing/solana/solana-scene';

const pair = useFaultySolana();
const { faulty, good, open, on, answer } = pair;
const here = {
  ...localSolana,
  get genesis() {
    return good().genesis;
  },
};

describe.each(solanaFaults(pair))('an endpoint that is %s', (_kind, fault, spoil) => {
  it(`alone proves nothing: ${fault}`, async () => {
    spoil();
    const scan = open([faulty().url], here).scan(wholeWindow(good()), watchOurs);
    await expect(scan).rejects.toMatchObject({ name: expect.stringMatching(/Error|Fault$/), fault });
    await expect(scan).rejects.not.toThrow(/127\.0\.0\.1|key-9f8e7d/);
  });

  it('is bypassed, and each payment is found once', async () => {
    spoil();
    const scan = await open([faulty().url, good().url], here).scan(wholeWindow(good()), watchOurs);
    expect(scan.transfers.map(({ amount, blockNumber }) => [amount, blockNumber])).toEqual([
      [12n, 5],
      [12n, 7],
    ]);
    expect(scan.through.hash).toBe(good().blocks[10]!.hash);
    expect(scan.accountCursors).toMatchObject([{ account: ata(OURS), amount: 24n }]);
    expect(scan.unfinished).toBeUndefined();
  });
});

it('an endpoint that hides an account delays its payments but loses none', async () => {
  on('getMultipleAccounts', (reported, params) =>
    (params[0] as string[]).includes(ata(OURS)) ? { ...reported, value: reported.value.map(() => null) } : undefined,
  );
  const adapter = open([faulty().url], here);
  const hidden = await adapter.scan(wholeWindow(good()), watchOurs);
  expect([hidden.transfers, hidden.accountCursors]).toEqual([[], []]);
  faulty().tamper = () => undefined;
  const reported = await adapter.scan(
    { from: 11, to: 10, parentHash: good().blocks[10]!.hash, final: true },
    watchOurs,
  );
  expect(reported.transfers.map(({ blockNumber }) => blockNumber)).toEqual([5, 7]);
});

it.each([
  ['does not offer', refusal(-32601, 'Method not found')],
  [
    'keeps no index for',
    refusal(-32010, 'excluded from account secondary indexes; this RPC method unavailable for key'),
  ],
  ['gives garbage for', 'garbage'],
])('an endpoint that %s the search for auxiliary accounts still works', async (_, given) => {
  on('getTokenAccountsByOwner', () => given);
  const scan = await open([faulty().url], here).scan(wholeWindow(good()), watchOurs);
  expect(scan.transfers).toHaveLength(2);
  expect(faulty().calls.get('getTokenAccountsByOwner')).toBe(1);
});

it('an endpoint that requested a pause gets no requests during it', async () => {
  answer(429, '', { 'retry-after': '7' });
  const adapter = open([faulty().url], here);
  const scan = () => adapter.scan(wholeWindow(good()), watchOurs);
  await expect(scan()).rejects.toMatchObject({ fault: 'unavailable', retryAfterSeconds: 7 });
  faulty().hijack = () => false;
  const before = faulty().calls.size;
  await expect(scan()).rejects.toThrow(/pause/);
  expect(faulty().calls.size).toBe(before);
});

it('a node that refuses unknown versions gets requests for the versions it knows', async () => {
  faulty().highestVersion = 1;
  const scan = await open([faulty().url], here).scan(wholeWindow(good()), watchOurs);
  expect(scan.transfers).toHaveLength(2);
  expect(faulty().calls.get('getTransaction')).toBeLessThanOrEqual(4);
});
