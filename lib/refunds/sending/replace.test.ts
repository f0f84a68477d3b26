// How often a payment is offered a higher fee. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { ChainError } from '@/lib/networks/chain';
import { answerFault } from '@/lib/networks/endpoints/json-rpc/faults';
import { SendHold } from '@/lib/networks/sending/send';
import { Refusal } from '@/lib/signer/client';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock } from '@/testing/fixtures';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { landed, scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { MAX_SIGNED } from './plan';

const spec = localSpec('ethereum');
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** No block takes anything before `isLanded`; every draft offers an eighth more than the previous one. */
async function open() {
  const clock = new TestClock();
  const chain = { price: 1_000_000n, isLanded: false, refusal: null as Error | null };
  const scripted = scriptedSender({
    spec,
    scene: () => scene,
    outcome: (hash) => (chain.isLanded ? landed(hash) : { kind: 'waiting' }),
  });
  const draft: typeof scripted.draft = async ({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) => {
    chain.price += chain.price / 8n;
    const fees = { maxPriorityFeePerGas: chain.price, maxFeePerGas: chain.price, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: spec.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  };
  const broadcast: typeof scripted.broadcast = async () => {
    if (chain.refusal) throw chain.refusal;
    return 'accepted';
  };
  const scene: RefundScene = await openRefundScene({
    db,
    clock,
    spec,
    sender: { ...scripted, draft, broadcast },
    intervals: { replaceAfter: 20_000 },
  });
  const id = await scene.refund({ to: PAYERS.evm });
  const passes = async (count: number, over: Parameters<typeof scene.pass>[0] = {}, on = scene.context) => {
    for (let turn = 0; turn < count; turn++) {
      await scene.pass(over, on);
      clock.advance(20);
    }
  };
  const signed = async () => (await scene.attempts(id)).filter(({ hash }) => hash !== null).length;
  return { ...scene, chain, id, passes, signed };
}

it('offers a higher fee for a payment although the signer refused it fifty times before signing it', async () => {
  const { sending, signing, id, passes, attempts, signed } = await open();
  const sign = () => Promise.reject(new Refusal('limit', 'the hour’s limit is reached'));
  await passes(MAX_SIGNED + 3, { signer: { ...sending.signer!, calls: { ...signing.calls, sign } } });
  expect((await attempts(id)).map(({ status }) => status)).toEqual(Array(MAX_SIGNED + 3).fill('refused'));
  await passes(1);
  expect(await signed()).toBe(1);
  await passes(2);
  expect(await signed()).toBe(3);
}, 60_000);

it('puts a payment on hold that was offered fifty times, alarms the operator once, and completes it when a block takes it', async () => {
  const { context, chain, id, passes, read, signed } = await open();
  const errors: unknown[] = [];
  const log = { ...context.log, error: (about: unknown) => void errors.push(about) };
  const watched = { ...context, log: log as never };
  await passes(MAX_SIGNED + 5, {}, watched);
  expect(await signed()).toBe(MAX_SIGNED);
  const held = await read(id);
  expect(held).toMatchObject({ status: 'processing', hold: 'fee_too_high' });
  expect(held.holdMessage).toContain('50 times');
  expect(errors).toMatchObject([{ refundId: id, network: 'ethereum' }]);
  chain.isLanded = true;
  await passes(1, {}, watched);
  expect(await read(id)).toMatchObject({ status: 'completed', hold: null });
}, 60_000);

const refusedWith = (message: string) =>
  answerFault('endpoint 1', { method: 'eth_sendRawTransaction', calls: 1 }, { code: -32000, message });
const NAMED = 'Endpoint 1 refused eth_sendRawTransaction with error -32000. The signed transaction';

it.each([
  ['for an unknown reason', refusedWith('transaction type not supported'), 'chain_unavailable', NAMED],
  [
    'for a fee above their cap',
    new SendHold('fee_too_high', 'the nodes take no such fee'),
    'fee_too_high',
    'The nodes',
  ],
  [
    'because none is reachable',
    new ChainError('unavailable', 'endpoint 1 is away'),
    'chain_unavailable',
    'The network',
  ],
  ['because of their rate limit', refusedWith('too many requests'), 'chain_unavailable', 'The network'],
])(
  'offers no higher fee for a payment that the nodes do not take %s, and names the reason',
  async (_, refusal, hold, words) => {
    const { chain, id, passes, read, signed } = await open();
    chain.refusal = refusal;
    await passes(10);
    expect(await signed()).toBe(1);
    const held = await read(id);
    expect(held).toMatchObject({ status: 'processing', hold });
    expect(held.holdMessage).toMatch(new RegExp(`^${words}`));
    chain.refusal = null;
    await passes(2);
    expect(await signed()).toBe(2);
  },
);

it('offers a higher fee at once for a payment whose price the nodes refuse', async () => {
  const { chain, passes, signed } = await open();
  chain.refusal = new SendHold('fee_too_low', 'the price is too low');
  await passes(3);
  expect(await signed()).toBeGreaterThan(1);
});

it('logs once that the nodes refuse a signed payment', async () => {
  const { context, chain, id, passes } = await open();
  const warnings: unknown[] = [];
  const log = { ...context.log, warn: (about: unknown) => void warnings.push(about) };
  chain.refusal = refusedWith('transaction type not supported');
  await passes(5, {}, { ...context, log: log as never });
  expect(warnings).toMatchObject([{ refundId: id, hold: 'chain_unavailable', network: 'ethereum' }]);
});
