// Screening and the sweeps on TRON. An address of a key sends what was screened, and no money that has arrived since. A forwarder, whose
// call moves everything, waits until all of it is screened.

import { expect, it } from 'vitest';
import { runScreening } from '@/lib/screening/step';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { SEEDLESS, TRON_PRICE, useTronSweeps } from '@/testing/sweeps/use-tron-sweeps';

const { open } = useTronSweeps();
const LISTED = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

it('money that arrives after the screening stays until it is final and screened', async () => {
  const scene = await open({ settings: { SCREENING_LIST_KEY: LIST_KEY, TEST_CHAINS: 'local' } });
  await loadList(scene.db.pool, [LISTED], { asOf: scene.context.clock.now().toISOString() });
  const screen = () => runScreening(scene.context, { spec: scene.spec, oracle: null });
  const [{ address } = { address: '' }] = await scene.paid(1);
  await screen();
  await scene.giveCoin(address, 100_000_000n);
  await scene.node.pay({ currency: 'USDT', recipient: address, cents: 12_34n, scenario: 'exact' });
  await scene.node.mine(1);
  expect(await scene.held(address)).toBe(2n * TRON_PRICE);
  await scene.sweep();
  await scene.rounds(2);
  expect(await scene.held(address)).toBe(TRON_PRICE);
  expect(await scene.held(scene.treasury)).toBe(TRON_PRICE);
  await screen();
  await scene.rounds(3);
  expect(await scene.held(address)).toBe(0n);
  expect(await scene.treasuryInLedger()).toBe(2n * TRON_PRICE);
});

it('a forwarder that holds more than what was screened waits until all of it is', async () => {
  const settings = { SCREENING_LIST_KEY: LIST_KEY, TEST_CHAINS: 'local' };
  const scene = await open({ ...SEEDLESS, settings });
  await loadList(scene.db.pool, [LISTED], { asOf: scene.context.clock.now().toISOString() });
  const screen = () => runScreening(scene.context, { spec: scene.spec, oracle: null });
  const [first, second] = await scene.paid(2);
  await screen();
  await scene.node.pay({ currency: 'USDT', recipient: first!.address, cents: 12_34n, scenario: 'exact' });
  await scene.node.mine(1);
  await scene.sweep();
  await scene.rounds(2);
  expect(await scene.held(first!.address)).toBe(2n * TRON_PRICE);
  expect(await scene.held(second!.address)).toBe(0n);
  await screen();
  scene.later(61);
  await scene.rounds(3);
  expect(await scene.held(first!.address)).toBe(0n);
  expect(await scene.treasuryInLedger()).toBe(3n * TRON_PRICE);
});
