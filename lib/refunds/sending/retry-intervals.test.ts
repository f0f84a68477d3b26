// A blocked refund waits without flooding: a refused refund overloads neither the signer nor the database nor an endpoint. A real
// database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { SendRefused, type ChainSender, type AttemptOutcome } from '@/lib/networks/sending/send';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { truncateFacts } from '@/testing/database/truncate';

const GWEI = 10n ** 9n;
const INTERVALS = { recent: 300, old: 1000, leastHold: 5000, mostHold: 300_000, replaceAfter: 120_000 };
const evm = localSpec('ethereum');
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
/** What the next drafts offer, in gwei, what the chain reports about everything sent, and the nonces that one and all endpoints report. */
const chain = { price: 2n, outcome: { kind: 'waiting' } as AttemptOutcome, reported: 0, final: 0 };

const evmSender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0, replaces } = {}) {
    const maxFeePerGas = (replaces ? 2n : 1n) * chain.price * GWEI;
    const fees = { maxPriorityFeePerGas: maxFeePerGas, maxFeePerGas, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => chain.reported,
  finalNonce: async () => chain.final,
  broadcast: async () => 'accepted',
  outcome: async () => chain.outcome,
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => {
  time.now = Date.parse('2026-11-21T12:00:00Z');
  Object.assign(chain, { price: 2n, outcome: { kind: 'waiting' }, reported: 0, final: 0 });
});

const open = (limits = {}) =>
  openRefundScene({ db, clock, spec: evm, sender: evmSender, intervals: INTERVALS, limits });
/** Passes every five seconds. */
async function passFor(minutes: number, pass: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < minutes * 12; turn++) {
    await pass();
    time.now += 5000;
  }
}

it('requests a refund on hold for a limit less and less often, and dates its hold from the first refusal', async () => {
  const scene = await open({ perHour: 100n });
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  const { heldAt } = await scene.read(id);
  await passFor(20, scene.pass);
  expect(await scene.read(id)).toMatchObject({
    status: 'processing',
    hold: 'limit',
    heldAt,
    signatureRequestedAt: null,
  });
  expect((await scene.attempts(id)).length).toBeLessThan(20);
});

it('a replacement that the signer refuses is retried only after the replacement interval has passed again', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  chain.price = 1000n;
  await passFor(10, scene.pass);
  const [first, ...others] = (await scene.attempts(id)).map(({ status }) => status);
  expect([first, new Set(others)]).toEqual(['sent', new Set(['refused'])]);
  expect(others.length).toBeLessThanOrEqual(5);
});

it('a replacement without a response from the signer is the only one that is requested', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  const { calls } = scene.signing;
  const sign = () => ((scene.signing.isDown = true), calls.sign(null as never));
  await passFor(5, () => scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } }));
  expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['sent', 'drafted']);
  scene.signing.isDown = false;
  await passFor(6, scene.pass);
  expect((await scene.attempts(id)).map(({ status }) => status).slice(0, 2)).toEqual(['sent', 'sent']);
});

it('a draft that the signer refuses has a reason, also when an earlier request got no response', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  const { calls } = scene.signing;
  const sign = () => ((scene.signing.isDown = true), calls.sign(null as never));
  chain.price = 1000n;
  await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } });
  scene.signing.isDown = false;
  await passFor(10, scene.pass);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'not_allowed' });
  expect((await scene.attempts(id)).length).toBeLessThan(15);
  chain.price = 2n;
  await passFor(6, scene.pass);
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: null });
});

const tron = localSpec('tron');
const tronSender: ChainSender = {
  ...evmSender,
  async draft({ intentId, contract, to, amount }, owner) {
    const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' };
    const expiration = time.now + 300_000;
    const life = { expiration, timestamp: time.now, feeLimit: 30_000_000n };
    return writeTronDraft({ owner, contract, to, amount, ...block, ...life }, intentId);
  },
};

it('drafts a second payment only after a second check, minutes after the first, has also found that the first lapsed', async () => {
  const intervals = { ...INTERVALS, secondCheck: 120_000 };
  const scene = await openRefundScene({ db, clock, spec: tron, sender: tronSender, intervals });
  const id = await scene.refund({ to: PAYERS.tron });
  await scene.pass();
  time.now += 3_600_000;
  chain.outcome = { kind: 'lapsed', reason: 'it expired', finalized: Math.floor(time.now / 1000) };
  await scene.pass();
  const statuses = async () => (await scene.attempts(id)).map(({ status }) => status);
  expect(await statuses()).toEqual(['lapsed']);
  await passFor(1.9, () => scene.pass());
  expect(await statuses()).toEqual(['lapsed']);
  time.now += 10_000;
  await scene.pass();
  expect(await statuses()).toEqual(['lapsed', 'sent']);
});

it('a refund whose transactions the network never takes fails after fifty in about two days, before the signer refuses more', async () => {
  const intervals = { ...INTERVALS, secondCheck: 120_000 };
  const scene = await openRefundScene({ db, clock, spec: tron, sender: tronSender, intervals });
  const id = await scene.refund({ to: PAYERS.tron });
  const begun = time.now;
  for (let passes = 0; passes < 500 && (await scene.read(id)).status !== 'failed'; passes++) {
    chain.outcome = { kind: 'lapsed', reason: 'it expired', finalized: Math.floor(time.now / 1000) };
    await scene.pass();
    time.now += 600_000;
  }
  const { status, failureReason } = await scene.read(id);
  expect(status).toBe('failed');
  expect(failureReason).toMatch(/took none of 50 transactions/);
  expect(await scene.attempts(id)).toHaveLength(50);
  expect((time.now - begun) / 86_400_000).toBeGreaterThan(1.5);
  expect((time.now - begun) / 86_400_000).toBeLessThan(3);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ toRelease: false });
  expect(await scene.events(id)).toContain('refund.failed');
});

it('a lapse that a lagging endpoint cannot confirm yet is retried, and needs no operator', async () => {
  const scene = await openRefundScene({ db, clock, spec: tron, sender: tronSender, intervals: INTERVALS });
  const id = await scene.refund({ to: PAYERS.tron });
  await scene.pass();
  const [{ hash } = { hash: null }] = await scene.attempts(id);
  time.now += 3_600_000;
  const lapsed: AttemptOutcome = { kind: 'lapsed', reason: 'it expired', finalized: Math.floor(time.now / 1000) };
  const answers: AttemptOutcome[] = [lapsed, { kind: 'seen', hash: hash ?? '', confirmations: 0 }];
  await scene.pass({ sender: { ...tronSender, outcome: async () => answers.shift() ?? lapsed } });
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'chain_unavailable' });
  chain.outcome = lapsed;
  await passFor(1, () => scene.pass());
  expect((await scene.attempts(id)).map(({ status }) => status)).toContain('lapsed');
  expect(scene.signing.signed).toBe(2);
});

it('keeps waiting for its customer while the signer or the chain is away, so that the claim link stays open', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  scene.destinations.delete(id);
  await scene.pass();
  const before = await scene.read(id);
  expect(before).toMatchObject({ status: 'processing', hold: 'destination_needed' });
  scene.signing.isDown = true;
  await passFor(1, scene.pass);
  scene.signing.isDown = false;
  scene.signing.signer.freeze('for a test');
  await passFor(1, scene.pass);
  const { hold, holdMessage, heldAt } = before;
  expect(await scene.read(id)).toMatchObject({ hold, holdMessage, heldAt });
});

it('an endpoint that invents transactions of the wallet freezes nothing, and causes no nonce that is never mined', async () => {
  const scene = await open();
  chain.reported = 1000;
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({
    status: 'processing',
    hold: 'chain_unavailable',
    signatureRequestedAt: null,
  });
  chain.reported = 0;
  await passFor(1, scene.pass);
  expect((await scene.attempts(id)).map(({ validity }) => validity)).toEqual([{ kind: 'nonce', nonce: 0 }]);
  chain.reported = 1000;
  const second = await scene.refund({ to: PAYERS.evm });
  await passFor(1, scene.pass);
  expect(await scene.read(second)).toMatchObject({ status: 'processing', hold: 'chain_unavailable' });
  expect(scene.signing.signer.state().frozen).toBe(false);
});

it('a refund that the signer has signed does not fail, even though a restored database knows of no request', async () => {
  const scene = await open();
  const id = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  await truncateFacts(db.pool, 'refund_attempts');
  await db.pool.query(
    "UPDATE refunds SET signature_requested_at = NULL, next_at = now() - interval '1 year' WHERE id = $1",
    [id],
  );
  const draft = () =>
    Promise.reject(new SendRefused('recipient_blocked', 'the issuer of USDT has blocked the recipient'));
  await scene.pass({ sender: { ...evmSender, draft } });
  expect(await scene.read(id)).toMatchObject({ status: 'processing' });
  chain.reported = 1;
  await passFor(1, scene.pass);
  expect((await scene.attempts(id)).map(({ hash }) => hash)).toEqual(
    scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash),
  );
});
