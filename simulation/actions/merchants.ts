// What merchants do, through the signed API: they create and cancel sessions, refund in every right and wrong way, decide
// about payment exceptions, and try to reach what belongs to others.

import { answer } from '@/lib/api/answer';
import { apiOracle } from '@/simulation/oracles/openapi';
import { signedRequest, type TestStore } from '@/testing/fixtures';
import { THIEF } from '@/simulation/parties';
import { cents } from '@/simulation/story';
import { nextRefundId } from '@/simulation/records';
import type { World } from '@/simulation/world';
import type { RefundRequest, SimulatedStore, Terms } from '@/simulation/stores';
import { unixNow, type Action, type Done, type Scene } from './action';

export const SESSIONS = '/api/v1/checkout/sessions';
export const REFUNDS = '/api/v1/refunds';

export type Reply = {
  readonly status: number;
  readonly code: string;
  readonly json: Record<string, unknown>;
  readonly text: string;
};
type Asked = {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
};

/** Sends a signed request and reads the answer, whatever it is. */
export async function send(world: World, credentials: TestStore, asked: Asked): Promise<Reply> {
  const { method = 'POST', path, query = '', body, headers = {} } = asked;
  const sent = { method, path, headers, now: world.clock.now(), ...(body ? { body: JSON.stringify(body) } : {}) };
  const given = await answer(world.services, { ...signedRequest(credentials, sent), query });
  const json = JSON.parse(given.body) as Record<string, unknown>;
  const { code = '' } = (json.error ?? {}) as { readonly code?: string };
  const [undocumented] = apiOracle().checkAnswer({ method, path, status: given.status, body: json });
  if (undocumented !== undefined) throw new Error(undocumented);
  return { status: given.status, code, json, text: given.body };
}

/** The same with the store's present key. No fault is planned while a merchant calls, so nothing excuses an answer of 500. */
export async function call(world: World, store: SimulatedStore, asked: Asked): Promise<Reply> {
  const reply = await send(world, store, asked);
  if (reply.status === 500) throw new Error(`${asked.method ?? 'POST'} ${asked.path} answered 500`);
  return reply;
}

/** What a store did alone. */
export const by = (store: SimulatedStore, says: string) => ({ says: `${store.name} ${says}`, store: store.storeId });
export const said = ({ status, code }: Reply): string => (status < 300 ? `${status}` : `${status} ${code}`);

/** A create request, and what a merchant knows about it. */
type Order = {
  readonly store: SimulatedStore;
  readonly body: { amount: number; currency: string; order_id: string; expires_in: number };
  readonly says: string;
};

export function newOrder({ world, random }: Scene): Order {
  const store = random.pick(world.stores);
  const dueCents = BigInt(random.pick([random.int(1, 99), random.int(100, 5000), random.int(5000, 40_000)]));
  const currency = random.pick(['USD', 'USD', 'USDT', 'USDC']);
  const expiresIn = random.pick([60, 120, 300, 900]);
  const orderId = `order-${world.sessions.length + 1}-${random.int(1, 1_000_000)}`;
  const body = { amount: Number(dueCents), currency, order_id: orderId, expires_in: expiresIn };
  return { store, body, says: `asks for ${cents(dueCents)} ${currency} within ${expiresIn} s` };
}

/** The session of an order, which exists even when its answer was lost; null if there is none. */
export async function findSession(world: World, { store, body }: Pick<Order, 'store' | 'body'>): Promise<Terms | null> {
  const { rows } = await world.harness.database.pool.query<Pick<Terms, 'id' | 'addresses' | 'networks'>>(
    `SELECT id, json_build_object('evm', evm_address, 'tron', tron_address, 'solana', solana_address) AS addresses, networks
     FROM sessions WHERE store_id = $1 AND order_id = $2`,
    [store.storeId, body.order_id],
  );
  const [made] = rows;
  if (!made) return null;
  const { currency } = body;
  const atPar = currency === 'USD' ? store.usdCurrencies : [currency];
  const createdAt = unixNow(world);
  const terms: Terms = {
    ...{ ...made, store, orderId: body.order_id, dueCents: BigInt(body.amount), currency, isDecided: false },
    ...{ createdAt, expiresAt: createdAt + body.expires_in },
    tokens: store.acceptsOtherToken ? ['USDT', 'USDC'] : atPar,
    withheld: world.withheld,
  };
  world.sessions.push(terms);
  return terms;
}

export async function createSession(scene: Scene): Promise<Done> {
  const { world, story } = scene;
  const order = newOrder(scene);
  const reply = await call(world, order.store, { path: `${SESSIONS}/create`, body: order.body });
  const made = await findSession(world, order);
  return by(order.store, `${order.says}: ${said(reply)}${made ? ` (${story.name('session', made.id)})` : ''}`);
}

export async function createRefund({ world, random, story, now }: Scene): Promise<Done | null> {
  const completed = now.sessions.filter(({ status }) => status === 'completed');
  if (completed.length === 0) return null;
  const row = random.pick(random.chance(90) ? completed : now.sessions);
  const session = world.sessions.find(({ id }) => id === row.id);
  if (!session) return null;
  const left = session.dueCents - BigInt(row.amount_refunded);
  const part = (session.dueCents * BigInt(random.int(1, 99))) / 100n;
  const amount = random.pick([left, left, part, left + 1n, session.dueCents, 1n]);
  if (amount <= 0n) return null;
  const refundId = nextRefundId(world.records, session.store);
  const currency = row.completed_currency ?? random.pick(session.tokens);
  // A merchant's text never becomes a destination.
  const destination = random.chance(20) ? { destination: THIEF.evm, to: THIEF.evm } : {};
  const body = { session_id: session.id, refund_id: refundId, amount: Number(amount), currency, ...destination };
  const reply = await call(world, session.store, { path: `${REFUNDS}/create`, body });
  const request: RefundRequest = { refundId, store: session.store, session, cents: amount };
  world.refunds.push(request);
  return by(
    session.store,
    `refunds ${cents(amount)} ${currency} of ${story.name('session', session.id)}: ${said(reply)}`,
  );
}

/** The same request again, as a client does that got no answer. */
async function repeatRefund({ world, random, now }: Scene): Promise<Done | null> {
  if (world.refunds.length === 0) return null;
  const { refundId, store, session, cents: amount } = random.pick(world.refunds);
  const row = now.refunds.find((one) => one.refund_id === refundId && one.store_id === store.storeId);
  const currency = row?.currency ?? session.tokens[0];
  const body = { session_id: session.id, refund_id: refundId, amount: Number(amount), currency };
  const reply = await call(world, store, { path: `${REFUNDS}/create`, body });
  return by(store, `sends the request for ${refundId} again: ${said(reply)}`);
}

export async function cancelRefund({ world, random, story, now }: Scene): Promise<Done | null> {
  const open = now.refunds.filter(({ status }) => status === 'pending' || status === 'processing');
  if (open.length === 0) return null;
  const row = random.pick(open);
  const store = world.stores.find(({ storeId }) => storeId === row.store_id) as SimulatedStore;
  const reply = await call(world, store, { path: `${REFUNDS}/${encodeURIComponent(row.refund_id)}/cancel` });
  return by(store, `cancels ${story.name('refund', row.id)}: ${said(reply)}`);
}

async function cancelSession({ world, random, story, now }: Scene): Promise<Done | null> {
  const pending = now.sessions.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return null;
  const { id } = random.pick(pending);
  const session = world.sessions.find((one) => one.id === id);
  if (!session) return null;
  const reply = await call(world, session.store, { path: `${SESSIONS}/${id}/cancel` });
  return by(session.store, `cancels ${story.name('session', id)}: ${said(reply)}`);
}

export async function decideException({ world, random, story, now }: Scene, wanted?: string): Promise<Done | null> {
  if (now.exceptions.length === 0) return null;
  const row = random.pick(now.exceptions);
  const session = world.sessions.find(({ id }) => id === row.session_id);
  if (!session) return null;
  const action = wanted ?? random.pick(['accept', 'keep', 'refund', 'refund', 'leave']);
  const path = `/api/v1/payment_exceptions/${row.id}/decide`;
  const reply = await call(world, session.store, { path, body: { action } });
  // From here on the session may end in another way than its payments alone say.
  if (reply.status < 300 && action === 'accept') session.isDecided = true;
  return by(session.store, `decides "${action}" about ${story.name('exception', row.id)}: ${said(reply)}`);
}

export const MERCHANT_ACTIONS: readonly Action[] = [
  { name: 'create a session', weight: 32, act: createSession },
  { name: 'refund', weight: 16, act: createRefund },
  { name: 'repeat a refund request', weight: 4, act: repeatRefund },
  { name: 'cancel a refund', weight: 3, act: cancelRefund },
  { name: 'cancel a session', weight: 4, act: cancelSession },
  { name: 'decide about an exception', weight: 8, act: (scene) => decideException(scene) },
];
