import fs from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { MAX_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { readDraft } from '@/lib/networks/sending/draft';
import { makeOutcome } from '@/lib/signer/attestations/refund-evidence';
import { attemptsResult, MAX_ANSWER_BYTES, MAX_REQUEST_BYTES } from '@/lib/signer/protocol';
import { journalResult } from '@/lib/signer/journal/page';
import { batchParams } from '@/lib/signer/orders';
import { batchOf, openBatchScene, payoutOrder, payoutOrders, type BatchScene } from '@/testing/signer/batch-scene';
import { evidenceKey, evmDraft, policy } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';

const directory = useTemporaryDirectory();
let scene: BatchScene;
beforeEach(() => {
  scene = openBatchScene(directory);
});

const DEARER = { maxFeePerGas: 3_300_000_000n, maxPriorityFeePerGas: 1_100_000_000n };
const attemptsOf = (n: number) => scene.refunds.attempts(`po_${n}`).attempts;
const refuses = (code: string, ...given: Parameters<typeof batchOf>) =>
  expect(() => scene.batches.sign(batchOf(...given))).toThrow(expect.objectContaining({ code }));

it('a batch is one attempt of each of its intents, in its place, across restarts and closed segments', () => {
  const orders = payoutOrders(MAX_BATCH);
  const signed = scene.batches.sign(batchOf(orders));
  const check = () => {
    for (let n = 0; n < MAX_BATCH; n++) expect(attemptsOf(n)).toMatchObject([{ ...signed, item: n }]);
    expect(scene.refunds.state()).toMatchObject({
      journal: { intents: MAX_BATCH, attempts: MAX_BATCH },
      nextNonces: { 'ethereum@local': 1 },
    });
    expect(scene.batches.sign(batchOf(orders))).toEqual(signed);
  };
  check();
  scene.restart();
  check();
  scene.restart({ segmentBytes: 1 });
  check();
  scene.restart({ segmentBytes: 1 });
  check();
  expect(scene.refunds.state().journal.segments).toBeGreaterThan(0);
});

it('the largest batch fits into a request, a record, an answer and a page of the journal', () => {
  const long = (n: number) => ({ intentId: `po_${String(n).padStart(40, '0')}`, store: `s${'0'.repeat(60)}${n}` });
  const orders = Array.from({ length: MAX_BATCH }, (_, n) => payoutOrder(n, long(n)));
  const params = batchOf(orders);
  const request = JSON.stringify({ id: 'x'.repeat(64), call: 'sign-batch', params });
  expect(request.length).toBeLessThan(MAX_REQUEST_BYTES);
  expect(batchParams.safeParse(params).success).toBe(true);
  scene.batches.sign(batchOf(orders));
  expect(attemptsResult.safeParse(scene.refunds.attempts(orders[0]!.intentId)).success).toBe(true);
});

it('a page of the journal may end within a batch, and the next one goes on there', () => {
  scene.batches.sign(batchOf(payoutOrders(7)));
  let dearer = DEARER;
  for (let n = 0; n < 3; n++) {
    scene.batches.sign(batchOf(payoutOrders(7), dearer));
    dearer = { maxFeePerGas: dearer.maxFeePerGas * 2n, maxPriorityFeePerGas: dearer.maxPriorityFeePerGas * 2n };
  }
  for (const segmentBytes of [undefined, 1]) {
    scene.restart(segmentBytes === undefined ? {} : { segmentBytes });
    for (const limit of [1, 3, 50]) {
      const { records } = scene.refunds.state().journal;
      // From behind the records that opened the intents: only the batches mention them.
      const seen: string[] = [];
      for (let [after, skip] = [records - 3 - (segmentBytes ? 1 : 0), 0]; after < records;) {
        const page = journalResult.parse(scene.refunds.journal({ after, limit, ...(skip ? { skip } : {}) }));
        expect(JSON.stringify(page).length).toBeLessThan(MAX_ANSWER_BYTES);
        seen.push(...page.intents.map(({ order }) => order.intentId));
        for (const { attempts, order } of page.intents) {
          expect(attempts).toHaveLength(4);
          for (const { draft } of attempts) expect(readDraft(draft)).toMatchObject({ to: order.to });
        }
        [after, skip] = [page.next, page.skip ?? 0];
      }
      expect(new Set(seen).size).toBe(7);
    }
  }
});

it('a replacement carries the same items and the same nonce, and both fees rise', () => {
  const orders = payoutOrders(3);
  const first = scene.batches.sign(batchOf(orders));
  refuses('conflict', orders, { maxFeePerGas: 3_100_000_000n, maxPriorityFeePerGas: 1_100_000_000n });
  refuses('conflict', orders, { ...DEARER, nonce: 1 });
  refuses('conflict', orders.slice(0, 2), DEARER);
  refuses('conflict', payoutOrders(4), DEARER);
  refuses('conflict', orders.toReversed(), DEARER);
  const second = scene.batches.sign(batchOf(orders, DEARER));
  expect(second.validity).toEqual(first.validity);
  for (let n = 0; n < 3; n++) expect(attemptsOf(n).map(({ hash }) => hash)).toEqual([first.hash, second.hash]);
  expect(scene.refunds.state().nextNonces).toEqual({ 'ethereum@local': 1 });
  scene.restart();
  expect(scene.batches.sign(batchOf(orders))).toEqual(first);
  // The replacement counts once against the limits: four more batches of 500 times 3 cents fit beside it.
  for (let n = 1; n <= 4; n++) scene.batches.sign(batchOf(payoutOrders(3, n * 10), { nonce: n }));
});

it('a batch is replaced also after batches were turned off, and no new one is signed', () => {
  const orders = payoutOrders(3);
  const first = scene.batches.sign(batchOf(orders));
  scene.restart({ policy: { ...policy(), batches: [] } });
  expect(scene.batches.sign(batchOf(orders))).toEqual(first);
  expect(scene.batches.sign(batchOf(orders, DEARER)).validity).toEqual(first.validity);
  refuses('not_allowed', payoutOrders(3, 10), { nonce: 1 });
});

it('an intent is signed alone or in one batch, never both', () => {
  const single = payoutOrder(0);
  scene.refunds.sign({ order: single, draft: evmDraft(single) });
  refuses('conflict', payoutOrders(3), { nonce: 1 });
  refuses('conflict', payoutOrders(1), { nonce: 1 });
  refuses('conflict', payoutOrders(1), DEARER);
  expect(attemptsOf(1)).toEqual([]);

  scene.batches.sign(batchOf(payoutOrders(3, 10), { nonce: 1 }));
  const member = payoutOrder(11);
  for (const changes of [{ nonce: 2 }, { nonce: 1, ...DEARER }])
    expect(() => scene.refunds.sign({ order: member, draft: evmDraft(member, changes) })).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  refuses('conflict', [payoutOrder(20), member], { nonce: 2 });
  refuses('conflict', [payoutOrder(11, { amount: '10000' })], { nonce: 2 });
  expect(attemptsOf(11)).toHaveLength(1);
});

it('refuses an item of a batch as a single payment', () => {
  const [order] = payoutOrders(3);
  const { from, unsigned } = batchOf(payoutOrders(3));
  const draft = { family: 'evm', intentId: order!.intentId, from, unsigned } as const;
  for (const one of [draft, { ...draft, item: 0 }])
    expect(() => scene.refunds.sign({ order: order!, draft: one })).toThrow(expect.objectContaining({ code: 'draft' }));
  expect(attemptsOf(0)).toEqual([]);
});

it('a journal that was cut off within the records of a batch has none of its bytes, and signs it once', () => {
  const orders = payoutOrders(4);
  const first = scene.batches.sign(batchOf(orders));
  const whole = fs.readFileSync(scene.journalFile, 'utf8');
  const lines = whole.split('\n').slice(0, -1);
  const records = lines.length;
  scene.refunds.close();
  for (let kept = records - 5; kept < records; kept++) {
    for (const torn of ['', lines[kept]!.slice(0, 100), lines[kept]!.slice(0, -1)]) {
      fs.writeFileSync(scene.journalFile, [...lines.slice(0, kept), torn].join('\n'));
      scene = Object.assign(scene, { refunds: { close() {} } });
      scene.restart();
      for (let n = 0; n < 4; n++) expect(attemptsOf(n)).toEqual([]);
      expect(scene.batches.sign(batchOf(orders))).toEqual(first);
      scene.refunds.close();
    }
  }
});

it('payouts of one store whose journal was cut off after they were opened count once, and their batch is signed', () => {
  const orders = [0, 1].map((n) => payoutOrder(n, { store: 'one', mostCents: 1_000n }));
  scene.batches.sign(batchOf(orders));
  const whole = fs.readFileSync(scene.journalFile, 'utf8');
  const lines = whole.split('\n').slice(0, -1);
  scene.refunds.close();
  fs.writeFileSync(scene.journalFile, `${lines.slice(0, -1).join('\n')}\n`);
  scene = Object.assign(scene, { refunds: { close() {} } });
  scene.restart();
  expect(scene.batches.sign(batchOf(orders)).hash).toMatch(/^0x/);
});

it('a payout that its batch did not pay is released, and the others of the batch stay as they are', () => {
  const { hash } = scene.batches.sign(batchOf(payoutOrders(3)));
  const facts = { intentId: 'po_1', network: 'ethereum', hash, outcome: 'reverted', finalized: 0 } as const;
  scene.refunds.release(makeOutcome(evidenceKey, 'test', facts));
  const again = payoutOrder(1);
  expect(() => scene.refunds.sign({ order: again, draft: evmDraft(again, { nonce: 1 }) })).toThrow(
    expect.objectContaining({ code: 'released' }),
  );
  refuses('released', payoutOrders(3), DEARER);
  expect(scene.refunds.state().journal).toMatchObject({ released: 1 });
});
