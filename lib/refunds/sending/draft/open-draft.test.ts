// An EVM wallet has one open draft at a time, and one refund with an open draft never stops the refunds of all stores. A real
// database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import type { ChainSender } from '@/lib/networks/sending/send';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';

const GWEI = 10n ** 9n;
const evm = localSpec('ethereum');
const time = { now: 0 };
const clock = { now: () => new Date(time.now) };
/** Requests of nodes. */
const requests = { nonces: 0, drafts: 0 };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
    requests.drafts++;
    const fees = { maxPriorityFeePerGas: GWEI, maxFeePerGas: GWEI, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => (requests.nonces++, 0),
  finalNonce: async () => 0,
  broadcast: async () => 'accepted',
  outcome: async () => ({ kind: 'waiting' }),
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => {
  time.now = Date.parse('2026-11-21T12:00:00Z');
  Object.assign(requests, { nonces: 0, drafts: 0 });
});

const open = () => openRefundScene({ db, clock, spec: evm, sender, intervals: { leastHold: 5000, mostHold: 300_000 } });

it('pays all other refunds while one with an open draft waits for an operator', async () => {
  const scene = await open();
  const waiting = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  // As in a database from a backup: the attempt is lost, and the refund goes elsewhere.
  await db.pool.query('ALTER TABLE refund_attempts DISABLE TRIGGER USER; ALTER TABLE refunds DISABLE TRIGGER USER');
  await db.pool.query('DELETE FROM refund_attempts WHERE intent_id = $1', [waiting]);
  await db.pool.query(
    `UPDATE refunds SET signature_requested_at = NULL, destination = NULL, destination_kind = NULL, destination_reference = NULL, next_at = $2
     WHERE id = $1`,
    [waiting, clock.now()],
  );
  await db.pool.query('ALTER TABLE refund_attempts ENABLE TRIGGER USER; ALTER TABLE refunds ENABLE TRIGGER USER');
  const address = `0x${'ab'.repeat(20)}`;
  time.now += 5000;
  await scene.pass({
    findDestination: async () => ({ destination: { address, kind: 'claim', reference: 'address/1' } }),
  });
  expect(await scene.read(waiting)).toMatchObject({ hold: 'unclear' });
  expect(await scene.attempts(waiting)).toMatchObject([{ status: 'drafted' }]);
  const other = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.attempts(other)).toMatchObject([{ status: 'sent' }]);
});

it('sends no node request for a refund while the draft of another one is open', async () => {
  const scene = await open();
  const first = await scene.refund({ to: PAYERS.evm });
  const { calls } = scene.signing;
  const sign = () => ((scene.signing.isDown = true), calls.sign(null as never));
  await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } });
  scene.signing.isDown = false;
  expect(await scene.attempts(first)).toMatchObject([{ status: 'drafted' }]);
  const second = await scene.refund({ to: PAYERS.evm });
  Object.assign(requests, { nonces: 0, drafts: 0 });
  for (let turn = 0; turn < 4; turn++) {
    time.now += 1000;
    await scene.pass();
  }
  expect(requests).toEqual({ nonces: 0, drafts: 0 });
  for (let turn = 0; turn < 4; turn++) {
    time.now += 2000;
    await scene.pass();
  }
  expect(await scene.attempts(second)).toMatchObject([{ status: 'sent' }]);
});

it('leaves the hold of a refund unchanged while the draft of another one is open, so that its claim link stays open', async () => {
  const scene = await open();
  const held = await scene.refund({ to: PAYERS.evm });
  scene.destinations.delete(held);
  await scene.pass();
  const { hold, heldAt } = await scene.read(held);
  expect(hold).toBe('destination_needed');
  await scene.refund({ to: PAYERS.evm });
  const { calls } = scene.signing;
  const sign = () => ((scene.signing.isDown = true), calls.sign(null as never));
  await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } });
  scene.signing.isDown = false;
  time.now += 5000;
  await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } });
  expect(await scene.read(held)).toMatchObject({ hold, heldAt });
});

/** A refund that waited for its customer for a day, and whose payer can be paid back now. */
async function waitedForADay(scene: Awaited<ReturnType<typeof open>>): Promise<string> {
  const id = await scene.refund({ to: PAYERS.evm });
  const destination = scene.destinations.get(id);
  scene.destinations.delete(id);
  await scene.pass();
  time.now += 86_400_000;
  scene.destinations.set(id, destination!);
  expect(await scene.read(id)).toMatchObject({ hold: 'destination_needed' });
  return id;
}

async function passForMinutes(scene: Awaited<ReturnType<typeof open>>, minutes: number): Promise<void> {
  for (const until = time.now + minutes * 60_000; time.now < until; time.now += 5000) await scene.pass();
}

it('does not stop other refunds for hours when the signer is away during the request for one that had waited for its customer', async () => {
  const scene = await open();
  const first = await waitedForADay(scene);
  const { calls } = scene.signing;
  const sign = () => ((scene.signing.isDown = true), calls.sign(null as never));
  await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...calls, sign } } });
  scene.signing.isDown = false;
  expect(await scene.attempts(first)).toMatchObject([{ status: 'drafted' }]);
  const other = await scene.refund({ to: PAYERS.evm });
  await passForMinutes(scene, 15);
  expect(await scene.attempts(other)).toMatchObject([{ status: 'sent' }]);
});

it('sends what was signed as soon as the chain is back, also for a refund that had waited for its customer', async () => {
  const scene = await open();
  const first = await waitedForADay(scene);
  const away = () => Promise.reject(new ChainError('unavailable', 'no endpoint answers'));
  await scene.pass({ sender: { ...sender, broadcast: away, outcome: away } });
  expect(await scene.attempts(first)).toMatchObject([{ status: 'signed' }]);
  await passForMinutes(scene, 15);
  const [signed] = await scene.attempts(first);
  expect(signed).toMatchObject({ status: 'sent' });
});
