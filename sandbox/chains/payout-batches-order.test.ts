// Payouts in batches beside the other transactions of the wallet: account nonces of payments and of changes of the allowance, before and
// after an unfreeze.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { FIVE, openBatchWorld, wallet, type BatchWorld, type Requested } from '@/testing/payouts/batch-world';

const ALLOWANCE = 500_000_000_000n;
let world: BatchWorld;
beforeAll(async () => {
  world = await openBatchWorld();
}, 60_000);
afterAll(() => world.close());
beforeEach(async () => {
  await world.on.rpc('evm_setAutomine', true);
  await world.on.disallow(wallet);
  await world.mine();
  await world.open();
});

const stopMining = () => world.on.rpc('evm_setAutomine', false);
const replacing = () => ({ intervals: { ...world.scene.sending.intervals, replaceAfter: 0 } });
/** A worker that changes no allowance. */
const withoutAllowance = () => {
  const { signer } = world.scene.sending;
  const { allow: _, ...calls } = signer!.calls;
  return { signer: { ...signer!, calls } };
};
const unfreeze = async () => {
  await world.scene.signing.calls.freeze('a test');
  world.scene.signing.unfreeze();
};
async function paid(payouts: readonly Requested[], turns = 8): Promise<void> {
  await world.on.rpc('evm_setAutomine', true);
  await world.turns(turns);
  for (const { id, to } of payouts) {
    expect(await world.scene.read(id)).toMatchObject({ status: 'completed' });
    expect(await world.chain.balance(to, 'USDT')).toBe(FIVE);
  }
}

it('a payout behind a change of the allowance that no block includes is not replaced, and the change is', async () => {
  await stopMining();
  await world.scene.pass();
  const last = await world.lastAllowance();
  const [payout] = await world.requested(1);
  await world.scene.pass();
  for (let turn = 0; turn < 3; turn++) await world.scene.pass(replacing());
  expect(await world.nonces(payout!.id)).toEqual([last!.params.nonce + 1]);
  const next = await world.lastAllowance();
  expect(next!.params.nonce).toBe(last!.params.nonce);
  expect(next!.hash).not.toBe(last!.hash);
  await paid([payout!]);
  expect(await world.on.allowed(wallet)).toBe(ALLOWANCE);
}, 60_000);

it('a change of the allowance behind a payout that no block includes is not replaced, and the payout is', async () => {
  await stopMining();
  const [payout] = await world.requested(1);
  for (let turn = 0; turn < 2; turn++) await world.scene.pass(withoutAllowance());
  await world.scene.pass();
  const last = await world.lastAllowance();
  const [first] = await world.nonces(payout!.id);
  expect(last!.params.nonce).toBe(first! + 1);
  for (let turn = 0; turn < 3; turn++) await world.scene.pass(replacing());
  expect((await world.lastAllowance())!.hash).toBe(last!.hash);
  expect((await world.nonces(payout!.id)).length).toBeGreaterThan(1);
  await paid([payout!]);
  expect(await world.on.allowed(wallet)).toBe(ALLOWANCE);
}, 60_000);

it('after an unfreeze no change of the allowance takes the nonce of a signed payout that the network has lost', async () => {
  await stopMining();
  const [payout] = await world.requested(1);
  for (let turn = 0; turn < 2; turn++) await world.scene.pass(withoutAllowance());
  const [attempt] = await world.scene.attempts(payout!.id);
  await world.on.rpc('anvil_dropTransaction', attempt!.hash);
  await world.comesDue([payout!], '1 hour');
  await unfreeze();
  for (let turn = 0; turn < 2; turn++) await world.scene.pass();
  expect(await world.lastAllowance()).toBeNull();
  await world.comesDue([payout!], '-1 second');
  await paid([payout!]);
  expect(await world.nonces(payout!.id)).toHaveLength(1);
  expect((await world.lastAllowance())!.params.nonce).toBe((await world.nonces(payout!.id))[0]! + 1);
  expect(await world.on.allowed(wallet)).toBe(ALLOWANCE);
}, 60_000);

it('after an unfreeze no change of the allowance takes the nonce of a final payout that the endpoints have forgotten', async () => {
  const [payout] = await world.requested(1);
  for (let turn = 0; turn < 6; turn++) {
    await world.scene.pass(withoutAllowance());
    await world.mine();
  }
  expect(await world.scene.read(payout!.id)).toMatchObject({ status: 'completed' });
  const [nonce = -1] = await world.nonces(payout!.id);
  await unfreeze();
  const forgotten = async () => nonce;
  await world.scene.pass({ sender: { ...world.scene.sending.sender, nextNonce: forgotten, finalNonce: forgotten } });
  expect(await world.lastAllowance()).toBeNull();
  await world.scene.pass();
  expect((await world.lastAllowance())!.params.nonce).toBe(nonce + 1);
}, 60_000);

it('after an unfreeze no payout takes the nonce of a change of the allowance that the network has lost, and nothing is frozen again', async () => {
  await stopMining();
  await world.scene.pass();
  const last = await world.lastAllowance();
  await world.on.rpc('anvil_dropTransaction', last!.hash);
  await unfreeze();
  const [payout] = await world.requested(1);
  await world.scene.pass();
  expect(await world.nonces(payout!.id)).toEqual([]);
  await paid([payout!]);
  expect(await world.nonces(payout!.id)).toEqual([last!.params.nonce + 1]);
  expect(await world.on.allowed(wallet)).toBe(ALLOWANCE);
  expect(world.scene.signing.signer.state().frozen).toBe(false);
}, 60_000);

it('a change whose answer was lost is recorded and sent by the next run, also of a restored database, with its fee once it is final', async () => {
  await stopMining();
  const { signer } = world.scene.sending;
  const allow: NonNullable<typeof signer>['calls']['allow'] = async (params) => {
    await signer!.calls.allow!(params);
    throw new Error('the worker ended');
  };
  await expect(world.scene.pass({ signer: { ...signer!, calls: { ...signer!.calls, allow } } })).rejects.toThrow(
    'the worker ended',
  );
  const rows = () => world.db.prisma.allowanceTransaction.findMany({ where: { chainId: world.chainId } });
  expect(await rows()).toEqual([]);
  await world.scene.pass();
  const { hash } = (await world.lastAllowance())!;
  expect(await rows()).toMatchObject([{ hash, wallet, settledAt: null, fee: null }]);
  await world.on.rpc('evm_setAutomine', true);
  await world.turns(3);
  const receipt = await world.on.receipt(hash);
  const price = (await world.on.rpc<{ effectiveGasPrice: string }>('eth_getTransactionReceipt', hash))
    .effectiveGasPrice;
  const fee = BigInt(receipt!.gasUsed) * BigInt(price);
  const settled = { hash, settledAt: expect.any(Date), seenAt: expect.any(Date) };
  expect(await rows()).toMatchObject([settled]);
  expect(BigInt((await rows())[0]!.fee!.toFixed(0))).toBe(fee);
  await world.db.pool.query('DELETE FROM allowance_transactions WHERE chain_id = $1', [world.chainId]);
  await world.turns(2);
  expect(await rows()).toMatchObject([settled]);
}, 60_000);

it('once a change is final, the worker requests nothing of the network for it any more', async () => {
  await world.turns(4);
  let requests = 0;
  const { sender } = world.scene.sending;
  const counted = { ...sender, finalNonce: (from: string) => (requests++, sender.finalNonce!(from)) };
  for (let turn = 0; turn < 5; turn++) await world.scene.pass({ sender: counted });
  expect(requests).toBe(0);
});
