// What a taken-over worker cannot get signed as a batch. Each case is an honest batch with one change.

import { beforeEach, describe, expect, it } from 'vitest';
import type { AllowParams } from '@/lib/signer/orders';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import {
  batchCall,
  batchOf,
  openBatchScene,
  payee,
  payoutOrder,
  payoutOrders,
  spec,
  type BatchScene,
} from '@/testing/signer/batch-scene';
import { accounts, evmDraft, localSpec, policy } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const directory = useTemporaryDirectory();
let scene: BatchScene;
beforeEach(() => {
  scene = openBatchScene(directory);
});

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return 'signed';
};
const refused = (...given: Parameters<typeof batchOf>) => refusal(() => scene.batches.sign(batchOf(...given)));
/** Nothing of a refused batch is in the journal. */
const nothingSigned = () => expect(scene.refunds.state().journal).toMatchObject({ intents: 0, attempts: 0 });

describe('a batch is refused whole', () => {
  const THIEF = { to: payee(99), amount: '5000000' };
  const honest = payoutOrders(4);
  const replaced = (at: number, by: object) => honest.map((one, n) => (n === at ? { ...one, ...by } : one));

  it.each([
    ['another payee', { paid: replaced(2, { to: THIEF.to }) }, /^draft: .*another recipient/],
    ['another amount', { paid: replaced(2, { amount: '5000001' }) }, /^draft: .*another amount/],
    ['another sequence', { paid: [honest[1]!, honest[0]!, honest[2]!, honest[3]!] }, /^draft: .*another recipient/],
    ['an item more', { paid: [...honest, THIEF] }, /^draft: the batch pays more than its orders/],
    ['an item less', { paid: honest.slice(0, 3) }, /^draft: .*its batch has no such item/],
    ['an item twice', { paid: [...honest, honest[3]!] }, /^draft: the batch pays more/],
    ['another contract', { to: payee(7) }, /^draft: .*no batch of payouts/],
    ['the token as the contract', { to: honest[0]!.contract }, /^draft: .*no batch of payouts/],
    ['another token', { token: localSpec('ethereum').tokens.USDC!.contract }, /^draft: .*another token/],
    ['another chain', { chainId: 1 }, /^draft: .*another chain/],
    ['coin with it', { value: 1n }, /^draft: .*more than call one contract/],
    ['more data', { data: `${batchCall(honest)}00` }, /^draft: .*no batch of payouts/],
    ['a single transfer', { to: honest[0]!.contract, data: '0xa9059cbb' }, /^draft: .*no batch of payouts/],
    ['a nonce that leaves a gap after others', { nonce: 7 }, /^nonce/],
    [
      'a fee above the cap of its payments',
      { gasLimit: 15_000_000n, maxFeePerGas: 6_000_000_000n },
      /^draft: .*more in fees/,
    ],
  ])('with %s', (_what, changes, why) => {
    const first = payoutOrder(50);
    if ('nonce' in changes) scene.batches.sign(batchOf([first]));
    expect(refused(honest, changes)).toMatch(why);
    if (!('nonce' in changes)) nothingSigned();
  });

  it('from another wallet', () => {
    expect(refusal(() => scene.batches.sign({ ...batchOf(honest), from: payee(3) }))).toMatch(
      /^draft: .*another address/,
    );
    nothingSigned();
  });

  it('with an address that the worker did not attest, or whose evidence was altered', () => {
    const forged = { ...honest[2]!, to: THIEF.to };
    expect(refused([honest[0]!, honest[1]!, forged])).toMatch(/^evidence/);
    const raised = { ...honest[2]!, evidence: { ...honest[2]!.evidence, mostCents: '9000' } };
    expect(refused([honest[0]!, raised])).toMatch(/^evidence/);
    nothingSigned();
  });

  it('with a refund, a cold transfer, another token or another network in it', () => {
    expect(refused([honest[0]!, payoutOrder(1, { kind: 'payer' })])).toMatch(/^not_allowed: a batch contains payouts/);
    expect(refused([honest[0]!, payoutOrder(1, { kind: 'cold' })])).toMatch(/^not_allowed/);
    const usdc = { currency: 'USDC', contract: localSpec('ethereum').tokens.USDC!.contract } as const;
    expect(refused([honest[0]!, payoutOrder(1, usdc)])).toMatch(/^not_allowed: a batch contains payouts/);
    const bsc = { network: 'bsc', contract: localSpec('bsc').tokens.USDT!.contract, amount: String(5n * 10n ** 18n) };
    expect(refused([honest[0]!, payoutOrder(1, bsc)])).toMatch(/^not_allowed: a batch contains payouts/);
    nothingSigned();
  });

  it('with an intent twice', () => {
    expect(refused([honest[0]!, honest[0]!])).toBe('draft: the batch contains an intent twice');
    nothingSigned();
  });

  it('where the settings allow no batches of the token', () => {
    const usdc = { currency: 'USDC', contract: localSpec('ethereum').tokens.USDC!.contract } as const;
    expect(refused([payoutOrder(0, usdc), payoutOrder(1, usdc)], { token: usdc.contract })).toMatch(
      /SIGNER_PAYOUT_BATCHES/,
    );
    scene = openBatchScene(directory, { batches: [] });
    expect(refused(honest)).toMatch(/SIGNER_PAYOUT_BATCHES/);
    nothingSigned();
  });

  it('with a payout that needs the passkey signatures of two operators, and not with one at the limit', () => {
    const guarded = { payoutApprovalAbove: 500n, approvals: { file: '/none', publicUrl: 'https://example.org' } };
    scene = openBatchScene(directory, guarded);
    const large = payoutOrder(4, { amount: String(501n * 10_000n) });
    expect(refused([...honest, large])).toMatch(/^approval: a payout of this size needs/);
    nothingSigned();
    expect(refused(honest)).toBe('signed');
    // Where passkeys do not apply, the operators of the worker approve it.
    scene = openBatchScene(directory, { payoutApprovalAbove: 500n });
    expect(refused([...honest, large])).toBe('signed');
  });

  it('while the signer is frozen', () => {
    scene.refunds.freeze('a test');
    expect(refused(honest)).toMatch(/^frozen/);
    nothingSigned();
  });
});

describe('the limits count a batch as its payments one after the other', () => {
  const limits = (perHour: bigint) => ({ ...policy().payoutLimits, perHour });

  it('signs exactly what the limit per hour allows, and nothing of a batch above it', () => {
    scene = openBatchScene(directory, { payoutLimits: limits(2_000n) });
    expect(refused(payoutOrders(5))).toBe('limit: the limit per hour for payouts is reached');
    nothingSigned();
    scene.batches.sign(batchOf(payoutOrders(4)));
    expect(refused([payoutOrder(9)], { nonce: 1 })).toBe('limit: the limit per hour for payouts is reached');
    scene.restart();
    const single = payoutOrder(9);
    const draft = evmDraft(single, { nonce: 1 });
    expect(refusal(() => scene.refunds.sign({ order: single, draft }))).toMatch(/^limit: the limit per hour/);
  });

  it('adds up the payouts of one store, also with those that were signed before', () => {
    const ofStore = (n: number) => payoutOrder(n, { store: 'one', mostCents: 1_500n });
    expect(refused([0, 1, 2, 3].map(ofStore))).toBe('limit: the payouts of the store would be more than it has');
    nothingSigned();
    scene.batches.sign(batchOf([ofStore(0), ofStore(1)]));
    expect(refused([ofStore(2), ofStore(3)], { nonce: 1 })).toMatch(/^limit: the payouts of the store/);
    scene.batches.sign(batchOf([ofStore(2)], { nonce: 1 }));
  });

  it('refuses a payout above the limit per payout', () => {
    const large = payoutOrder(1, { amount: String(1_000_001n * 10_000n), mostCents: 10_000_000n });
    expect(refused([payoutOrder(0), large])).toMatch(/SIGNER_PAYOUT_CENTS_PER_PAYOUT/);
    nothingSigned();
  });
});

describe('the allowance', () => {
  const allowing: AllowParams = {
    environment: 'test',
    network: 'ethereum',
    currency: 'USDT',
    reset: false,
    nonce: 0,
    maxFeePerGas: '3000000000',
    maxPriorityFeePerGas: '1000000000',
    gasLimit: '80000',
  };

  it('is that of the settings, for the contract of batches, whatever the worker requests', async () => {
    const { Transaction } = await import('ethers');
    const raised = Transaction.from(scene.batches.allow(allowing).bytes);
    const lowered = Transaction.from(scene.batches.allow({ ...allowing, nonce: 1, reset: true }).bytes);
    const spender = PAYOUT_BATCH.slice(2).padStart(64, '0');
    const amount = (50_000n * 10n ** 6n).toString(16).padStart(64, '0');
    expect([raised.data, lowered.data]).toEqual([
      `0x095ea7b3${spender}${amount}`,
      `0x095ea7b3${spender}${'0'.repeat(64)}`,
    ]);
    for (const one of [raised, lowered]) {
      expect([one.to?.toLowerCase(), one.value, one.chainId]).toEqual([
        payoutOrder(0).contract.toLowerCase(),
        0n,
        BigInt(spec.chainId ?? 0),
      ]);
      expect(one.from?.toLowerCase()).toBe(accounts.of('test', 'evm').address);
    }
  });

  it('takes the next nonce of the wallet, before and after payments and restarts', () => {
    const first = scene.batches.allow(allowing);
    expect(scene.batches.allow(allowing)).toEqual(first);
    expect(refused(payoutOrders(2), { nonce: 0 })).toMatch(/^nonce/);
    expect(refusal(() => scene.batches.allow({ ...allowing, nonce: 2 }))).toMatch(/^nonce/);
    scene.restart();
    expect(scene.batches.allow(allowing)).toEqual(first);
    scene.batches.sign(batchOf(payoutOrders(2), { nonce: 1 }));
    expect(scene.refunds.state().nextNonces).toEqual({ 'ethereum@local': 2 });
    scene.batches.allow({ ...allowing, nonce: 2 });
    scene.restart({ segmentBytes: 1 });
    scene.batches.sign(batchOf([payoutOrder(3)], { nonce: 3 }));
    expect(scene.batches.lastAllowance(allowing)).toMatchObject({ params: { ...allowing, nonce: 2 } });
  });

  it('is replaced by the same allowance with higher fees only', () => {
    scene.batches.allow(allowing);
    const dearer = { ...allowing, maxFeePerGas: '3300000000', maxPriorityFeePerGas: '1100000000' };
    expect(refusal(() => scene.batches.allow({ ...dearer, maxFeePerGas: '3299999999' }))).toMatch(/^conflict/);
    expect(refusal(() => scene.batches.allow({ ...dearer, reset: true }))).toMatch(/^conflict/);
    const replaced = scene.batches.allow(dearer);
    expect(scene.batches.lastAllowance(allowing)).toMatchObject({ hash: replaced.hash, bytes: replaced.bytes });
    expect(scene.refunds.state().nextNonces).toEqual({ 'ethereum@local': 1 });
  });

  it('is replaced by nothing only, once batches are turned off, and is not changed any more', async () => {
    const { Transaction } = await import('ethers');
    const dearer = { ...allowing, maxFeePerGas: '3300000000', maxPriorityFeePerGas: '1100000000' };
    const last = scene.batches.allow(allowing);
    scene.restart({ policy: { ...policy(), batches: [] } });
    expect(scene.batches.state()).toEqual({ batches: {}, allowanceNonces: { 'ethereum@local': 1 } });
    expect(scene.batches.lastAllowance(allowing)).toMatchObject({ bytes: last.bytes });
    expect(refusal(() => scene.batches.allow(dearer))).toMatch(/SIGNER_PAYOUT_BATCHES/);
    expect(refusal(() => scene.batches.allow({ ...dearer, nonce: 1, reset: true }))).toMatch(/SIGNER_PAYOUT_BATCHES/);
    expect(refusal(() => scene.batches.allow({ ...dearer, currency: 'USDC', reset: true }))).toMatch(/^conflict/);
    const replaced = Transaction.from(scene.batches.allow({ ...dearer, reset: true }).bytes);
    expect([replaced.nonce, BigInt(`0x${replaced.data.slice(-64)}`)]).toEqual([0, 0n]);
  });

  it('is refused for another token, above the fee cap, too often in a day, and while the signer is frozen', () => {
    expect(refusal(() => scene.batches.allow({ ...allowing, currency: 'USDC' }))).toMatch(/SIGNER_PAYOUT_BATCHES/);
    expect(refusal(() => scene.batches.allow({ ...allowing, network: 'bsc' }))).toMatch(/SIGNER_PAYOUT_BATCHES/);
    expect(refusal(() => scene.batches.allow({ ...allowing, gasLimit: '90000000' }))).toMatch(/^limit: .*fees/);
    for (let nonce = 0; nonce < 40; nonce++) scene.batches.allow({ ...allowing, nonce });
    expect(refusal(() => scene.batches.allow({ ...allowing, nonce: 40 }))).toMatch(/^limit: .*per day/);
    scene.time.now += 25 * 3_600_000;
    scene.batches.allow({ ...allowing, nonce: 40 });
    scene.refunds.freeze('a test');
    expect(refusal(() => scene.batches.allow({ ...allowing, nonce: 41 }))).toMatch(/^frozen/);
    expect(scene.batches.lastAllowance(allowing)).toMatchObject({ bytes: null });
  });
});
