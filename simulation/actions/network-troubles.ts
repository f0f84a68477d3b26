// What networks do to a refund that is under way: blocks that come one by one, fees that spike, a token that stops, endpoints that
// report a false outcome.

import { isKnownTo, type EndpointFaultName } from '@/simulation/faults/endpoint-faults';
import type { Means } from './orders';
import { runRefunds, takeUp, work, type Refunding, type Trouble } from './refunding';
import { mineAll } from './time';

/** Faults by which an endpoint reports another outcome of a transaction than the true one. */
const FALSE_OUTCOMES: readonly EndpointFaultName[] = [
  'failed_receipts',
  'failed_receipts',
  'lower_nonce',
  'higher_nonce',
];
const WITHOUT_OUTCOME: readonly EndpointFaultName[] = ['silent', 'unreachable', 'no_receipts', 'server_error'];
const isEvm = ({ chain }: Means): boolean => chain.spec.family === 'evm';

async function tokenStops(at: Refunding): Promise<string> {
  const { world, random } = at.scene;
  const { chain, currency } = at.order.means;
  await takeUp(at);
  world.records.blocked.add(`${chain.network} ${currency} *`);
  chain.refuse(chain.spec.tokens[currency]!.contract, '*');
  await work(at, { rounds: 2, blocks: 1 });
  if (random.chance(70)) chain.allowAll();
  return `the issuer of ${currency} on ${chain.network} stops all transfers for a while`;
}

/** The step ends before the payment is final, or soon after. */
async function blocksAreSlow(at: Refunding): Promise<string> {
  await takeUp(at);
  await work(at, { rounds: at.scene.random.int(2, 5), seconds: 2, blocks: 1 });
  return 'the worker looks at each single block';
}

/** The wallet offers a higher fee, and one of its transactions lands: the last one, or one that it replaced. */
async function feesSpike(at: Refunding): Promise<string> {
  const { scene, order } = at;
  const { chain } = order.means;
  await takeUp(at);
  await runRefunds(at);
  chain.setFees(scene.random.pick([3n, 12n]));
  await work(at, { rounds: scene.random.int(2, 3), seconds: 25, blocks: scene.random.pick([0, 0, 1]) });
  chain.setFees(1n);
  const restored = scene.random.chance(50) ? (chain.restoreReplaced?.() ?? 0) : 0;
  mineAll(scene.world, () => 6);
  await work(at, { rounds: 1 });
  return `fees on ${chain.network} spike and fall${restored > 0 ? ', and a replaced transaction lands' : ''}`;
}

/** One endpoint reports a false outcome while the others report none. */
async function endpointLies(at: Refunding): Promise<string> {
  const { scene, order } = at;
  const { chain } = order.means;
  await takeUp(at);
  await runRefunds(at);
  const [liar, ...others] = scene.world.endpoints.filter((one) => one.chain === chain);
  const known = FALSE_OUTCOMES.filter((name) => isKnownTo(chain.spec.family, name));
  liar?.set(scene.random.pick(known));
  for (const other of others) other.set(scene.random.pick(WITHOUT_OUTCOME));
  await work(at, { rounds: 3 });
  const says = `endpoint 1 of ${chain.network} is "${liar?.fault}" while the others are ${others.map(({ fault }) => fault).join(', ')}`;
  for (const one of [liar, ...others]) one?.set(null);
  await work(at, { rounds: 1 });
  return says;
}

export const NETWORK_TROUBLES: readonly Trouble[] = [
  { name: 'the token stops', act: tokenStops },
  { name: 'blocks come one by one', act: blocksAreSlow },
  { name: 'fees spike', isFit: isEvm, act: feesSpike },
  // In a world where one endpoint is enough for small payments, none of them lies.
  { name: 'an endpoint lies', isFit: (_, { world }) => !world.isTrusting, act: endpointLies },
];
