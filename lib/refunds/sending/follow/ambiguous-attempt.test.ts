// Once an ambiguous attempt is judged, it stays judged: a further check does not stop all payments a second time, and the refund still
// continues as the chain shows.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { scriptedSender } from '@/testing/refunds/scripted-sender';
import { localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { recheck } from '@/lib/refunds/sending/recheck';

const BY = { by: 'user:11111111-1111-4111-8111-111111111111', address: '192.0.2.1' };
const TAKEN: AttemptOutcome = {
  kind: 'lapsed',
  reason: 'another transaction of the wallet has its nonce and is final',
};
const spec = localSpec('ethereum');

let db: TestDatabase;
let scene: RefundScene;
let outcomeOf: (hash: string) => AttemptOutcome;
let frozen: string[];
const sender = scriptedSender({ spec, scene: () => scene, outcome: (hash) => outcomeOf(hash) });

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  scene = await openRefundScene({ db, clock: systemClock, spec, sender });
  frozen = [];
  const { calls } = scene.signing;
  // As the signer does until a person unfreezes it, which happens at once here.
  calls.freeze = async (reason) => void frozen.push(reason);
});

async function passes(turns = 5): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await scene.pass();
}
async function held(outcome: (hash: string) => AttemptOutcome): Promise<string> {
  outcomeOf = outcome;
  const id = await scene.refund({ to: PAYERS.evm });
  await passes();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  return id;
}
async function again(id: string): Promise<void> {
  await recheck(scene.context, { refund: id, note: 'investigated', ...BY });
  await passes();
}
const judged = async (id: string) => (await scene.attempts(id)).map((one) => one.judged);

test('a nonce that another transaction took freezes the signer once, however often an operator requests a check', async () => {
  const id = await held(() => TAKEN);
  expect(frozen).toHaveLength(1);
  for (let check = 0; check < 3; check++) {
    await again(id);
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'unclear' });
  }
  expect(frozen).toHaveLength(1);
  expect(await judged(id)).toEqual(['nonce_taken']);
  expect(scene.signing.signed).toBe(1);
});

test('another refund whose nonce is taken freezes the signer all the same', async () => {
  await held(() => TAKEN);
  await held(() => TAKEN);
  expect(frozen).toHaveLength(2);
});

test('what was judged before the signer could be stopped is judged again', async () => {
  const { calls } = scene.signing;
  const freeze = calls.freeze;
  let isAway = true;
  calls.freeze = async (reason) => {
    if (isAway) throw new AddressSourceError('unavailable', 'The signer cannot be reached.');
    return freeze(reason);
  };
  outcomeOf = () => TAKEN;
  const id = await scene.refund({ to: PAYERS.evm });
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'signer_unavailable' });
  expect(await judged(id)).toEqual([null]);
  isAway = false;
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'unclear' });
  expect(frozen).toHaveLength(1);
});

test('endpoints that disagree for a while do not stop all payments again', async () => {
  const id = await held(() => TAKEN);
  outcomeOf = () => ({ kind: 'waiting' });
  await again(id);
  expect(await scene.read(id)).toMatchObject({ hold: null });
  outcomeOf = () => TAKEN;
  await passes();
  expect(await scene.read(id)).toMatchObject({ hold: 'unclear' });
  expect(frozen).toHaveLength(1);
});

test('a transaction that moved something else is recorded as such, and freezes nothing', async () => {
  const id = await held((hash) => ({ kind: 'unclear', hash, reason: 'it moved another amount' }));
  await again(id);
  expect(await scene.read(id)).toMatchObject({ hold: 'unclear' });
  expect(await judged(id)).toEqual(['moved_otherwise']);
  expect(frozen).toEqual([]);
});

test('a judged refund still completes when the chain shows that it was paid', async () => {
  const id = await held(() => TAKEN);
  outcomeOf = (hash) => ({ kind: 'landed', hash, block: { number: 1, hash: '0xb', parentHash: '0xa', time: 1 } });
  await again(id);
  expect(await scene.read(id)).toMatchObject({ status: 'completed' });
});

test('a judged attempt does not keep a later payment of the wallet from being offered a higher fee', async () => {
  await held(() => TAKEN);
  outcomeOf = () => ({ kind: 'waiting' });
  const later = await scene.refund({ to: PAYERS.evm });
  await scene.pass();
  expect(await scene.attempts(later)).toHaveLength(1);
  await scene.pass({ intervals: { ...scene.sending.intervals, replaceAfter: 0 } });
  expect((await scene.attempts(later)).length).toBeGreaterThan(1);
});

test.each([
  ['whose nonce is taken', () => TAKEN, 0],
  [
    'that moved something else',
    (hash: string): AttemptOutcome => ({ kind: 'unclear', hash, reason: 'it moved another amount' }),
    0,
  ],
  ['that may still land', (): AttemptOutcome => ({ kind: 'waiting' }), 1],
] as const)(
  'an attempt %s withholds the right amount of tokens and fees from later payments',
  async (_, outcome, payments) => {
    outcomeOf = outcome;
    await scene.refund({ to: PAYERS.evm, cents: 300n });
    await passes();
    const later = await scene.refund({ to: PAYERS.evm });
    const withheld: unknown[] = [];
    const draft: typeof sender.draft = (order, from, options) => {
      if (order.intentId === later) withheld.push(options?.unmined);
      return sender.draft(order, from, options);
    };
    await scene.pass({ sender: { ...sender, draft } });
    expect(withheld).toEqual([{ payments, tokens: BigInt(payments) * 3_000_000n }]);
  },
);
