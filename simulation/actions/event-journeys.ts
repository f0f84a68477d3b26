// Journeys of events: a receiver that is away while an order is paid, for less or more time than the retries last.

import { RECEIVER_FAULT_NAMES } from '@/simulation/receivers';
import type { Action, Scene } from './action';
import { CUSTOMER_ACTIONS } from './customers';
import { begin, runAlong } from './journeys';
import { runSome } from './product';

const PAY_EXACTLY = CUSTOMER_ACTIONS.find(({ name }) => name === 'pay exactly')!;
/** Seconds between the attempts, as the documentation of the API promises them. */
const RETRIES = [1, 2, 4, 8, 16];

async function receiverIsAway(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const journey = await begin(scene);
  if (typeof journey === 'string') return journey;
  const { now, tell, told } = journey;
  tell(await PAY_EXACTLY.act(await now()));
  await runAlong(scene, /^watch /, 3);
  const store = (await now()).world.sessions[0]?.store;
  const fault = random.pick(RECEIVER_FAULT_NAMES);
  if (!store || store.receiver.fault !== null) return told();
  store.receiver.fault = fault;
  const failures = random.pick([1, 3, RETRIES.length, RETRIES.length + 1, RETRIES.length + 1]);
  for (const [attempt, seconds] of [0, ...RETRIES].entries()) {
    if (attempt === failures) store.receiver.fault = null;
    world.advance(seconds);
    await runSome(world, /^deliver /);
  }
  store.receiver.fault = null;
  tell(`the receiver of ${store.name} fails ${failures} times (${fault})`);
  return told();
}

export const EVENT_JOURNEYS: readonly Action[] = [
  { name: 'a receiver is away for a while', weight: 8, act: receiverIsAway },
];
