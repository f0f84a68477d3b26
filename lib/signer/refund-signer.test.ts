import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accounts,
  draftOf,
  evmDraft,
  NETWORK_NAMES,
  openScene,
  orderOn,
  outcomeOf,
  solanaDraft,
  START,
  tronDraft,
  type Scene,
} from '@/testing/signer/signer-scene';
import { useTemporaryDirectory } from '@/testing/temporary-directory';
import { MAX_ATTEMPTS } from './attempt-rules';

const directory = useTemporaryDirectory();

const lines = ({ journalFile }: Scene): number => fs.readFileSync(journalFile, 'utf8').split('\n').length - 1;

describe.each(NETWORK_NAMES)('%s', (network) => {
  test('returns the same bytes for the same intent and draft, across restarts and after expiry', async () => {
    const scene = openScene(directory);
    const [order, draft] = [orderOn(network), await draftOf(orderOn(network))];
    const first = scene.signer.sign({ order, draft });
    const written = lines(scene);
    expect(scene.signer.sign({ order, draft })).toEqual(first);
    scene.restart();
    expect(scene.signer.sign({ order, draft })).toEqual(first);
    scene.time.now += 10 * 86_400_000;
    expect(scene.signer.sign({ order, draft })).toEqual(first);
    expect(scene.signer.attempts(order.intentId)).toMatchObject({ attempts: [first] });
    expect(lines(scene)).toBe(written);
  });

  test('refuses another draft, order or destination for the same intent, also across restarts', async () => {
    const scene = openScene(directory);
    const order = orderOn(network);
    const first = scene.signer.sign({ order, draft: await draftOf(order) });
    for (const again of [scene.signer, scene.restart()]) {
      const other = await draftOf(order, 1);
      expect(() => again.sign({ order, draft: other })).toThrow(expect.objectContaining({ code: 'conflict' }));
      for (const changed of [orderOn(network, { cents: 1n }), orderOn(network, { session: 'cs_test_2' })]) {
        const draft = await draftOf(changed);
        expect(() => again.sign({ order: changed, draft })).toThrow(/the intent has another order/);
      }
    }
    expect(scene.signer.attempts(order.intentId)).toMatchObject({ attempts: [first] });
  });

  test('makes one attempt of a hundred parallel calls for one intent', async () => {
    const scene = openScene(directory);
    const order = orderOn(network);
    const drafts = await Promise.all(Array.from({ length: 100 }, (_, at) => draftOf(order, at % 2)));
    const answers = await Promise.allSettled(drafts.map(async (draft) => scene.signer.sign({ order, draft })));
    const hashes = new Set(answers.flatMap((one) => (one.status === 'fulfilled' ? one.value.hash : [])));
    expect(hashes.size).toBe(1);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(scene.signer.state().journal).toMatchObject({ intents: 1, attempts: 1, records: 4 });
  });
});

describe('another attempt after one that lapsed', () => {
  const cases = [
    { network: 'tron', beyond: (START + 60_000 + 60_000) / 1000, wait: 120_000 },
    { network: 'solana', beyond: 1000 + 32, wait: 90_000 },
  ] as const;
  test.each(cases)(
    '$network: is signed only after its validity has ended by the chain and by the signer’s clock',
    async (one) => {
      const scene = openScene(directory);
      const order = orderOn(one.network);
      const first = scene.signer.sign({ order, draft: await draftOf(order) });
      const draft = await draftOf(order, 1, START + one.wait);
      const lapsed = outcomeOf(order, first, { outcome: 'lapsed', finalized: one.beyond });
      const refused = (said: object, code: string) =>
        expect(() => scene.signer.sign({ order, draft, ...said })).toThrow(expect.objectContaining({ code }));

      scene.time.now = START + one.wait - 1;
      refused({ lapsed }, 'conflict');
      scene.time.now = START + one.wait;
      refused({}, 'conflict');
      refused({ lapsed: outcomeOf(order, first, { outcome: 'lapsed', finalized: one.beyond - 1 }) }, 'conflict');
      refused({ lapsed: { ...lapsed, finalized: one.beyond + 1 } }, 'evidence');
      refused({ lapsed: outcomeOf(order, first, lapsed, [Buffer.alloc(32, 9)]) }, 'evidence');
      refused({ lapsed: outcomeOf({ ...order, intentId: 're_2' }, first, lapsed) }, 'evidence');
      refused({ lapsed: outcomeOf({ ...order, network: 'bsc' }, first, lapsed) }, 'evidence');
      refused({ lapsed: outcomeOf({ ...order, environment: 'live' }, first, lapsed) }, 'evidence');
      refused({ lapsed: outcomeOf(order, { ...first, hash: 'another' }, lapsed) }, 'evidence');
      refused({ lapsed: outcomeOf(order, first, { ...lapsed, outcome: 'reverted' }) }, 'evidence');

      const second = scene.signer.sign({ order, draft, lapsed });
      expect(second.hash).not.toBe(first.hash);
      scene.restart();
      expect(scene.signer.sign({ order, draft })).toEqual(second);
      expect(scene.signer.attempts(order.intentId)).toMatchObject({ attempts: [first, second] });
      // The attestation is about the first attempt; the second may still land.
      const third = await draftOf(order, 2, scene.time.now);
      expect(() => scene.signer.sign({ order, draft: third, lapsed })).toThrow(/about another attempt/);
    },
  );

  test('repeating a lapsed payment uses separate limits, half of the usual ones', async () => {
    const cents = 700n;
    const scene = openScene(directory, { perHour: 2800n });
    const order = orderOn('tron', { cents });
    let former = scene.signer.sign({ order, draft: await draftOf(order) });
    const repeat = async (variant: number) => {
      scene.time.now += 120_000;
      const lapsed = outcomeOf(order, former, { outcome: 'lapsed', finalized: scene.time.now / 1000 });
      former = scene.signer.sign({ order, draft: await draftOf(order, variant, scene.time.now), lapsed });
    };
    await repeat(1);
    await repeat(2);
    await expect(repeat(3)).rejects.toThrow(/limit per hour for payments that lapsed/);
    scene.restart();
    await expect(repeat(4)).rejects.toThrow(/limit per hour for payments that lapsed/);
    for (const intentId of ['re_2', 're_3', 're_4']) {
      const other = orderOn('solana', { intentId, cents });
      scene.signer.sign({ order: other, draft: solanaDraft(other) });
    }
    const fifth = orderOn('solana', { intentId: 're_5', cents: 1n });
    expect(() => scene.signer.sign({ order: fifth, draft: solanaDraft(fifth) })).toThrow(/limit per hour is reached/);
  });

  test('an EVM attempt never lapses and can only be replaced with the same nonce and both fees ten percent higher', () => {
    const scene = openScene(directory);
    const order = orderOn('ethereum');
    const first = scene.signer.sign({ order, draft: evmDraft(order) });
    const refused = (changes: Parameters<typeof evmDraft>[1], said = {}) =>
      expect(() => scene.signer.sign({ order, draft: evmDraft(order, changes), ...said })).toThrow(
        expect.objectContaining({ code: 'conflict' }),
      );
    const enough = { maxFeePerGas: 3_300_000_000n, maxPriorityFeePerGas: 1_100_000_000n };
    refused({ ...enough, maxFeePerGas: 3_299_999_999n });
    refused({ ...enough, maxPriorityFeePerGas: 1_099_999_999n });
    refused({ ...enough, nonce: 1 });
    refused({ gasLimit: 90_001n });
    const lapsed = outcomeOf(order, first, { outcome: 'lapsed', finalized: 10_000_000 });
    refused({ nonce: 1 }, { lapsed });
    const second = scene.signer.sign({ order, draft: evmDraft(order, enough) });
    expect(second.validity).toEqual({ kind: 'nonce', nonce: 0 });
    // A draft with lower fees than the last is refused, and the first attempt is unchanged.
    refused({ maxFeePerGas: 3_400_000_000n, maxPriorityFeePerGas: 1_150_000_000n });
    expect(scene.restart().sign({ order, draft: evmDraft(order) })).toEqual(first);
    expect(scene.signer.state().nextNonces).toEqual({ 'ethereum@local': 1 });
  });

  test('an intent has a bounded number of replacements', () => {
    const scene = openScene(directory);
    const order = orderOn('ethereum');
    let fee = 1000n;
    for (let count = 0; count < MAX_ATTEMPTS; count++, fee = (fee * 11n) / 10n + 1n) {
      const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee };
      scene.signer.sign({ order, draft: evmDraft(order, fees) });
    }
    const more = evmDraft(order, { maxFeePerGas: fee * 2n, maxPriorityFeePerGas: fee * 2n });
    expect(() => scene.signer.sign({ order, draft: more })).toThrow(/limit of attempts/);
  });
});

test('nonces are consecutive per chain and none is skipped or used by two intents, also across restarts', () => {
  const scene = openScene(directory);
  for (const network of ['ethereum', 'bsc'] as const) {
    const order = (at: number) => orderOn(network, { intentId: `${network}_${at}` });
    const sign = (at: number, nonce: number) =>
      scene.signer.sign({ order: order(at), draft: evmDraft(order(at), { nonce }) });
    // The chain determines the first nonce: the wallet may have sent before.
    sign(0, 41);
    for (const wrong of [40, 41, 43]) expect(() => sign(1, wrong)).toThrow(expect.objectContaining({ code: 'nonce' }));
    sign(1, 42);
    scene.restart();
    expect(() => sign(2, 42)).toThrow(expect.objectContaining({ code: 'nonce' }));
    sign(2, 43);
    expect(scene.signer.state().nextNonces[`${network}@local`]).toBe(44);
  }
});

describe('limits', () => {
  test('in a simulated day the payments never exceed the limits per day and hour or what a session paid', () => {
    const steps = fc.array(
      fc.record({
        cents: fc.integer({ min: 1, max: 700 }).map(BigInt),
        session: fc.constantFrom('a', 'b', 'c'),
        wait: fc.constantFrom(0, 1, 600_000, 1_800_000, 3_599_999, 3_600_000, 90_000_000),
        restart: fc.nat({ max: 4 }).map((drawn) => drawn === 0),
      }),
      { minLength: 15, maxLength: 25 },
    );
    const [perRefund, perHour, perDay, mostCents] = [500n, 1000n, 3000n, 2500n];
    let [signedCount, refusedCount] = [0, 0];
    fc.assert(
      fc.property(steps, (given) => {
        const scene = openScene(directory, { perRefund, perHour, perDay });
        const paid: { at: number; cents: bigint; session: string }[] = [];
        const sum = (list: typeof paid) => list.reduce((all, { cents }) => all + cents, 0n);
        for (const [at, { cents, session, wait, restart }] of given.entries()) {
          scene.time.now += wait;
          if (restart) scene.restart();
          const order = orderOn('solana', { intentId: `re_${at}`, cents, session, mostCents });
          const { now } = scene.time;
          const hour = sum(paid.filter((one) => one.at > now - 3_600_000)) + cents;
          const day = sum(paid.filter((one) => one.at > now - 86_400_000)) + cents;
          const ofSession = sum(paid.filter((one) => one.session === session)) + cents;
          const isWithin = cents <= perRefund && hour <= perHour && day <= perDay && ofSession <= mostCents;
          const sign = () => scene.signer.sign({ order, draft: draft(order) });
          if (isWithin) {
            sign();
            paid.push({ at: now, cents, session });
            signedCount++;
          } else {
            expect(sign).toThrow(expect.objectContaining({ code: 'limit' }));
            refusedCount++;
          }
        }
        scene.signer.close();
      }),
      { numRuns: 8 },
    );
    expect(Math.min(signedCount, refusedCount)).toBeGreaterThan(15);
  }, 120_000);
  const draft = (order: ReturnType<typeof orderOn>) => solanaDraft(order);

  test('setting the clock back does not reset a limit', () => {
    const scene = openScene(directory, { perHour: 1234n });
    const sign = (intentId: string) => {
      const order = orderOn('solana', { intentId });
      return scene.signer.sign({ order, draft: draft(order) });
    };
    sign('re_1');
    scene.time.now -= 100 * 86_400_000;
    expect(() => sign('re_2')).toThrow(/limit per hour/);
    expect(() => (scene.restart(), sign('re_2'))).toThrow(/limit per hour/);
    scene.time.now = START + 3_600_000;
    sign('re_2');
  });

  test('a reverted payment no longer counts against its session but still against the hour, and its intent is never signed again', async () => {
    const scene = openScene(directory, { perHour: 2468n });
    const paidOnce = { mostCents: 1234n };
    const order = orderOn('tron', paidOnce);
    const first = scene.signer.sign({ order, draft: await tronDraft(order) });
    const again = orderOn('tron', { ...paidOnce, intentId: 're_2' });
    expect(() => scene.signer.sign({ order: again, draft: solanaDraft(orderOn('solana')) })).toThrow(/family/);
    const draftAgain = await tronDraft(again, 1);
    expect(() => scene.signer.sign({ order: again, draft: draftAgain })).toThrow(/more than it paid/);
    const reverted = outcomeOf(order, first, { outcome: 'reverted', finalized: 1 });
    expect(() => scene.signer.release({ ...reverted, intentId: 're_2' })).toThrow(/signed no such attempt/);
    expect(() => scene.signer.release({ ...reverted, finalized: 2 })).toThrow(/the watcher did not attest/);
    const early = outcomeOf(order, first, { outcome: 'lapsed', finalized: START / 1000 + 200 });
    expect(() => scene.signer.release(early)).toThrow(/may still land/);
    expect(scene.signer.release(reverted)).toEqual({ released: true });
    expect(scene.restart().release(reverted)).toEqual({ released: true });
    const late = await tronDraft(order, 2);
    for (const draft_ of [await tronDraft(order), late]) {
      expect(() => scene.signer.sign({ order, draft: draft_ })).toThrow(expect.objectContaining({ code: 'released' }));
    }
    scene.signer.sign({ order: again, draft: draftAgain });
    const third = orderOn('tron', { intentId: 're_3', cents: 1n, session: 'other' });
    const draftThird = await tronDraft(third);
    expect(() => scene.signer.sign({ order: third, draft: draftThird })).toThrow(/limit per hour/);
  });
});

test('the state contains the six refund addresses, the head and the counts, and no key', () => {
  const scene = openScene(directory);
  const before = scene.signer.state();
  expect(before.wallets.test.evm).toBe(accounts.of('test', 'evm').address);
  expect(before.wallets.live.solana).toBe(accounts.of('live', 'solana').address);
  expect(before).toMatchObject({ frozen: false, reason: null, journal: { records: 1, intents: 0, attempts: 0 } });
  const order = orderOn('solana');
  scene.signer.sign({ order, draft: solanaDraft(order) });
  const after = scene.restart().state();
  expect(after.journal).toMatchObject({ records: 4, intents: 1, attempts: 1, released: 0 });
  expect(after.journal.head).not.toBe(before.journal.head);
  const journal = { ...after.journal, freeBytes: expect.any(Number) };
  expect(scene.restart().state()).toEqual({ ...after, journal });
});
