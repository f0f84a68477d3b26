import { expect, test } from 'vitest';
import { sha256 } from '@/lib/platform/crypto';
import { signing } from '@/lib/networks/sending/draft';
import { draftOf, evmDraft, openScene, orderOn, outcomeOf, solanaDraft, START } from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { MAX_ATTEMPTS } from '@/lib/signer/attempt-rules';
import { callsOn } from '@/lib/signer/calls';
import { journalResult, type JournalIntent } from './page';
import { MAX_ANSWER_BYTES } from '@/lib/signer/protocol';

const directory = useTemporaryDirectory();

test('paging returns every intent with every attempt, for any page size, frozen or not', async () => {
  const scene = openScene(directory);
  const names = ['re_1', 're_2', 're_3', 're_4', 're_5'];
  const hashes = new Map<string, string[]>();
  for (const [nonce, intentId] of names.entries()) {
    const order = orderOn('ethereum', { intentId });
    hashes.set(intentId, [scene.signer.sign({ order, draft: evmDraft(order, { nonce }) }).hash]);
  }
  const order = orderOn('ethereum', { intentId: 're_2' });
  const fees = { nonce: 1, maxFeePerGas: 4_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
  hashes.get('re_2')?.push(scene.signer.sign({ order, draft: evmDraft(order, fees) }).hash);
  scene.signer.freeze('a test');

  for (const signer of [scene.signer, scene.restart()]) {
    for (const limit of [1, 2, 50]) {
      const found = new Map<string, JournalIntent>();
      let page = signer.journal({ after: 0, limit });
      for (;;) {
        expect(journalResult.parse(page)).toEqual(page);
        expect(page.intents.length).toBeLessThanOrEqual(limit);
        for (const one of page.intents) found.set(one.order.intentId, one);
        if (page.next === page.records) break;
        page = signer.journal({ after: page.next, limit });
      }
      expect([...found].map(([id, { attempts }]) => [id, attempts.map(({ hash }) => hash)])).toEqual([...hashes]);
    }
  }
});

test('a caller who has read part of the journal gets the changes since and the hash of the last record read', async () => {
  const scene = openScene(directory);
  const [first, second] = [orderOn('tron'), orderOn('tron', { intentId: 're_2' })];
  const signed = scene.signer.sign({ order: first, draft: await draftOf(first) });
  const seen = scene.signer.state().journal;
  expect(scene.signer.journal({ after: seen.records, limit: 50 })).toEqual({
    previous: seen.head,
    intents: [],
    next: seen.records,
    records: seen.records,
  });
  scene.signer.sign({ order: second, draft: await draftOf(second) });
  scene.signer.release(outcomeOf(first, signed, { outcome: 'reverted', finalized: START / 1000 }));
  const page = scene.signer.journal({ after: seen.records, limit: 50 });
  expect(page.previous).toBe(seen.head);
  expect(page.intents.map(({ order, released }) => [order.intentId, released])).toEqual([
    ['re_2', false],
    ['re_1', true],
  ]);
  expect(scene.signer.journal({ after: 1000, limit: 1 })).toMatchObject({ previous: null, intents: [], next: 1000 });
  expect(scene.signer.journal({ after: 0, limit: 1 }).previous).toBeNull();
});

test('a page contains exactly the drafts that were signed, and nothing that could be broadcast', async () => {
  const scene = openScene(directory);
  for (const network of ['ethereum', 'tron', 'solana'] as const) {
    const order = orderOn(network, { intentId: `re_${network}` });
    const signed = scene.signer.sign({ order, draft: await draftOf(order) });
    const { intents } = scene.signer.journal({ after: 0, limit: 50 });
    const [attempt] = intents.at(-1)?.attempts ?? [];
    expect(attempt).toMatchObject({ at: START, hash: signed.hash });
    const digest = (draft: Parameters<typeof signing>[0]) => sha256(signing(draft).payload).toString('hex');
    expect(digest(attempt!.draft)).toBe(digest(await draftOf(order)));
    expect(JSON.stringify(intents)).not.toContain(signed.bytes.replace(/^0x/, ''));
  }
});

test('the largest page fits into a response, wherever it begins', async () => {
  const scene = openScene(directory, { perHour: 10n ** 12n, perDay: 10n ** 12n });
  const order = orderOn('solana', { intentId: `re_${'a'.repeat(97)}`, session: 's'.repeat(128) });
  for (let at = 0; at < 40; at++) {
    const one = orderOn('solana', { intentId: `re_${at}` });
    scene.signer.sign({ order: one, draft: solanaDraft(one) });
  }
  let former = scene.signer.sign({ order, draft: solanaDraft(order) });
  for (let variant = 1; variant < MAX_ATTEMPTS; variant++) {
    scene.time.now += 100_000;
    const lapsed = outcomeOf(order, former, { outcome: 'lapsed', finalized: variant * 1000 + 100 });
    former = scene.signer.sign({ order, draft: solanaDraft(order, variant), lapsed });
  }
  const calls = callsOn(keysFromSeed(Buffer.alloc(64, 7)), scene.signer);
  let largest = 0;
  for (let after = 0; after < scene.signer.state().journal.records; after++) {
    const page = journalResult.parse(await calls.get('journal')?.({ after, limit: 50 }));
    largest = Math.max(largest, Buffer.byteLength(JSON.stringify({ id: 'x'.repeat(64), result: page })));
  }
  expect(largest).toBeGreaterThan(40_000);
  expect(largest).toBeLessThan(MAX_ANSWER_BYTES);
});

test('parameters out of bounds are refused', () => {
  const calls = callsOn(keysFromSeed(Buffer.alloc(64, 7)), openScene(directory).signer);
  for (const params of [
    {},
    { after: -1, limit: 1 },
    { after: 0, limit: 0 },
    { after: 0, limit: 51 },
    { after: 0.5, limit: 1 },
  ]) {
    expect(calls.get('journal')?.(params)).toBeNull();
  }
});
