// Changes of the allowance beside payments: account nonces around an unfreeze, another wallet, and a key in an HSM.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { beforeEach, expect, it } from 'vitest';
import type { AllowParams } from '@/lib/signer/orders';
import { refundAccounts, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { evmAddress } from '@/lib/treasury/wallets/derivation';
import { secpAccount } from '@/lib/treasury/wallets/secp-account';
import { batchOf, openBatchScene, payoutOrder, payoutOrders, type BatchScene } from '@/testing/signer/batch-scene';
import { evmDraft, policy, seed } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const directory = useTemporaryDirectory();
let scene: BatchScene;
beforeEach(() => {
  scene = openBatchScene(directory);
});

const allowing: AllowParams = {
  ...{ environment: 'test', network: 'ethereum', currency: 'USDT', reset: false, nonce: 0 },
  ...{ maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000', gasLimit: '80000' },
};
const dearer = { ...allowing, maxFeePerGas: '3300000000', maxPriorityFeePerGas: '1100000000' };
const code = (name: string): unknown => expect.objectContaining({ code: name });
const nonces = () => scene.refunds.state().nextNonces;
const unfreeze = () => {
  scene.refunds.freeze('a test');
  scene.unfreeze();
  expect(scene.refunds.state().frozen).toBe(false);
};

it('a replacement after an unfreeze leaves open which nonce is next, as payments after it have used higher ones', () => {
  scene.batches.allow(allowing);
  scene.batches.sign(batchOf(payoutOrders(2), { nonce: 1 }));
  expect(nonces()).toEqual({ 'ethereum@local': 2 });
  scene.batches.allow(dearer);
  expect(nonces()).toEqual({ 'ethereum@local': 2 });
  unfreeze();
  scene.batches.allow({ ...dearer, maxFeePerGas: '4000000000', maxPriorityFeePerGas: '2000000000' });
  expect(nonces()).toEqual({});
  scene.restart({ segmentBytes: 1 });
  expect(nonces()).toEqual({});
});

it('after an unfreeze no payment takes the nonce of the last allowance, which may still land, and the next one is free', () => {
  scene.batches.allow(allowing);
  unfreeze();
  const single = payoutOrder(9);
  const sign = (nonce: number) => scene.refunds.sign({ order: single, draft: evmDraft(single, { nonce }) });
  expect(() => sign(0)).toThrow(code('nonce'));
  expect(() => scene.batches.sign(batchOf(payoutOrders(2), { nonce: 0 }))).toThrow(code('nonce'));
  sign(1);
  scene.batches.sign(batchOf(payoutOrders(2), { nonce: 2 }));
});

/** Accounts whose EVM key signs the same digest differently each time, as an HSM does. */
function randomAccounts(): RefundAccounts {
  const key = secp256k1.utils.randomSecretKey();
  const { address, publicKey } = secpAccount(Uint8Array.from(key), evmAddress);
  const sign = (digest: Uint8Array): Uint8Array => {
    const options = { prehash: false, lowS: true, format: 'recovered', extraEntropy: true } as const;
    const signed = secp256k1.sign(digest, key, options);
    return Uint8Array.of(...signed.subarray(1), signed[0] as number);
  };
  const ofSeed = refundAccounts(seed);
  return {
    of: (environment, family) => (family === 'evm' ? { address, publicKey, sign } : ofSeed.of(environment, family)),
    wipe: () => ofSeed.wipe(),
  };
}

it('the same change of the allowance is the stored one where the key is in an HSM, which signs differently each time', () => {
  const accounts = randomAccounts();
  scene.restart({ accounts });
  const first = scene.batches.allow(allowing);
  const { records } = scene.refunds.state().journal;
  expect(scene.batches.allow(allowing)).toEqual(first);
  scene.restart({ accounts });
  expect(scene.batches.allow(allowing)).toEqual(first);
  expect(scene.refunds.state().journal.records).toBe(records);
  // The same terms with another allowance of the settings are another transaction.
  scene.restart({ accounts, policy: { ...policy(), batches: [] } });
  expect(() => scene.batches.allow({ ...allowing, reset: true })).toThrow(code('conflict'));
});

it('the signer freezes at another wallet also when the former one has signed nothing but allowances', () => {
  scene.batches.allow(allowing);
  scene.restart({ accounts: randomAccounts() });
  expect(scene.refunds.state().frozen).toBe(true);
});

it('the allowance of a former wallet is not that of the new one, whose nonces begin anew, and comes back with the wallet', () => {
  const former = scene.batches.allow(allowing);
  const accounts = randomAccounts();
  scene.restart({ accounts });
  scene.unfreeze();
  expect([scene.refunds.state().frozen, scene.batches.lastAllowance(allowing)]).toEqual([false, null]);
  expect(scene.batches.allow(allowing).hash).not.toBe(former.hash);
  expect(nonces()).toEqual({ 'ethereum@local': 1 });
  scene.restart({ segmentBytes: 1 });
  scene.unfreeze();
  expect(scene.refunds.state().frozen).toBe(false);
  expect(scene.batches.lastAllowance(allowing)?.hash).toBe(former.hash);
});
