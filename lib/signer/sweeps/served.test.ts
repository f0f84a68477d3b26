// Sweeps through the signer's socket and its client.

import { Transaction } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SignerClient } from '@/lib/signer/client';
import { MAX_ANSWER_BYTES, MAX_REQUEST_BYTES } from '@/lib/signer/protocol';
import { serveSigner, type ServedSigner } from '@/testing/signer/served-signer';
import { batchOf, delegate, depositAddress, sweepOf, TREASURY, wallets } from '@/testing/signer/sweep-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { MAX_DEPOSITS, type EvmSweepParams } from './orders';

const directory = useTemporaryDirectory();
let served: ServedSigner;
let client: SignerClient;
beforeAll(async () => {
  served = await serveSigner(directory);
  client = new SignerClient(served.socket);
  await client.addresses(0, MAX_DEPOSITS);
});
afterAll(() => served.close());

/** Every number as long as it can be. */
const largest = (transaction: EvmSweepParams['transaction']): EvmSweepParams =>
  sweepOf(transaction, {
    ...{ nonce: Number.MAX_SAFE_INTEGER, gasLimit: '9999999999' },
    ...{ maxFeePerGas: '100000', maxPriorityFeePerGas: '100000' },
  });

test('the largest sweep fits into a request and its answer', async () => {
  const given = await Promise.all(
    Array.from({ length: MAX_DEPOSITS }, (_, index) =>
      client.authorize({ environment: 'test', network: 'ethereum', index, nonce: 0 }),
    ),
  );
  expect(given.map(({ deposit }) => deposit)).toEqual(given.map((_, index) => depositAddress(index)));
  const authorizations = given.map(({ authorization }) => authorization);
  const deposits = given.map(({ deposit }) => deposit);
  const params = largest(batchOf({ deposits, authorizations, gasEach: 1_000_000 }));
  const signed = await client.sweep(params);
  expect(Transaction.from(signed.bytes).authorizationList).toHaveLength(MAX_DEPOSITS);
  expect(JSON.stringify(params).length).toBeLessThan(MAX_REQUEST_BYTES - 200);
  expect(JSON.stringify(signed).length).toBeLessThan(MAX_ANSWER_BYTES / 2);
});

test('the state has the wallets to fund and to compare', async () => {
  const { sweeps } = await client.state();
  expect(sweeps?.[0]).toMatchObject({
    network: 'ethereum@local',
    treasury: TREASURY,
    active: wallets.sponsor,
    delegate,
  });
});

test('a refusal has its code, and parameters out of bounds are refused', async () => {
  const top_up = { kind: 'top_up', index: MAX_DEPOSITS, amount: '1' } as const;
  await expect(client.sweep(sweepOf(top_up))).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(client.sweep(sweepOf({ ...top_up, index: -1 }))).rejects.toMatchObject({ fault: 'refused' });
});

test('the signer knows what it has signed for sweeps, also after a restart', async () => {
  const other = `0x${'ab'.repeat(32)}`;
  const { hash } = await client.sweep(sweepOf({ kind: 'top_up', index: 0, amount: '1' }));
  expect(await client.signedSweeps([other, hash])).toEqual([hash]);
  await served.close();
  served = await serveSigner(directory);
  client = new SignerClient(served.socket);
  expect(await client.signedSweeps([other, hash])).toEqual([hash]);
});
