// The refund wallet of an order with an installation that has a cold wallet: brought down to its mark, filled above it, and compared with
// the ledger. Journeys of cold transfers and of returns begin with it.

import { BETWEEN_READINGS } from '@/simulation/cold/end';
import { walletBalance } from '@/simulation/cold/look';
import { treasuryOf, type ColdSettings } from '@/simulation/cold/settings';
import { centOf } from '@/simulation/chain/units';
import { CUSTOMERS, RELAYER, WALLET } from '@/simulation/parties';
import { depositAddress } from '@/simulation/stores';
import { cents } from '@/simulation/story';
import type { Scene } from './action';
import { REQUEST } from './cold-transfers';
import { goOn, openPaidOrder, stepsOn, type Means, type Order } from './orders';
import { runSome } from './product';
import { mineAll } from './time';

/** Together they bring the wallet down from what it has at first. */
const MOST_DRAINS = 4;

export type At = { readonly scene: Scene; readonly order: Order; readonly cold: ColdSettings };

/** The worker compares the wallet with the ledger: once for what the ledger knows, twice for funding. */
export async function compareWallet({ world }: Scene, means: Means, times: number, isWatched = true): Promise<void> {
  const steps = stepsOn(means, isWatched ? 'watch|reconcile' : 'reconcile');
  for (let round = 0; round < times; round++) {
    world.advance(BETWEEN_READINGS);
    mineAll(world, () => 6);
    await runSome(world, steps);
    if (isWatched) await runSome(world, /^book outflows/);
  }
}

export const requestTransfer = ({ world }: Scene): Promise<unknown> => runSome(world, REQUEST);
export const work = ({ scene, order }: At, rounds: number): Promise<void> =>
  goOn(scene, stepsOn(order.means, 'refunds'), { rounds, blocks: scene.random.pick([1, 6]) });

/** Base units that an address has got at finality, less what left it. */
export const gainedBy = ({ chain, currency }: Means, address: string): bigint =>
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
export async function ready(scene: Scene): Promise<At | null> {
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
export async function fillSomehow(at: At): Promise<string> {
  const reports = at.cold.isTreasury && at.scene.random.chance(60) ? [await refill(at)] : [];
  if (held(at) <= BigInt(at.cold.high) * 100n) reports.push(await fill(at));
  return reports.join('; ');
}
