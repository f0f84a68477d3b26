// All faults as actions. Each begins something that lasts until it ends by itself, or strikes once during the next step.

import type { Action, Scene } from '@/simulation/actions/action';
import type { SimulatedChain } from '@/simulation/chain/chain';
import type { Random } from '@/simulation/random';
import { RECEIVER_FAULT_NAMES, RECEIVER_FAULTS } from '@/simulation/receivers';
import type { World } from '@/simulation/world';
import { CHAIN_FAULTS } from './chain-faults';
import { DATABASE_FAULTS } from './database-faults';
import { ENDPOINT_FAULT_NAMES, ENDPOINT_FAULTS, isKnownTo, type EndpointFaultName } from './endpoint-faults';
import { MACHINE_FAULTS } from './machine-faults';
import { PROCESS_FAULTS } from './process-faults';
import { RESTORE_FAULTS } from './restore-faults';
import { SWEEP_FAULTS } from './sweep-faults';
import { UPGRADE } from './upgrade';

function failEndpoint({ world, random }: Scene, name: EndpointFaultName): string | null {
  const endpoint = random.pick(world.endpoints);
  const others = world.endpoints.filter((one) => one.chain === endpoint.chain && one !== endpoint);
  const isLyingElsewhere = others.some((one) => one.fault !== null && ENDPOINT_FAULTS[one.fault].isFalse);
  if (endpoint.fault !== null || !isKnownTo(endpoint.chain.spec.family, name)) return null;
  if (ENDPOINT_FAULTS[name].isFalse && (isLyingElsewhere || world.isTrusting)) return null;
  endpoint.set(name);
  return `Endpoint ${endpoint.number} of ${endpoint.chain.network} ${ENDPOINT_FAULTS[name].says}`;
}

/** What a provider's outage or update does to every endpoint of a network at once. */
const OF_NETWORKS: readonly EndpointFaultName[] = [
  'silent',
  'server_error',
  'limited',
  'stale',
  'no_receipts',
  'no_finality',
  'pruned',
  'too_much',
  'no_delegations',
];

/** All endpoints of a network that work begin the same fault. Null if none does. */
export function failNetwork({ world }: Scene, chain: SimulatedChain, name: EndpointFaultName): string | null {
  const well = world.endpoints.filter((one) => one.chain === chain && one.fault === null);
  if (well.length === 0 || !isKnownTo(chain.spec.family, name)) return null;
  for (const endpoint of well) endpoint.set(name);
  return `Every endpoint of ${chain.network} ${ENDPOINT_FAULTS[name].says}`;
}

/** `name`: the action that began it; null where several may have. */
type Lasting = { readonly name: string | null; readonly percent: number; readonly end: () => string };

/** In how many of a hundred steps a fault of one endpoint, receiver or network ends, and one that stops everything. */
const [ONE, EVERYTHING] = [8, 35];

/** Every fault that lasts, with what ends it. */
const lasting = ({ endpoints, stores, halted, chains, harness: { signer, pool } }: World): readonly Lasting[] => [
  ...endpoints
    .filter((one) => one.fault !== null)
    .map((one) =>
      ends(
        [`endpoint ${one.fault}`, ONE],
        () => one.set(null),
        `Endpoint ${one.number} of ${one.chain.network} works again`,
      ),
    ),
  ...stores
    .flatMap(({ name, receivers }) => receivers.map((receiver) => ({ name, receiver })))
    .filter(({ receiver }) => receiver.fault !== null)
    .map(({ name, receiver }) =>
      ends([`receiver ${receiver.fault}`, ONE], () => (receiver.fault = null), `A receiver of ${name} works again`),
    ),
  ...[...halted].map((network) =>
    ends(['a chain stops', ONE], () => halted.delete(network), `${network} makes blocks again`),
  ),
  ...chains
    .filter((chain) => chain.refusals() > 0)
    .map((chain) => ends([null, ONE], () => chain.allowAll(), `Every token on ${chain.network} moves again`)),
  ...chains
    .filter(({ penniless }) => penniless !== undefined && penniless.size > 0)
    .map(({ network, penniless }) =>
      ends(['the sponsor has no coin', ONE], () => penniless?.clear(), `The sponsor has coin on ${network} again`),
    ),
  ...(signer.isDown
    ? [ends(['the signer is away', EVERYTHING], () => (signer.isDown = false), 'The signer answers again')]
    : []),
  ...(pool.server() === 'well'
    ? []
    : [ends([`database ${pool.server()}`, EVERYTHING], () => pool.setServer('well'), 'The database is well again')]),
];

const ends = ([name, percent]: readonly [string | null, number], work: () => unknown, says: string): Lasting => ({
  ...{ name, percent },
  end: () => {
    work();
    return says;
  },
});

/** The names of the faults that last now. */
export const activeFaults = (world: World): string[] => lasting(world).flatMap(({ name }) => name ?? []);

/** Some faults end by themselves before a step. Returns what ended, in words. */
export const endSome = (world: World, random: Random): string[] =>
  lasting(world)
    .filter(({ percent }) => random.chance(percent))
    .map(({ end }) => end());

/** Ends every fault. */
export function endAllFaults(world: World): void {
  for (const { end } of lasting(world)) end();
  for (const chain of world.chains) chain.setFees(1n);
}

export const ENDPOINT_FAULTS_AS_ACTIONS: readonly Action[] = ENDPOINT_FAULT_NAMES.map((name) => ({
  name: `endpoint ${name}`,
  weight: 1,
  act: (scene: Scene) => failEndpoint(scene, name),
}));

const NETWORK_FAULT: Action = {
  name: 'all endpoints of a network fail',
  weight: 4,
  act: (scene) => failNetwork(scene, scene.random.pick(scene.world.chains), scene.random.pick(OF_NETWORKS)),
};

const RECEIVER_FAULTS_AS_ACTIONS: readonly Action[] = RECEIVER_FAULT_NAMES.map((name) => ({
  name: `receiver ${name}`,
  weight: 1,
  act: ({ world, random }: Scene) => {
    const store = random.pick(world.stores);
    if (store.receiver.fault !== null) return null;
    store.receiver.fault = name;
    return `The receiver of ${store.name} ${RECEIVER_FAULTS[name]}`;
  },
}));

/** By what fails. A history has some of these groups (swarm.ts). */
export const FAULT_GROUPS: readonly (readonly Action[])[] = [
  [...ENDPOINT_FAULTS_AS_ACTIONS, NETWORK_FAULT],
  RECEIVER_FAULTS_AS_ACTIONS,
  CHAIN_FAULTS,
  DATABASE_FAULTS,
  PROCESS_FAULTS,
  [...MACHINE_FAULTS, UPGRADE],
  SWEEP_FAULTS,
  RESTORE_FAULTS,
];
export const FAULTS: readonly Action[] = FAULT_GROUPS.flat();
