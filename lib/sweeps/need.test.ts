import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { walletLevels } from '@/lib/networks/wallet-levels';
import { openColdScene, type ColdScene } from '@/testing/cold-storage/cold-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { PAYERS } from '@/testing/signer/signer-scene';
import { lackedTokens } from './need';

const [LOW, TARGET] = [100_00n, 300_00n];
const { time, clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: ColdScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  await db.pool.query(`UPDATE payouts SET hold = NULL, hold_message = NULL, held_at = NULL WHERE hold IS NOT NULL`);
  await db.pool.query(`UPDATE refunds SET hold = NULL, hold_message = NULL, held_at = NULL WHERE hold IS NOT NULL`);
  scene = await openColdScene({ db, clock, spec, sender, wallet: `0x${'c0'.repeat(20)}` });
  await scene.holds(TARGET);
});

const lacked = async (of = spec) => [...(await lackedTokens(scene.context, of))];

describe('a refund wallet lacks a token', () => {
  it.each(['refund', 'payout'])('while a %s waits for it, and no longer when it is paid', async (kind) => {
    chain.isEmpty = true;
    const payouts = openPayoutScene(scene.refunds);
    if (kind === 'refund') await scene.refunds.refund({ to: PAYERS.evm });
    else {
      await payouts.session();
      await payouts.address(`0x${'a1'.repeat(20)}`);
      await payouts.request();
    }
    expect(await lacked()).toEqual([]);
    await scene.pass();
    expect(await lacked()).toEqual(['USDT']);
    chain.isEmpty = false;
    chain.outcome = 'landed';
    for (let turn = 0; turn < 5; turn++) await scene.pass();
    expect(await lacked()).toEqual([]);
  });

  it('below its low-water mark, and not at it', async () => {
    await scene.holds(LOW);
    expect(await lacked()).toEqual([]);
    await scene.holds(LOW - 1n);
    expect(await lacked()).toEqual(['USDT']);
  });

  it('not by its mark when the last reading is older than 15 minutes', async () => {
    await scene.holds(LOW - 1n);
    time.now += 901_000;
    expect(await lacked()).toEqual([]);
  });

  it('not while a batch of the token is on its way, or was until a quarter of an hour ago', async () => {
    await scene.holds(LOW - 1n);
    await db.pool.query(
      `INSERT INTO sweeps (environment, network, chain_id, kind, currency, sender, request, terms, created_at)
       SELECT environment, network, id, 'batch', 'USDT', '0x01', '{}', '{}', $1 FROM chains WHERE network = $2 AND retired_at IS NULL`,
      [clock.now(), spec.network],
    );
    expect(await lacked()).toEqual([]);
    time.now += 900_000;
    await scene.holds(LOW - 1n);
    expect(await lacked()).toEqual(['USDT']);
    await db.pool.query('DELETE FROM sweeps');
  });

  it('while the only batch of the token was canceled, because nothing of it is on its way', async () => {
    await scene.holds(LOW - 1n);
    await db.pool.query(
      `INSERT INTO sweeps (environment, network, chain_id, kind, currency, sender, request, terms, status, created_at, ended_at)
       SELECT environment, network, id, 'batch', 'USDT', '0x01', '{}', '{}', 'canceled', $1, $1 FROM chains
       WHERE network = $2 AND retired_at IS NULL`,
      [clock.now(), spec.network],
    );
    expect(await lacked()).toEqual(['USDT']);
    await db.pool.query('DELETE FROM sweeps');
  });

  it('on the network of the hold and of the mark alone', async () => {
    await scene.refunds.refund({ to: PAYERS.evm });
    chain.isEmpty = true;
    await scene.pass();
    await scene.holds(LOW - 1n);
    const [bsc] = walletLevels(['bsc@local/USDT=1:3']);
    expect([await lacked(), await lacked(bsc!.spec)]).toEqual([['USDT'], []]);
    expect(await lacked({ ...spec, environment: 'live', chain: 'mainnet' })).toEqual([]);
  });

  it('not because a cold transfer waits, which takes tokens out of it', async () => {
    await scene.holds(1000_00n);
    await scene.step();
    chain.isEmpty = true;
    await scene.pass();
    await scene.holds(TARGET);
    expect(await scene.transfers()).toMatchObject([{ status: 'processing', hold: 'no_tokens' }]);
    expect(await lacked()).toEqual([]);
  });
});
