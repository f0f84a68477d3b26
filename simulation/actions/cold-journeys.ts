// The loop of money in one step: the refund wallet is filled above its mark, by the operator or by a sweep, and its excess goes to the cold
// wallet, with a trouble on the way; refunds and payouts want the same money; a database is restored; people intervene; money comes back.

import { centOf } from '@/simulation/chain/units';
import { backUp, restore } from '@/simulation/faults/restore-faults';
import { COLD, WALLET } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import { words, type Action, type Done, type Scene } from './action';
import { compareWallet, fillSomehow, gainedBy, ready, requestTransfer, work } from './cold-orders';
import { askForRefund, goOn, NO_ORDER, stepsOn } from './orders';
import { requestOfOrder } from './payout-journeys';
import { takeUp } from './refunding';
import { RETURN_WAYS } from './return-journeys';
import { PAYMENT_TROUBLES } from './troubles';

async function inTrouble(scene: Scene): Promise<string | null> {
  if (scene.world.harness.signer.settings.cold === null) return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const fit = PAYMENT_TROUBLES.filter(({ isFit }) => isFit?.(at.order.means, scene) ?? true);
  const trouble = scene.random.pick(fit);
  const reports = [await fillSomehow(at)];
  await requestTransfer(scene);
  reports.push(await trouble.act({ scene, order: at.order, refundId: '' }));
  await work(at, scene.random.int(0, 2));
  return reports.join('; ');
}

/** The merchant, or the owner, wants the money of an order while its excess is on the way out. */
async function besideOthers(scene: Scene): Promise<string | null> {
  if (scene.world.harness.signer.settings.cold === null) return null;
  const { random } = scene;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const { order } = at;
  const reports = [await fillSomehow(at)];
  const refund = async (): Promise<string> => (await askForRefund(scene, order)).says;
  const want = random.chance(60) ? refund : (): Promise<string> => requestOfOrder(scene, order);
  const ask = async (): Promise<void> => void reports.push(await want());
  const request = async (): Promise<void> => void (await requestTransfer(scene));
  // Without a block, what is signed is on its way when the next one acts.
  const pay = (): Promise<void> =>
    goOn(scene, stepsOn(order.means, 'refunds'), { rounds: 1, seconds: 5, blocks: random.pick([0, 0, 1]) });
  for (const act of random.pick([
    [ask, request, pay],
    [ask, pay, request, pay],
    [ask, pay, pay, request, pay],
    [request, ask, pay, request],
    [request, ask, request, pay],
    [request, pay, ask, request],
  ]))
    await act();
  await takeUp({ scene, order });
  await work(at, random.int(1, 3));
  return reports.join('; ');
}

/** A transfer that the restored database has forgotten, or knows only as it was requested. */
async function acrossRestore(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  if (world.harness.signer.settings.cold === null || world.harness.pool.server() !== 'well') return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const reports = [await fillSomehow(at)];
  const isRequested = random.chance(50);
  if (isRequested) await requestTransfer(scene);
  reports.push(await backUp(scene));
  if (!isRequested) await requestTransfer(scene);
  await work(at, random.int(1, 3));
  const now = await readSnapshot(world.harness.database.pool);
  const goOnAtOnce = async (): Promise<string> => {
    await requestTransfer(scene);
    await work(at, 1);
    return 'the worker goes on at once';
  };
  const isFailover = random.chance(50);
  reports.push(words(await restore({ ...scene, now }, isFailover ? { keepsProcesses: true, atOnce: goOnAtOnce } : {})));
  await compareWallet(scene, at.order.means, random.int(0, 2));
  await requestTransfer(scene);
  await work(at, 2);
  return { says: reports.join('; '), isRestored: true };
}

/** The signer's operator takes the cold wallet out of its settings: what is not signed by then is canceled. */
async function unpinned(scene: Scene): Promise<string | null> {
  const { signer } = scene.world.harness;
  if (signer.settings.cold === null) return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const reports = [await fillSomehow(at)];
  await requestTransfer(scene);
  if (scene.random.chance(40)) await work(at, 1);
  signer.pin(false);
  await requestTransfer(scene);
  await work(at, scene.random.int(0, 1));
  signer.pin(true);
  await requestTransfer(scene);
  await work(at, 2);
  reports.push('the signer’s operator removes the cold wallet for a while');
  return reports.join('; ');
}

/** The operator sends money back from the cold wallet: that is funding, whatever else is on its way. */
async function comesBack(scene: Scene): Promise<string | null> {
  if (scene.world.harness.signer.settings.cold === null) return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  const { chain, currency } = at.order.means;
  const [payer, recipient] = [COLD[chain.spec.family], WALLET[chain.spec.family]];
  const token = chain.spec.tokens[currency]!.contract;
  const had = gainedBy(at.order.means, payer);
  const dollars = BigInt(scene.random.int(1, at.cold.high * 2)) * 100n * centOf(chain, currency);
  const amount = dollars < had ? dollars : had;
  if (amount === 0n) return 'the cold wallet has nothing to send back';
  if (scene.random.chance(50)) await fillSomehow(at).then(() => requestTransfer(scene));
  scene.world.records.returns.sentElsewhere.add(chain.pay({ token, payer, recipient, amount, needsFunds: true }));
  await work(at, 1);
  await compareWallet(scene, at.order.means, 3);
  await requestTransfer(scene);
  await work(at, 2);
  return `the cold wallet sends ${cents(amount / centOf(chain, currency))} ${currency} on ${chain.network} back`;
}

const WAYS: readonly Action[] = [
  { name: 'a cold transfer in trouble', weight: 10, act: inTrouble },
  { name: 'a cold transfer and others want the same money', weight: 10, act: besideOthers },
  { name: 'the signer forgets its cold wallet', weight: 5, act: unpinned },
  { name: 'the cold wallet sends money back', weight: 6, act: comesBack },
];

export const COLD_JOURNEYS: readonly Action[] = [
  ...WAYS,
  { name: 'a restored database has forgotten a cold transfer', weight: 7, act: acrossRestore },
];

/** One of them, or a return, in every history of an installation with a cold wallet. */
export const ANY_COLD: Action = {
  name: 'a cold transfer goes its way',
  weight: 14,
  act: (scene) => scene.random.weighted([...WAYS, ...RETURN_WAYS]).act(scene),
};
