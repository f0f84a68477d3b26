// The loop of money in one step: the refund wallet is filled above its mark, by the operator or by a sweep, and its excess goes to the cold
// wallet, with a trouble on the way; refunds and payouts want the same money; a database is restored; people intervene; money comes back.

import { BETWEEN_READINGS } from '@/simulation/cold/end';
import { walletBalance } from '@/simulation/cold/look';
import { treasuryOf, type ColdSettings } from '@/simulation/cold/settings';
import { centOf } from '@/simulation/chain/units';
import { backUp, restore } from '@/simulation/faults/restore-faults';
import { COLD, CUSTOMERS, RELAYER, WALLET } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import { depositAddress } from '@/simulation/stores';
import { cents } from '@/simulation/story';
import { words, type Action, type Done, type Scene } from './action';
import { REQUEST } from './cold-transfers';
import { askForRefund, goOn, NO_ORDER, openPaidOrder, stepsOn, type Means, type Order } from './orders';
import { requestOfOrder } from './payout-journeys';
import { runSome } from './product';
import { takeUp } from './refunding';
import { mineAll } from './time';
import { PAYMENT_TROUBLES } from './troubles';

/** Together they bring the wallet down from what it has at first. */
const MOST_DRAINS = 4;

type At = { readonly scene: Scene; readonly order: Order; readonly cold: ColdSettings };

/** The worker compares the wallet with the ledger: once for what the ledger knows, twice for funding. */
async function compareWallet({ world }: Scene, means: Means, times: number, isWatched = true): Promise<void> {
  const steps = stepsOn(means, isWatched ? 'watch|reconcile' : 'reconcile');
  for (let round = 0; round < times; round++) {
    world.advance(BETWEEN_READINGS);
    mineAll(world, () => 6);
    await runSome(world, steps);
    if (isWatched) await runSome(world, /^book outflows/);
  }
}

const requestTransfer = ({ world }: Scene): Promise<unknown> => runSome(world, REQUEST);
const work = ({ scene, order }: At, rounds: number): Promise<void> =>
  goOn(scene, stepsOn(order.means, 'refunds'), { rounds, blocks: scene.random.pick([1, 6]) });

/** Base units that an address has got at finality, less what left it. */
const gainedBy = ({ chain, currency }: Means, address: string): bigint =>
  chain
    .transfers(chain.final())
    .filter(({ token }) => token === chain.spec.tokens[currency]!.contract)
    .reduce(
      (sum, one) => sum + (one.recipient === address ? one.amount : 0n) - (one.payer === address ? one.amount : 0n),
      0n,
    );

/** Cents of the order's token in the refund wallet, as the chain says. */
const held = ({ scene: { world }, order: { means } }: Omit<At, 'cold'>): bigint =>
  walletBalance(world, { network: means.chain.network, currency: means.currency }) /
  centOf(means.chain, means.currency);

/** A paid order of a token whose wallet is at its mark or below: what it had at first has gone to the cold wallet. Null: no order. */
async function ready(scene: Scene): Promise<At | null> {
  const { world, random } = scene;
  const { cold } = world.harness.signer.settings;
  if (cold === null) return null;
  // Two thirds of the orders are worth more than a cold transfer leaves, so that their refunds need what it would take.
  const large = random.int(cold.high * 60, cold.high * 300);
  const amount = BigInt(random.pick([random.int(100, 5000), large, large]));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount });
  if (!order) return null;
  const at = { scene, order, cold };
  for (let turn = 0; turn < MOST_DRAINS && held(at) > BigInt(cold.high) * 100n; turn++) {
    await compareWallet(scene, order.means, 1);
    await requestTransfer(scene);
    await work(at, 2);
  }
  return at;
}

/** The operator sends what the wallet lacks to its mark, and some dollars more. */
async function fill(at: At): Promise<string> {
  const { scene, order, cold } = at;
  const { chain, currency } = order.means;
  const missing = BigInt(cold.high) * 100n - held(at);
  const amount = (missing > 0n ? missing : 0n) + BigInt(scene.random.int(1, 8000));
  const token = chain.spec.tokens[currency]!.contract;
  const [payer, recipient] = [RELAYER[chain.spec.family], WALLET[chain.spec.family]];
  chain.pay({ token, payer, recipient, amount: amount * centOf(chain, currency) });
  await compareWallet(scene, order.means, 3);
  return `the operator sends ${cents(amount)} ${currency} on ${chain.network} to the refund wallet`;
}

/** The operator sweeps the order's address into the refund wallet; its balance may be read before the watcher finds the sweep. */
async function refill(at: At): Promise<string> {
  const { scene, order } = at;
  const { chain, currency } = order.means;
  const address = depositAddress(order.terms, chain);
  const token = chain.spec.tokens[currency]!.contract;
  const amount = gainedBy(order.means, address);
  if (amount <= 0n) return 'nothing can be swept';
  const recipient = treasuryOf(at.cold)[chain.spec.family];
  const hash = chain.pay({ token, payer: address, recipient, amount, needsFunds: true });
  scene.world.records.outflows.push({ network: chain.network, hash, moved: [{ address, token, amount }] });
  await compareWallet(scene, order.means, scene.random.int(0, 3), false);
  await compareWallet(scene, order.means, 3);
  return `the operator sweeps ${cents(amount / centOf(chain, currency))} ${currency} on ${chain.network}`;
}

/** Above the mark by a refill, as far as that goes, and by funding. */
async function fillSomehow(at: At): Promise<string> {
  const reports = at.cold.isTreasury && at.scene.random.chance(60) ? [await refill(at)] : [];
  if (held(at) <= BigInt(at.cold.high) * 100n) reports.push(await fill(at));
  return reports.join('; ');
}

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
  chain.pay({ token, payer, recipient, amount, needsFunds: true });
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

/** One of them, in every history of an installation with a cold wallet. */
export const ANY_COLD: Action = {
  name: 'a cold transfer goes its way',
  weight: 14,
  act: (scene) => scene.random.weighted(WAYS).act(scene),
};
