// Sweeps of forwarders on the local TRON chain: the worker's step and the real signer move final money of closed sessions to the treasury
// by calls of the contract, and the ledger has it from the chain. The signer has no seed of the deposit addresses.

import { describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { TRX, type TronScene } from '@/testing/sweeps/tron-scene';
import { SEEDLESS, TRON_PRICE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open, chain, kindsOf, expectSweptOnce } = useTronSweeps();
/** Sun, enough for a hundred new addresses a day. */
const STAKE = 1_300_000n * TRX;
const openScene = (given: Parameters<typeof open>[0] = {}) => open({ ...SEEDLESS, stake: STAKE, ...given });
const reasons = async (scene: TronScene) =>
  (await scene.db.pool.query('SELECT address, skip_reason FROM deposit_balances WHERE amount > 0')).rows;
const sizesOf = async (scene: TronScene) =>
  (await scene.sweeps()).map(({ request }) => (request as { salts: string[] }).salts.length);

it('a hundred deposits reach the treasury by ten transactions or fewer, and burn no coin for energy', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(100);
  await scene.rounds(8);
  await expectSweptOnce(scene, sessions);
  const sweeps = await scene.sweeps();
  expect(sweeps.length).toBeLessThanOrEqual(10);
  expect(new Set(sweeps.map(({ kind, status }) => `${kind} ${status}`))).toEqual(new Set(['flush final']));
  // Bandwidth alone: less than a tenth of a TRX for each deposit.
  expect(1000n * TRX - scene.account(scene.sponsor).balance).toBeLessThan(TRX * 10n);
}, 60_000);

it('a payment to an address that was flushed before is swept too', async () => {
  const scene = await openScene();
  const [session] = await scene.paid(1);
  await scene.rounds(2);
  expect(await scene.held(session!.address)).toBe(0n);
  await scene.node.pay({ currency: 'USDT', recipient: session!.address, cents: 5_00n, scenario: 'exact' });
  await scene.makeFinal();
  await scene.rounds(2);
  expect(await scene.held(session!.address)).toBe(0n);
  expect(await scene.treasuryInLedger()).toBe(TRON_PRICE + 5_000_000n);
  expect(await kindsOf(scene)).toEqual(['flush final', 'flush final']);
});

it('a payment that arrives after the address was read is moved with the others, and booked', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(2);
  await scene.sweep();
  await scene.node.pay({ currency: 'USDT', recipient: sessions[0]!.address, cents: 3_00n, scenario: 'exact' });
  await scene.makeFinal();
  await scene.rounds(2);
  // The block of the payment had the call too, before or after it: what is left is swept by the next one.
  const total = 2n * TRON_PRICE + 3_000_000n;
  await scene.rounds(2);
  expect(await scene.held(scene.treasury)).toBe(total);
  expect(await scene.treasuryInLedger()).toBe(total);
});

it('one of twenty that the issuer blocked stays and is tried again later, and the others move at once', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(20);
  const blocked = sessions[11]!;
  await scene.issue('addBlackList', blocked.address);
  await scene.rounds(2);
  for (const { address } of sessions)
    expect(await scene.held(address)).toBe(address === blocked.address ? TRON_PRICE : 0n);
  expect(await reasons(scene)).toEqual([{ address: blocked.address, skip_reason: 'refused' }]);
  expect(await kindsOf(scene)).toEqual(['flush final']);
});

it('one that is blocked between its simulation and the block stays, and the others move', async () => {
  const scene = await openScene();
  const sessions = await scene.paid(5);
  await scene.sweep();
  await scene.issue('addBlackList', sessions[2]!.address);
  await scene.makeFinal();
  await scene.round();
  for (const [at, { address }] of sessions.entries())
    expect(await scene.held(address)).toBe(at === 2 ? TRON_PRICE : 0n);
  expect(await reasons(scene)).toEqual([{ address: sessions[2]!.address, skip_reason: 'refused' }]);
});

it('addresses of keys and forwarders are swept side by side by a signer that has the keys', async () => {
  const scene = await openScene({ offlineSeed: undefined });
  const keys = await scene.paid(2, { from: null });
  const forwarders = await scene.paid(3);
  await scene.rounds(8);
  await expectSweptOnce(scene, [...keys, ...forwarders]);
  const kinds = await kindsOf(scene);
  expect(kinds.filter((one) => one === 'flush final')).toHaveLength(1);
  expect(kinds.filter((one) => one === 'transfer final')).toHaveLength(2);
});

describe('a call that is refused as a whole', () => {
  type FlushEnergy = TronScene['tron']['chain']['flushEnergy'];
  /** What the scene reads of calls that `isRefused`. Returns how that ends. */
  function refuse(scene: TronScene, by: 'nodes' | 'contract', isRefused: (salts: readonly string[]) => boolean) {
    const { flushEnergy } = scene.tron.chain;
    const refusing: FlushEnergy = async (call) => {
      if (!isRefused(call.salts)) return flushEnergy(call);
      if (by === 'contract') return null;
      throw new ChainError('too_large', 'a node refuses to simulate a call');
    };
    Object.assign(scene.tron.chain, { flushEnergy: refusing });
    return () => void Object.assign(scene.tron.chain, { flushEnergy });
  }

  it.each(['nodes', 'contract'] as const)('by the %s, because it is too long, goes in smaller parts', async (by) => {
    const scene = await openScene();
    const sessions = await scene.paid(7);
    refuse(scene, by, (salts) => salts.length > 2);
    await scene.rounds(6);
    await expectSweptOnce(scene, sessions);
    expect(await sizesOf(scene)).toEqual([2, 2, 2, 1]);
  });

  it('because of one address holds back that one alone', async () => {
    const scene = await openScene();
    const sessions = await scene.paid(4);
    const [first] = sessions;
    const end = refuse(scene, 'nodes', (salts) => salts.includes(first!.evm));
    await scene.rounds(4);
    for (const { address } of sessions)
      expect(await scene.held(address)).toBe(address === first!.address ? TRON_PRICE : 0n);
    expect(await reasons(scene)).toEqual([{ address: first!.address, skip_reason: null }]);
    end();
    scene.later(601);
    await scene.makeFinal();
    await scene.rounds(2);
    await expectSweptOnce(scene, sessions);
  });
});

describe('energy', () => {
  it('of a stake that is too small today moves as many as it is enough for, and the others wait', async () => {
    const scene = await openScene({
      stake: 60_000n * TRX,
      changes: { burnFrom: 20_000n },
      rules: { deadline: 30 * 86_400_000 },
    });
    const sessions = await scene.paid(12);
    await scene.rounds(3);
    const left = await Promise.all(sessions.map(({ address }) => scene.held(address)));
    const waiting = left.filter((held) => held > 0n).length;
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(12);
    expect(await scene.hold()).toBe('no_energy');
    for (let hours = 0; hours < 96; hours += 12) {
      scene.later(12 * 3600);
      await scene.rounds(2);
    }
    await expectSweptOnce(scene, sessions);
    const fees = (await scene.sweeps()).map(({ fee }) => BigInt(String(fee ?? 0)));
    expect(fees.filter((fee) => fee > 2n * TRX)).toEqual([]);
  });

  it('without a stake is burned, for no more than the fee limit', async () => {
    const scene = await openScene({ stake: 0n });
    const sessions = await scene.paid(3);
    await scene.rounds(2);
    await expectSweptOnce(scene, sessions);
    const [flush] = await scene.sweeps();
    const { feeLimit } = flush!.terms as { feeLimit: string };
    expect(BigInt(String(flush!.fee))).toBeLessThanOrEqual(BigInt(feeLimit) + TRX);
  });

  it('that runs out in the middle moves nothing; the batch goes again in halves, and everything is swept once', async () => {
    const scene = await openScene({ stake: 0n });
    const sessions = await scene.paid(4);
    await scene.sweep();
    // The call is sent, and its fee limit is too low at the new price.
    await scene.setEnergyPrice(200n);
    await scene.makeFinal();
    await scene.round();
    expect(await kindsOf(scene)).toEqual(['flush reverted']);
    for (const { address } of sessions) expect(await scene.held(address)).toBe(TRON_PRICE);
    scene.later(61);
    await scene.rounds(5);
    await expectSweptOnce(scene, sessions);
    expect(await sizesOf(scene)).toEqual([4, 2, 1, 1]);
  });

  it('a batch that failed often goes in ever smaller parts, and holds back no other address', async () => {
    const scene = await openScene();
    const sessions = await scene.paid(6);
    await scene.db.pool.query('UPDATE deposit_balances SET skips = 3');
    const others = await scene.paid(2);
    await scene.rounds(6);
    await expectSweptOnce(scene, [...sessions, ...others]);
    expect(await sizesOf(scene)).toEqual([2, 2, 1, 1, 2]);
  });

  it('of a single forwarder may rise until the call lands, as that of a batch', async () => {
    const scene = await openScene();
    const sessions = await scene.paid(1);
    const { flushEnergy } = scene.tron.chain;
    let reported = 0n;
    Object.assign(scene.tron.chain, {
      flushEnergy: async (call: Parameters<typeof flushEnergy>[0]) => {
        const tried = await flushEnergy(call);
        // A busy contract takes a fifth more when the call lands.
        return tried && { ...tried, energy: (reported = (tried.energy * 5n) / 6n) };
      },
    });
    await scene.rounds(2);
    await expectSweptOnce(scene, sessions);
    const [flush] = await scene.sweeps();
    const { energyEach } = flush!.request as { energyEach: number };
    expect(BigInt(energyEach)).toBeGreaterThan((reported * 13n) / 10n);
  });

  it('above the budget of the hour moves as many as it is enough for each hour, and plans no call that the signer refuses', async () => {
    const scene = await openScene({ stake: 0n, feesPerHour: 40n * TRX });
    const sessions = await scene.paid(6);
    await scene.rounds(3);
    const [first = 0, ...others] = await sizesOf(scene);
    expect(others).toEqual([]);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(6);
    expect(await scene.hold()).toBe('budget');
    for (let hours = 0; hours < 6; hours++) {
      scene.later(3601);
      await scene.makeFinal();
      await scene.rounds(2);
    }
    await expectSweptOnce(scene, sessions);
    expect(new Set(await kindsOf(scene))).toEqual(new Set(['flush final']));
  });

  it('of one address above the budget of the hour leaves no row behind', async () => {
    const scene = await openScene({ stake: 0n, feesPerHour: 3n * TRX });
    const [session] = await scene.paid(1);
    await scene.rounds(3);
    expect(await kindsOf(scene)).toEqual([]);
    expect(await scene.hold()).toBe('budget');
    expect(await scene.held(session!.address)).toBe(TRON_PRICE);
  });

  it('waits while the sponsor has too little coin, above the fee cap, and for the budget of the next hour', async () => {
    const scene = await openScene({ stake: 0n, coin: TRX, feesPerHour: 40n * TRX });
    const sessions = await scene.paid(1);
    await scene.rounds(2);
    expect(await scene.hold()).toBe('sponsor_low');
    await scene.setCoin(1000n * TRX);
    await scene.setEnergyPrice(1000n);
    await scene.rounds(2);
    expect(await scene.hold()).toBe('fee_too_high');
    await scene.setEnergyPrice(250n);
    await scene.rounds(1);
    expect(await scene.hold()).toBe('budget');
    expect(await scene.held(sessions[0]!.address)).toBe(TRON_PRICE);
    await scene.setEnergyPrice(100n);
    await scene.rounds(3);
    await expectSweptOnce(scene, sessions);
    expect(chain().chain.state.energyPrice).toBe(100n);
  });
});
