// All faults as actions. Each begins something that lasts until "a fault ends", or strikes once during the next step.

import type { Action, Scene } from '@/simulation/actions/action';
import { RECEIVER_FAULT_NAMES, RECEIVER_FAULTS } from '@/simulation/receivers';
import type { World } from '@/simulation/world';
import { CHAIN_FAULTS } from './chain-faults';
import { DATABASE_FAULTS } from './database-faults';
import { ENDPOINT_FAULT_NAMES, ENDPOINT_FAULTS, type EndpointFaultName } from './endpoint-faults';
import { PROCESS_FAULTS } from './process-faults';

function failEndpoint({ world, random }: Scene, name: EndpointFaultName): string | null {
  const endpoint = random.pick(world.endpoints);
  const others = world.endpoints.filter((one) => one.chain === endpoint.chain && one !== endpoint);
  const isLyingElsewhere = others.some((one) => one.fault !== null && ENDPOINT_FAULTS[one.fault].isFalse);
  if (endpoint.fault !== null || (ENDPOINT_FAULTS[name].isFalse && isLyingElsewhere)) return null;
  endpoint.set(name);
  return `Endpoint ${endpoint.number} of ${endpoint.chain.network} ${ENDPOINT_FAULTS[name].says}`;
}

/** Every fault that lasts, with what ends it. */
const lasting = ({
  endpoints,
  stores,
  halted,
  chains,
  harness: { signer, pool },
}: World): readonly (() => string)[] => [
  ...endpoints
    .filter((one) => one.fault !== null)
    .map((one) => () => {
      one.set(null);
      return `Endpoint ${one.number} of ${one.chain.network} works again`;
    }),
  ...stores
    .filter(({ receiver }) => receiver.fault !== null)
    .map(({ name, receiver }) => () => {
      receiver.fault = null;
      return `The receiver of ${name} works again`;
    }),
  ...[...halted].map((network) => () => {
    halted.delete(network);
    return `${network} makes blocks again`;
  }),
  ...chains
    .filter((chain) => chain.refusals() > 0)
    .map((chain) => () => {
      chain.allowAll();
      return `Every token on ${chain.network} moves again`;
    }),
  ...when(signer.isDown, () => {
    signer.isDown = false;
    return 'The signer answers again';
  }),
  ...when(pool.server() !== 'well', () => {
    pool.setServer('well');
    return 'The database is well again';
  }),
];

const when = (holds: boolean, end: () => string): readonly (() => string)[] => (holds ? [end] : []);

function endOne({ world, random }: Scene): string | null {
  const ends = lasting(world);
  return ends.length > 0 ? random.pick(ends)() : null;
}

/** Ends every fault. */
export function endAllFaults(world: World): void {
  for (const end of lasting(world)) end();
  for (const chain of world.chains) chain.setFees(1n);
}

export const FAULTS: readonly Action[] = [
  ...ENDPOINT_FAULT_NAMES.map((name) => ({
    name: `endpoint ${name}`,
    weight: 1,
    act: (scene: Scene) => failEndpoint(scene, name),
  })),
  ...RECEIVER_FAULT_NAMES.map((name) => ({
    name: `receiver ${name}`,
    weight: 1,
    act: ({ world, random }: Scene) => {
      const store = random.pick(world.stores);
      if (store.receiver.fault !== null) return null;
      store.receiver.fault = name;
      return `The receiver of ${store.name} ${RECEIVER_FAULTS[name]}`;
    },
  })),
  ...CHAIN_FAULTS,
  ...DATABASE_FAULTS,
  ...PROCESS_FAULTS,
  { name: 'a fault ends', weight: 24, act: endOne },
];
