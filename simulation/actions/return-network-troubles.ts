// What networks do to a return of the cold wallet: reorganisations, endpoints that lie or forget, fees that spike, a token that stops. Each
// trouble begins when the return is signed, and sends it.

import { isKnownTo, type EndpointFaultName } from '@/simulation/faults/endpoint-faults';
import { followReturns } from './returns';
import { chainOf, follow, giveUpOpen, meansOf, sceneOf, send, type Returning, type ReturnTrouble } from './returning';
import { mineAll } from './time';

/** It is in a block that a reorganisation replaces, and may be lost with it. */
async function reorganised(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const reports = [await send(back)];
  for (let round = random.int(1, 2); round > 0; round--) {
    mineAll(world, () => 1);
    if (random.chance(60)) await followReturns(world);
    const isLost = random.chance(50);
    const depth = chainOf(back).reorg(99, () => isLost);
    reports.push(`${depth} blocks are replaced${isLost ? ' and their transactions lost' : ''}`);
    await follow(back, { rounds: random.int(0, 1), blocks: random.pick([0, 1]) });
  }
  return reports.join('; ');
}

async function vanishes(back: Returning): Promise<string> {
  const reports = [await send(back)];
  reports.push(`${chainOf(back).dropWaiting()} waiting transactions vanish`);
  await follow(back, { rounds: 1, blocks: 0 });
  if (sceneOf(back).random.chance(40)) reports.push(`${chainOf(back).dropWaiting()} vanish again`);
  return reports.join('; ');
}

/** Faults by which an endpoint reports another outcome of a transaction than the true one, and those by which it reports none. */
const FALSE_OUTCOMES: readonly EndpointFaultName[] = [
  'failed_receipts',
  'lower_nonce',
  'higher_nonce',
  'forked',
  'lying',
];
const WITHOUT_OUTCOME: readonly EndpointFaultName[] = ['silent', 'unreachable', 'no_receipts', 'server_error', 'stale'];

/** One endpoint lies while the others report nothing, and the operator may want to give the return up. */
async function endpointLies(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const chain = chainOf(back);
  const reports: string[] = [];
  if (random.chance(70)) reports.push(await send(back));
  const [liar, ...others] = world.endpoints.filter((one) => one.chain === chain);
  liar?.set(random.pick(FALSE_OUTCOMES.filter((name) => isKnownTo(chain.spec.family, name))));
  for (const other of others) other.set(random.pick(WITHOUT_OUTCOME));
  reports.push(
    `endpoint 1 of ${chain.network} is "${liar?.fault}" while the others are ${others.map(({ fault }) => fault).join(', ')}`,
  );
  if (random.chance(50)) reports.push(await send(back));
  await follow(back, { rounds: 2 });
  if (random.chance(40)) reports.push(await giveUpOpen(back));
  for (const one of [liar, ...others]) one?.set(null);
  return reports.join('; ');
}

/** Longer than a transfer on TRON lives. */
const LIFE_SECONDS = 6000;

/** It is final, and every endpoint has forgotten its block before the worker has looked. */
async function forgotten(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const chain = chainOf(back);
  const reports = [await send(back)];
  if (random.chance(80)) mineAll(world, () => 8);
  const own = world.endpoints.filter((one) => one.chain === chain);
  for (const one of own) one.set('pruned');
  if (random.chance(70)) world.advance(LIFE_SECONDS);
  mineAll(world, () => 8);
  await follow(back, { rounds: 1 });
  reports.push(`the endpoints of ${chain.network} have deleted their old blocks`, await giveUpOpen(back));
  for (const one of own) one.set(null);
  return reports.join('; ');
}

async function feesSpike(back: Returning): Promise<string> {
  const { random } = sceneOf(back);
  const chain = chainOf(back);
  chain.setFees(random.pick([3n, 12n, 1000n]));
  const reports = [await send(back)];
  await follow(back, { rounds: 2 });
  if (random.chance(30)) reports.push(await giveUpOpen(back));
  chain.setFees(1n);
  return `${reports.join('; ')}; fees on ${chain.network} spike and fall`;
}

async function tokenStops(back: Returning): Promise<string> {
  const { world, random } = sceneOf(back);
  const { chain, currency } = meansOf(back);
  world.records.blocked.add(`${chain.network} ${currency} *`);
  chain.refuse(chain.spec.tokens[currency]!.contract, '*');
  const reports = [await send(back)];
  await follow(back, { rounds: random.int(1, 3), blocks: 1 });
  chain.allowAll();
  return `${reports.join('; ')}; the issuer of ${currency} on ${chain.network} stops all transfers for a while`;
}

export const RETURN_NETWORK_TROUBLES: readonly ReturnTrouble[] = [
  { name: 'a reorganisation', act: reorganised },
  { name: 'it vanishes', act: vanishes },
  // In a world where one endpoint is enough for small payments, none of them lies.
  { name: 'an endpoint lies', isFit: (back) => !sceneOf(back).world.isTrusting, act: endpointLies },
  { name: 'endpoints forget it', act: forgotten },
  { name: 'fees spike', act: feesSpike },
  { name: 'the token stops', act: tokenStops },
];
