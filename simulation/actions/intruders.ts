// A store that tries to reach what belongs to another one: it knows the ids, and has a valid key of its own.

import type { SimulatedStore, Terms } from '@/simulation/stores';
import type { Action, Done, Scene } from './action';
import { by, call, REFUNDS, said, SESSIONS } from './merchants';

const REFUSED = [403, 404, 503];
type Request = { readonly method?: string; readonly path: string; readonly body?: object };

/** Every request about what belongs to a session. */
function requestsAbout({ id }: Terms, { exceptions, refunds }: Scene['now']): readonly Request[] {
  const [exception, refund] = [exceptions, refunds].map((rows: readonly { readonly session_id: string }[]) =>
    rows.find(({ session_id }) => session_id === id),
  ) as [(typeof exceptions)[number] | undefined, (typeof refunds)[number] | undefined];
  return [
    { method: 'GET', path: `${SESSIONS}/${id}` },
    { path: `${SESSIONS}/${id}/cancel` },
    ...(exception ? [{ path: `/api/v1/payment_exceptions/${exception.id}/decide`, body: { action: 'leave' } }] : []),
    ...(refund ? [{ path: `${REFUNDS}/${encodeURIComponent(refund.refund_id)}/cancel` }] : []),
  ];
}

/** A session with something to decide about or to cancel, if there is one. */
function chooseVictim({ world, random, now }: Scene): Terms {
  const ids = new Set([...now.exceptions, ...now.refunds].map(({ session_id }) => session_id));
  const rich = world.sessions.filter(({ id }) => ids.has(id));
  return random.pick(rich.length > 0 && random.chance(80) ? rich : world.sessions);
}

/** Another store's key must see nothing of a session, an exception or a refund, and change nothing. */
async function intrude(scene: Scene): Promise<Done | null> {
  const { world, random, story, now } = scene;
  if (world.sessions.length === 0) return null;
  const victim = chooseVictim(scene);
  const other = random.pick(world.stores.filter((one) => one !== victim.store));
  const answers: string[] = [];
  for (const request of requestsAbout(victim, now)) {
    const reply = await call(world, other, request);
    if (!REFUSED.includes(reply.status) && !isOwnRefund(now, other, request.path))
      throw new Error(`${other.name} was answered ${said(reply)} about ${request.path} of ${victim.store.name}`);
    answers.push(said(reply));
  }
  const what = `what belongs to ${story.name('session', victim.id)} of ${victim.store.name}`;
  return by(other, `tries to reach ${what}: ${answers.join(', ')}`);
}

/** Both stores may use the same name for a refund of their own. */
const isOwnRefund = ({ refunds }: Scene['now'], { storeId }: SimulatedStore, path: string): boolean =>
  refunds.some((one) => one.store_id === storeId && path === `${REFUNDS}/${encodeURIComponent(one.refund_id)}/cancel`);

export const INTRUDER_ACTIONS: readonly Action[] = [{ name: 'intrude', weight: 5, act: intrude }];
