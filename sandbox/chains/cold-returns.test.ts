// Money comes back from the cold wallet on the local chains of all families: requested online, signed by the offline program, sent and
// booked once, whatever is interrupted or repeated.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainAccount } from '@/lib/cold-storage/accounts/plain';
import { armCrashPoint, RETURN_CRASH_POINTS } from '@/lib/platform/crash-point';
import { mortalPool } from '@/testing/database/failing-pool';
import { openReturnScene, type ReturnScene } from '@/testing/cold-storage/return-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startColdEvm, startColdSolana, startColdTron, type ColdChain } from '@/testing/cold-storage/cold-chains';

const HELD = 1000_00n;

describe.each([
  ['ethereum', () => startColdEvm()],
  ['bsc', () => startColdEvm('bsc')],
  ['tron', startColdTron],
  ['solana', startColdSolana],
] as const)('%s', (_, start) => {
  let chain: ColdChain;
  let db: TestDatabase;
  let scene: ReturnScene;
  let nonce: string | null;
  let before: bigint;
  beforeAll(async () => void (chain = await start()), 60_000);
  afterAll(() => chain.stop());
  beforeEach(async () => {
    db = await openTestDatabase();
    const cold = await chain.coldWallet(HELD);
    nonce = await chain.nonceAccount(cold.address);
    scene = await openReturnScene({ db, ...chain, cold });
    await scene.hasCold(600_00n);
    before = await chain.held(scene.refund);
  });
  afterEach(async () => {
    armCrashPoint(undefined);
    await db.close();
  });

  const mining = { pause: () => chain.mine() };
  const came = async () => (await chain.held(scene.refund)) - before;

  it('comes back once: requested, signed offline, sent and booked as money of the cold wallet', async () => {
    expect(await scene.request('250.5', 'request', nonce)).toMatchObject({ code: 0 });
    const shown = await scene.offline(['show', 'request', '--to', scene.refund]);
    expect(shown).toMatchObject({ code: 0, text: expect.stringContaining('Total       250.5 USDT') });
    expect(await scene.sign('request')).toMatchObject({ code: 0 });
    expect(await scene.online(['send', 'request.signed'], mining)).toMatchObject({ code: 0 });
    expect(await came()).toBe(250_50n);
    expect(await chain.held(scene.cold.address)).toBe(HELD - 250_50n);
    expect(await scene.rows()).toMatchObject([{ outcome: 'landed', sender: scene.cold.address }]);
    expect(await scene.books()).toEqual({ cold: 600_00n - 250_50n, operator: 0n, wallet: -600_00n + 250_50n });
    expect(await scene.broken()).toEqual([]);
    // The same file again changes nothing.
    expect(await scene.online(['send', 'request.signed'], mining)).toMatchObject({ code: 0 });
    expect([await came(), await scene.books()]).toMatchObject([250_50n, { cold: 600_00n - 250_50n }]);
  }, 60_000);

  const signed = async (amount = '250.5', name = 'request') => {
    expect(await scene.request(amount, name, nonce)).toMatchObject({ code: 0 });
    expect(await scene.sign(name)).toMatchObject({ code: 0 });
  };
  /** The worker, until nothing is open. */
  const untilEnded = async () => {
    for (let turn = 0; turn < 20 && (await scene.follow()).length > 0; turn++) await chain.mine();
  };

  it.each(RETURN_CRASH_POINTS)(
    'a command that ends at %s is finished by the worker, and moves the money once',
    async (point) => {
      await signed();
      const { pool, die } = mortalPool(scene.db.pool);
      let crashes = 0;
      armCrashPoint(point, () => {
        crashes++;
        die();
        throw new Error('the process ended here');
      });
      await expect(scene.online(['send', 'request.signed'], { ...mining, pool })).rejects.toThrow(
        'the process ended here',
      );
      armCrashPoint(undefined);
      expect([crashes, (await scene.rows()).map(({ outcome }) => outcome)]).toEqual([1, [null]]);
      await untilEnded();
      expect(await came()).toBe(250_50n);
      expect(await scene.rows()).toMatchObject([{ outcome: 'landed' }]);
      expect(await scene.online(['send', 'request.signed'])).toMatchObject({ code: 0 });
      expect([await came(), await scene.books()]).toMatchObject([250_50n, { cold: 600_00n - 250_50n, operator: 0n }]);
      expect(await scene.broken()).toEqual([]);
    },
    60_000,
  );

  it('two commands and two workers at once send it once', async () => {
    await signed();
    const both = await Promise.all([
      scene.online(['send', 'request.signed', '--no-wait']),
      scene.online(['send', 'request.signed', '--no-wait']),
    ]);
    expect(both.map(({ code }) => code)).toEqual([3, 3]);
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all([scene.follow(), scene.follow()]);
      await chain.mine();
    }
    await untilEnded();
    expect([await came(), await scene.books()]).toMatchObject([250_50n, { cold: 600_00n - 250_50n, operator: 0n }]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('what the cold wallet sends beyond what it got from the refund wallet is the operator’s own money', async () => {
    await signed('700');
    expect(await scene.online(['send', 'request.signed'], mining)).toMatchObject({ code: 0 });
    expect([await came(), await scene.books()]).toEqual([700_00n, { cold: 0n, operator: -100_00n, wallet: 100_00n }]);
    expect(await scene.broken()).toEqual([]);
  }, 60_000);

  it('a newer request takes the place of one that was not sent, and its signatures are refused', async () => {
    await signed('100', 'older');
    await signed('200', 'newer');
    expect(await scene.online(['send', 'older.signed'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('superseded'),
    });
    expect(await scene.online(['send', 'newer.signed'], mining)).toMatchObject({ code: 0 });
    expect(await came()).toBe(200_00n);
  }, 60_000);

  it('while a signed one is on its way no other one is requested', async () => {
    await signed('100', 'first');
    await scene.online(['send', 'first.signed', '--no-wait']);
    expect(await scene.request('100', 'second', nonce)).toMatchObject({
      code: 3,
      text: expect.stringContaining('not final yet'),
    });
    await untilEnded();
    await chain.mine();
    expect(await scene.request('100', 'third', nonce)).toMatchObject({ code: 0 });
  }, 60_000);

  it('the same bytes that were broadcast by hand are not stored, so that the money is not booked twice', async () => {
    await signed();
    const [row] = await scene.rows();
    const spec = scene.chain.spec;
    const [signature] = JSON.parse(scene.files.get('request.signed')!).signatures;
    const item = { intent: row!.id, unsigned: row!.unsigned, from: row!.sender };
    const { completion } = plainAccount(spec, item.from);
    if (completion.kind !== 'signatures') throw new Error('a plain account needs its signature only');
    const signatures = new Map([[item.from, Buffer.from(signature, 'hex')]]);
    await scene.chain.sender.broadcast(completion.finish(item, signatures).bytes);
    await chain.mine();
    await chain.mine();
    expect(await scene.online(['send', 'request.signed'])).toMatchObject({
      code: 3,
      text: expect.stringContaining('Nothing was sent'),
    });
    expect(await came()).toBe(250_50n);
    expect(await scene.rows()).toMatchObject([{ signedAt: null, outcome: null }]);
    expect(await scene.books()).toMatchObject({ cold: 600_00n });
  }, 60_000);

  it('is refused where the chain would refuse it now: too little money', async () => {
    expect(await scene.request('1000.01', 'request', nonce)).toMatchObject({
      code: 3,
      text: expect.stringContaining('the cold wallet holds too little USDT'),
    });
    expect([await scene.rows(), scene.files.has('request')]).toEqual([[], false]);
  });
});
