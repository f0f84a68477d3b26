// Money that comes back from the cold wallet, in one step: the operator requests it, signs it offline and sends it, with a trouble on the
// way; two requests compete; the operator gives a return up; a database is restored.

import { backUp, restore } from '@/simulation/faults/restore-faults';
import { readSnapshot } from '@/simulation/snapshot';
import { words, type Action, type Done, type Scene } from './action';
import { compareWallet, fillSomehow, ready, requestTransfer, work, type At } from './cold-orders';
import { NO_ORDER } from './orders';
import { followReturns, request, returnable, sendSigned, sign } from './returns';
import { givenUpAtAnyStage, RETURN_TROUBLES } from './return-troubles';
import { follow, type Returning } from './returning';

const NOTHING = 'the cold wallet has nothing to return';

/** Some of what the cold wallet has, in one or two transfers. Empty: it has nothing. */
function drawAmounts({ scene: { random }, order }: At): readonly bigint[] {
  const held = returnable(order.means);
  if (held === 0n) return [];
  const most = held < 100_000n ? held : 100_000n;
  const amount = BigInt(random.int(1, Number(most)));
  return amount > 1n && random.chance(25) ? [amount / 2n, amount - amount / 2n] : [random.chance(10) ? held : amount];
}

/** The operator requests a return; null with what was said if there is no file to sign. */
async function begin(at: At): Promise<{ readonly back: Returning | null; readonly says: string }> {
  const amounts = drawAmounts(at);
  if (amounts.length === 0) return { back: null, says: NOTHING };
  const { file, says } = await request(at.scene, at.order.means, amounts);
  return { back: file === null ? null : { at, file }, says };
}

/** An order whose excess has gone to the cold wallet. A string: there is none. */
async function withCold(scene: Scene): Promise<At | string | null> {
  if (scene.world.harness.signer.settings.cold === null) return null;
  const at = await ready(scene);
  if (!at) return NO_ORDER;
  if (returnable(at.order.means) > 0n) return at;
  // What the wallet had at first is below its mark.
  const filled = await fillSomehow(at);
  await requestTransfer(scene);
  await work(at, 3);
  return returnable(at.order.means) > 0n ? at : [filled, NOTHING].filter((one) => one !== '').join('; ');
}

/** The worker and the operator go on for a while. */
async function settle(at: At): Promise<void> {
  const { random } = at.scene;
  await follow({ at }, { rounds: random.int(0, 2) });
  if (random.chance(50)) await compareWallet(at.scene, at.order.means, random.int(1, 3));
  if (random.chance(50)) await requestTransfer(at.scene);
  await work(at, random.int(0, 1));
}

async function inTrouble(scene: Scene): Promise<string | null> {
  const at = await withCold(scene);
  if (at === null || typeof at === 'string') return at;
  const { back, says } = await begin(at);
  if (!back) return says;
  const reports = [says, await sign(scene.world, back.file)];
  const trouble = scene.random.pick(RETURN_TROUBLES.filter(({ isFit }) => isFit?.(back) ?? true));
  reports.push(await trouble.act(back));
  await settle(at);
  return reports.join('; ');
}

/** Two requests: the newer one takes the place of the older one until one is signed. Both files may be signed and sent, in any order. */
async function competing(scene: Scene): Promise<string | null> {
  const at = await withCold(scene);
  if (at === null || typeof at === 'string') return at;
  const { world, random } = scene;
  const reports: string[] = [];
  const files: string[] = [];
  const ask = async (): Promise<void> => {
    const { back, says } = await begin(at);
    reports.push(says);
    if (back) files.push(back.file);
  };
  const send = async (): Promise<void> => {
    if (files.length > 0) reports.push(await sendSigned(world, random.pick(files)));
  };
  const signAll = async (): Promise<void> => {
    for (const file of files) reports.push(await sign(world, file));
  };
  const move = (): Promise<void> => follow({ at }, { rounds: 1, blocks: random.pick([0, 1, 6]) });
  for (const act of random.pick([
    [ask, ask, signAll, send, send, move, send],
    [ask, signAll, ask, signAll, send, move, ask, signAll, send],
    [ask, signAll, send, ask, signAll, send, move, send],
    [ask, signAll, send, move, move, ask, signAll, send, send],
  ]))
    await act();
  await settle(at);
  return reports.join('; ');
}

async function givenUp(scene: Scene): Promise<string | null> {
  const at = await withCold(scene);
  if (at === null || typeof at === 'string') return at;
  const { back, says } = await begin(at);
  if (!back) return says;
  const reports = [says, await sign(scene.world, back.file), await givenUpAtAnyStage(back)];
  await settle(at);
  return reports.join('; ');
}

/** The restored database has forgotten the request, its signatures, or its end. */
async function acrossRestore(scene: Scene): Promise<Done | null> {
  const { world, random } = scene;
  if (world.harness.pool.server() !== 'well') return null;
  const at = await withCold(scene);
  if (at === null || typeof at === 'string') return at;
  const reports: string[] = [];
  const backedUpAt = random.int(0, 3);
  const keep = async (stage: number): Promise<void> => {
    if (stage === backedUpAt) reports.push(await backUp(scene));
  };
  await keep(0);
  const { back, says } = await begin(at);
  reports.push(says);
  await keep(1);
  if (back) reports.push(await sign(world, back.file), await sendSigned(world, back.file));
  await keep(2);
  await follow({ at }, { rounds: random.int(0, 2), blocks: random.pick([0, 1, 6]) });
  await keep(3);
  if (random.chance(40)) await follow({ at }, { rounds: 2 });
  if (random.chance(20)) reports.push(`${at.order.means.chain.dropWaiting()} waiting transactions vanish`);
  const now = await readSnapshot(world.harness.database.pool);
  const goOnAtOnce = async (): Promise<string> => {
    await followReturns(world);
    return back ? sendSigned(world, back.file) : 'nothing is sent';
  };
  const isFailover = random.chance(50);
  reports.push(words(await restore({ ...scene, now }, isFailover ? { keepsProcesses: true, atOnce: goOnAtOnce } : {})));
  if (back && random.chance(60)) reports.push(await sendSigned(world, back.file));
  if (random.chance(50)) {
    const again = await begin(at);
    reports.push(again.says);
    if (again.back) reports.push(await sign(world, again.back.file), await sendSigned(world, again.back.file));
  }
  await settle(at);
  return { says: reports.join('; '), isRestored: true };
}

export const RETURN_WAYS: readonly Action[] = [
  { name: 'a return from the cold wallet in trouble', weight: 12, act: inTrouble },
  { name: 'two returns from the cold wallet at once', weight: 5, act: competing },
  { name: 'a return from the cold wallet is given up', weight: 4, act: givenUp },
];

export const RETURN_JOURNEYS: readonly Action[] = [
  ...RETURN_WAYS,
  { name: 'a restored database has forgotten a return from the cold wallet', weight: 5, act: acrossRestore },
];
