// Sweeps on the local TRON chain that are interrupted: a worker that ends anywhere, two workers at once, transactions that never reach
// a block, and blocks that are taken back.

import { describe, expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { SWEEP_CRASH_POINTS } from '@/lib/platform/crash-point';
import { SEEDLESS, STAKE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open, chain, kindsOf, expectSweptOnce } = useTronSweeps();
/** `each`: the transactions of one address, or of all where one call moves them; `fewest`: those of one address that can be lost. */
const MODES = [
  { mode: 'a stake', given: { stake: STAKE }, each: ['activate', 'delegate', 'transfer', 'undelegate'], fewest: 3 },
  { mode: 'burned coin', given: {}, each: ['top_up', 'transfer'], fewest: 2 },
  { mode: 'forwarders and no seed', given: SEEDLESS, each: ['flush'], fewest: 1 },
];

it('an address about which the nodes do not answer does not hold back the others', async () => {
  const scene = await open({ stake: 0n });
  const sessions = await scene.paid(3);
  const [unread] = sessions;
  const { deposit } = scene.tron.chain;
  const failing: typeof deposit = (address, contract) =>
    address === unread!.address
      ? Promise.reject(new ChainError('unavailable', 'no answer'))
      : deposit(address, contract);
  Object.assign(scene.tron.chain, { deposit: failing });
  await scene.rounds(10);
  for (const { address } of sessions.slice(1)) expect(await scene.held(address)).toBe(0n);
  expect(await scene.held(unread!.address)).toBeGreaterThan(0n);
  Object.assign(scene.tron.chain, { deposit });
  scene.later(61);
  await scene.rounds(4);
  await expectSweptOnce(scene, sessions);
});

describe.each(MODES)('with $mode', ({ given, each, fewest }) => {
  it.each(SWEEP_CRASH_POINTS)('every address is swept once when each run first ends at %s', async (point) => {
    const scene = await open(given);
    const sessions = await scene.paid(2);
    let crashes = 0;
    for (let round = 0; round < 10; round++) {
      crashes += await scene.crashAt(point);
      await scene.round();
    }
    await scene.rounds(4);
    expect(crashes).toBeGreaterThanOrEqual(fewest);
    await expectSweptOnce(scene, sessions);
  });

  it('two workers at once sweep every address once', async () => {
    const scene = await open(given);
    const sessions = await scene.paid(3);
    for (let round = 0; round < 10; round++) {
      await Promise.all([scene.sweep(), scene.sweep()]);
      await scene.makeFinal();
    }
    await expectSweptOnce(scene, sessions);
    const one = each.map((kind) => `${kind} final`);
    expect((await kindsOf(scene)).toSorted()).toEqual((given === SEEDLESS ? one : [one, one, one].flat()).toSorted());
  });

  it('a transaction that expires outside a block lapses, and its address is swept by another one', async () => {
    const scene = await open(given);
    const sessions = await scene.paid(1);
    for (let round = 0; round < 5; round++) {
      // The node takes the transaction and loses it.
      await scene.sweep({ sender: { broadcast: async () => 'accepted' } });
      scene.later(420);
      await scene.makeFinal();
      await scene.round();
    }
    await scene.rounds(3);
    const kinds = await kindsOf(scene);
    expect(kinds.filter((one) => one.endsWith('lapsed')).length).toBeGreaterThanOrEqual(fewest);
    await expectSweptOnce(scene, sessions);
  });

  it('blocks that are taken back lose no address', async () => {
    const scene = await open(given);
    const sessions = await scene.paid(2);
    for (let round = 0; round < 12; round++) {
      await scene.sweep();
      await chain().mine(2);
      if (round % 2 === 0) await chain().reorganise(2);
      await scene.sweep();
      await scene.makeFinal();
    }
    await expectSweptOnce(scene, sessions);
  });
});
