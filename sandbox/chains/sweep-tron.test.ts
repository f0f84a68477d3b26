// Sweeps on the local TRON chain: the worker's step and the real signer move final money of closed sessions to the treasury, with energy
// of the sponsor's stake or burned coin, and the ledger has it from the chain.

import { describe, expect, it } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import type { Context } from '@/lib/platform/context';
import { TRX } from '@/testing/sweeps/tron-scene';
import { SEEDLESS, STAKE, TRON_PRICE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open, chain, kindsOf, lentBy, expectSweptOnce } = useTronSweeps();

/** Sun that the ledger has in an account of coin. */
async function coinOf({ pool }: Pick<Context, 'pool'>, wallet: string): Promise<bigint> {
  const { rows } = await pool.query<{ amount: string }>(
    `SELECT amount::text AS amount FROM ledger_balances WHERE account = 'fee_coin:' || $1 AND currency = 'TRX'`,
    [wallet],
  );
  return BigInt(rows[0]?.amount ?? 0);
}

describe('with a stake', () => {
  it('lends energy to each address, which sends its money, takes the energy back, and burns no coin for energy', async () => {
    const scene = await open({ stake: STAKE });
    const sessions = await scene.paid(4);
    await scene.rounds(9);
    await expectSweptOnce(scene, sessions);
    const kinds = await kindsOf(scene);
    for (const kind of ['activate', 'delegate', 'transfer', 'undelegate'])
      expect(kinds.filter((one) => one === `${kind} final`)).toHaveLength(4);
    expect(kinds).toHaveLength(16);
    const transfers = (await scene.sweeps()).filter(({ kind }) => kind === 'transfer');
    expect(transfers.map(({ fee }) => fee)).toEqual(['0', '0', '0', '0']);
    expect(await scene.hold()).toBe(null);
    expect(await scene.energy()).toBeGreaterThan(0n);
    // 1.1 TRX for each account, and bandwidth.
    const spent = 1000n * TRX - scene.account(scene.sponsor).balance;
    expect(spent).toBeLessThan(4n * 1_700_000n);
    await coinStep(scene.context);
    expect(await coinOf(scene.context, scene.sponsor)).toBe(-spent);
  });

  it('burns coin for the addresses for which the stake lasts no longer that day', async () => {
    const scene = await open({ stake: 22_000n * TRX });
    const sessions = await scene.paid(4);
    await scene.rounds(12);
    await expectSweptOnce(scene, sessions);
    const kinds = await kindsOf(scene);
    expect(kinds.filter((one) => one === 'delegate final')).toHaveLength(2);
    expect(kinds.filter((one) => one === 'top_up final')).toHaveLength(2);
  });

  it('waits for energy of the next day if the money is not worth burning coin', async () => {
    const scene = await open({
      stake: 15_000n * TRX,
      changes: { burnFrom: 20_000n },
      rules: { deadline: 30 * 86_400_000 },
    });
    const sessions = await scene.paid(3);
    await scene.rounds(10);
    expect((await kindsOf(scene)).filter((one) => one === 'transfer final')).toHaveLength(1);
    expect(await scene.hold()).toBe('no_energy');
    for (let hours = 0; hours < 96; hours += 12) {
      scene.later(12 * 3600);
      await scene.rounds(3);
    }
    await expectSweptOnce(scene, sessions);
    expect((await kindsOf(scene)).filter((one) => one.startsWith('top_up'))).toEqual([]);
  });

  it('takes energy back from an address that its token refuses to move', async () => {
    const scene = await open({ stake: STAKE });
    const [first, ...others] = await scene.paid(3);
    await scene.rounds(4);
    const blocked = others[0]!;
    // The energy is at the address already.
    while (scene.account(blocked.address).stakes.ENERGY.borrowed === 0n) await scene.round();
    await scene.issue('addBlackList', blocked.address);
    await scene.rounds(6);
    for (const { address } of [first!, others[1]!]) expect(await scene.held(address)).toBe(0n);
    expect(await scene.held(blocked.address)).toBe(TRON_PRICE);
    expect(lentBy(scene)).toBe(0n);
    const { rows } = await scene.db.pool.query('SELECT skip_reason FROM deposit_balances');
    expect(rows).toEqual([{ skip_reason: 'refused' }]);
  });

  it('leaves energy alone that the sponsor lends to a stranger', async () => {
    const scene = await open({ stake: STAKE });
    const stranger = await scene.lendTo(50n * TRX);
    const sessions = await scene.paid(1);
    await scene.rounds(6);
    expect(await scene.held(sessions[0]!.address)).toBe(0n);
    expect(lentBy(scene)).toBe(50n * TRX);
    expect(scene.account(stranger).stakes.ENERGY.borrowed).toBe(50n * TRX);
  });
});

describe('without a stake', () => {
  it('sends each address exactly the coin that its transfer burns, and leaves none behind', async () => {
    const scene = await open();
    const sessions = await scene.paid(4);
    await scene.rounds(6);
    await expectSweptOnce(scene, sessions);
    expect((await kindsOf(scene)).toSorted()).toEqual([
      ...Array(4).fill('top_up final'),
      ...Array(4).fill('transfer final'),
    ]);
    // In the ledger too: what the sponsor sent to the addresses, they have burned to the sun.
    await coinStep(scene.context);
    expect(await coinOf(scene.context, 'deposits')).toBe(0n);
    expect(await coinOf(scene.context, scene.sponsor)).toBe(scene.account(scene.sponsor).balance - 1000n * TRX);
  });

  it('sends the rest if the price of energy doubles before the transfer', async () => {
    const scene = await open();
    const sessions = await scene.paid(2);
    await scene.rounds(1);
    await scene.setEnergyPrice(200n);
    await scene.rounds(8);
    await expectSweptOnce(scene, sessions);
    expect((await kindsOf(scene)).filter((one) => one === 'top_up final')).toHaveLength(3);
  });

  it('tries a transfer again later that failed because the price of energy doubled under it', async () => {
    const scene = await open();
    const sessions = await scene.paid(1);
    await scene.rounds(1);
    // The transfer is signed and sent, but in no block.
    await scene.sweep();
    await scene.setEnergyPrice(200n);
    await scene.makeFinal();
    await scene.rounds(2);
    expect(await kindsOf(scene)).toEqual(['top_up final', 'transfer reverted']);
    expect(await scene.held(sessions[0]!.address)).toBe(TRON_PRICE);
    scene.later(3601);
    await scene.rounds(4);
    await expectSweptOnce(scene, sessions);
  });

  it('waits for the budget of the next hour, and stores no sweep that the signer refuses', async () => {
    const scene = await open({ feesPerHour: 20n * TRX });
    const sessions = await scene.paid(1);
    await scene.rounds(5);
    expect(await scene.hold()).toBe('budget');
    expect(await kindsOf(scene)).toEqual(['top_up final']);
    expect(await scene.held(sessions[0]!.address)).toBe(TRON_PRICE);
    scene.later(3601);
    await scene.rounds(3);
    await expectSweptOnce(scene, sessions);
  });

  it('sweeps USDC too, and coin that somebody sent to the address pays for it', async () => {
    const scene = await open();
    const [session] = await scene.paid(1, { currency: 'USDC' });
    await scene.giveCoin(session!.address, 40n * TRX);
    await scene.rounds(3);
    expect(await scene.held(session!.address, 'USDC')).toBe(0n);
    expect(await scene.held(scene.treasury, 'USDC')).toBe(TRON_PRICE);
    expect(await kindsOf(scene)).toEqual(['transfer final']);
    expect(chain().chain.state.energyPrice).toBe(100n);
  });
});

describe.each([
  { name: 'addresses of keys', given: {} },
  { name: 'forwarders, by a signer without a seed', given: { ...SEEDLESS, stake: 0n } },
])('$name', ({ given }) => {
  it('wait while the sponsor has too little coin, and move when it has enough', async () => {
    const scene = await open({ ...given, coin: TRX });
    const sessions = await scene.paid(2);
    await scene.rounds(2);
    expect(await scene.hold()).toBe('sponsor_low');
    expect(await kindsOf(scene)).toEqual([]);
    await scene.setCoin(1000n * TRX);
    await scene.rounds(7);
    await expectSweptOnce(scene, sessions);
    expect(await scene.hold()).toBe(null);
  });

  it('do not move above the fee cap of the network', async () => {
    const scene = await open(given);
    const sessions = await scene.paid(1);
    await scene.setEnergyPrice(1000n);
    await scene.rounds(2);
    expect(await scene.hold()).toBe('fee_too_high');
    expect(await kindsOf(scene)).toEqual([]);
    await scene.setEnergyPrice(100n);
    await scene.rounds(4);
    await expectSweptOnce(scene, sessions);
  });

  it('are swept of USDC too', async () => {
    const scene = await open(given);
    const sessions = await scene.paid(2, { currency: 'USDC' });
    await scene.rounds(6);
    await expectSweptOnce(scene, sessions, 'USDC');
  });
});

describe('addresses of keys, by a signer that has no seed of them', () => {
  it.each([
    { kind: 'energy', stake: STAKE },
    { kind: 'coin', stake: 0n },
  ])('wait and are named, get no $kind, and hold back no forwarder', async (given) => {
    const scene = await open({ ...SEEDLESS, stake: given.stake });
    const keys = await scene.paid(2, { from: null });
    const forwarders = await scene.paid(2);
    // What a signer takes for the address of an index is one of its own.
    const mistaken = keys.map(({ index }) => scene.account(scene.signerAddress(index)));
    await scene.rounds(8);
    for (const { address } of forwarders) expect(await scene.held(address)).toBe(0n);
    for (const { address } of keys) expect(await scene.held(address)).toBe(TRON_PRICE);
    expect(await scene.held(scene.treasury)).toBe(2n * TRON_PRICE);
    expect(await kindsOf(scene)).toEqual(['flush final']);
    expect(keys.map(({ index }) => scene.account(scene.signerAddress(index)))).toEqual(mistaken);
    const { rows } = await scene.db.pool.query(
      'SELECT address, skip_reason FROM deposit_balances WHERE amount > 0 ORDER BY address',
    );
    expect(rows).toEqual(
      keys
        .map(({ address }) => ({ address, skip_reason: 'not_authorized' }))
        .toSorted((one, other) => (one.address < other.address ? -1 : 1)),
    );
    // The next day too.
    scene.later(86_401);
    await scene.rounds(4);
    expect(await kindsOf(scene)).toEqual(['flush final']);
  });

  it('keep energy that their own signer lent before, and hold back no forwarder', async () => {
    const scene = await open({ ...SEEDLESS, stake: STAKE });
    const [key] = await scene.paid(1, { from: null });
    await scene.lendTo(50n * TRX, key!.address);
    const forwarders = await scene.paid(2);
    await scene.rounds(3);
    for (const { address } of forwarders) expect(await scene.held(address)).toBe(0n);
    expect(lentBy(scene)).toBe(50n * TRX);
    expect(await kindsOf(scene)).toEqual(['flush final']);
  });
});
