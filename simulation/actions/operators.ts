// What operators do: they freeze and unfreeze signing, approve refunds in twos, suspend and reinstate stores, set limits,
// fund the wallet, and check the books.

import { requestFreeze } from '@/lib/installation/freeze/request';
import { listHeldRefunds, type HeldRefund } from '@/lib/dashboard/operator/refunds';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { approveStore, reinstateStore, suspendStore } from '@/lib/merchants/stores/approve';
import { setStoreLimits } from '@/lib/merchants/stores/limits';
import { readStore } from '@/lib/merchants/stores/read';
import type { Move } from '@/lib/refunds/approval/agreement';
import { decideApproval } from '@/lib/refunds/approval/decide';
import { decideEnd } from '@/lib/refunds/approval/force-fail';
import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { RELAYER, WALLET } from '@/simulation/parties';
import { readSnapshot } from '@/simulation/snapshot';
import { cents } from '@/simulation/story';
import type { World } from '@/simulation/world';
import type { Action, Done, Scene } from './action';
import { attempt, outcome, type Attempted } from './attempt';
import { by, call, SESSIONS } from './merchants';

/** Freezes that operators ordered, or whose cause they explain. Others need more than a person at the signer's terminal. */
const ORDERED = /^(desk switch|(tokens|USDT|USDC) left a deposit address)/;
const MAX_HELD = 100;

const actorOf = (user: string) => ({ by: `user:${user}`, address: '192.0.2.1' });

export async function freeze({ world, random }: Scene): Promise<string> {
  const operator = actorOf(random.pick(world.operators));
  const { freezes, refunds, payouts, cold_transfers: cold } = await readSnapshot(world.harness.database.pool);
  const asked = await attempt(world, () => requestFreeze(world.context, { ...operator, reason: 'a drill' }));
  if ('done' in asked) {
    world.records.freezes++;
    if (!freezes.some((one) => !one.is_carried_out))
      world.records.freezing = new Set(
        [...refunds, ...payouts, ...cold].filter((one) => one.is_drafted).map(({ id }) => id),
      );
  }
  return `An operator freezes signing: ${outcome(asked)}`;
}

/** Ends a freeze that an operator ordered. Returns whether there was one. */
export function unfreeze({ harness: { signer } }: World): boolean {
  if (signer.isDown || !ORDERED.test(signer.frozen() ?? '')) return false;
  signer.unfreeze();
  return true;
}

export const isIndependent = ({ operators }: World, one: string, other: string): boolean =>
  one !== other && ![one, other].every((user) => user === operators[0] || user === operators.at(-1));

type Need = {
  readonly refund: HeldRefund;
  readonly digest: string;
  readonly requestedBy: string | null;
  readonly isEnd: boolean;
};

const needOf = (refund: HeldRefund): Need[] => {
  const { approval, end } = refund;
  const found = approval ?? end;
  return found
    ? [{ refund, digest: found.digest, requestedBy: found.requestedBy?.userId ?? null, isEnd: !approval }]
    : [];
};

/** The refunds that wait for two operators. */
async function listNeeds(world: World): Promise<readonly Need[]> {
  const query = { hold: null, before: null, limit: MAX_HELD };
  const listed = await attempt(world, () => listHeldRefunds(world.context, query));
  return 'done' in listed ? listed.done.refunds.flatMap(needOf) : [];
}

/** One operator's decision about one refund. An approval that was not by two independent people is a violation. */
async function decide(world: World, need: Need, move: Move, userId: string): Promise<Attempted<void>> {
  const { refund, digest, requestedBy, isEnd } = need;
  const decision = { refund: refund.id, digest, move, userId, note: 'looked at it', address: '192.0.2.1' };
  const decided = await attempt(world, () => (isEnd ? decideEnd : decideApproval)(world.context, decision));
  if (move !== 'approve' || !('done' in decided)) return decided;
  if (requestedBy === null || !isIndependent(world, requestedBy, userId))
    throw new Error(`a refund was approved by operators ${requestedBy} and ${userId}, who are not independent`);
  (isEnd ? world.records.ended : world.records.approved).add(refund.id);
  return decided;
}

async function decideSome({ world, random, story }: Scene): Promise<string | null> {
  const needs = await listNeeds(world);
  if (needs.length === 0) return null;
  const need = random.pick(needs);
  const move: Move =
    need.requestedBy === null
      ? random.pick(['request', 'request', 'approve'])
      : random.pick(['approve', 'approve', 'decline']);
  const userId = random.pick(world.operators);
  const decided = await decide(world, need, move, userId);
  const who = `Operator ${world.operators.indexOf(userId) + 1}`;
  return `${who}: ${move} ${story.name('refund', need.refund.id)}${need.isEnd ? ' to fail' : ''}: ${outcome(decided)}`;
}

/** Two independent operators approve everything that waits for them. */
export async function approveAll(world: World): Promise<void> {
  const [first, second] = world.operators as [string, string];
  for (const need of await listNeeds(world)) {
    // A hit is released, so that its payment goes on.
    if (need.refund.hold === 'screened') continue;
    if (need.requestedBy === null) await decide(world, need, 'request', first);
    const requestedBy = need.requestedBy ?? first;
    await decide(world, { ...need, requestedBy }, 'approve', requestedBy === second ? first : second);
  }
}

/** A suspended store gets no session. */
async function suspend({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const { storeId, name } = store;
  const decision = { storeId, reason: 'a suspicion' };
  const actor = actorOf(random.pick(world.operators));
  const suspended = await attempt(world, () => suspendStore(world.context, decision, actor));
  if (!('done' in suspended)) {
    const again = await attempt(world, () => reinstateStore(world.context, decision, actor));
    return by(store, `is reinstated: ${outcome(again)}`);
  }
  const body = { amount: 100, currency: 'USD', order_id: `suspended-${world.elapsed()}` };
  const { status, code } = await call(world, store, { path: `${SESSIONS}/create`, body });
  if (status < 400) throw new Error(`${name} is suspended and got a session`);
  const approved = await attempt(world, () => approveStore(world.context, decision, actor));
  if ('done' in approved) throw new Error(`${name} is suspended and was approved`);
  return by(store, `is suspended: its request is answered ${code}`);
}

export async function reinstateAll(world: World): Promise<void> {
  for (const { storeId } of world.stores) await attempt(world, () => reinstateStore(world.context, { storeId }));
}

async function setLimits({ world, random }: Scene): Promise<Done> {
  const store = random.pick(world.stores);
  const { storeId } = store;
  const limits = {
    sessionLimit: random.pick([null, 10_000n]),
    dayLimit: random.pick([null, 20_000n, 100_000n]),
    refundDayLimit: random.pick([2000n, 1_000_000n, 1_000_000n]),
    refundWindowDays: 180,
    payoutHoldHours: 0,
  };
  const set = await attempt(world, async () => {
    const { version } = (await readStore(world.context.pool, storeId))!;
    return setStoreLimits(world.context, { storeId, version, limits }, actorOf(random.pick(world.operators)));
  });
  if ('done' in set) Object.assign(store, { dayLimit: limits.dayLimit, refundDayLimit: limits.refundDayLimit });
  const says = limits.dayLimit === null ? 'without a limit a day' : `of ${cents(limits.dayLimit)} a day`;
  return by(store, `gets a limit ${says}: ${outcome(set)}`);
}

function send(chain: SimulatedChain, currency: string, dollars: bigint): void {
  const [payer, recipient] = [RELAYER[chain.spec.family], WALLET[chain.spec.family]];
  const token = chain.spec.tokens[currency]!.contract;
  chain.pay({ token, payer, recipient, amount: dollars * 100n * centOf(chain, currency) });
}

/** The operator fills the refund wallet on every network. */
export function fundAll({ chains }: World): void {
  for (const chain of chains) for (const currency of Object.keys(chain.spec.tokens)) send(chain, currency, 1_000_000n);
}

function fund({ world, random }: Scene): string {
  const chain = random.pick(world.chains);
  const currency = random.pick(Object.keys(chain.spec.tokens));
  const dollars = BigInt(random.int(1, 500));
  send(chain, currency, dollars);
  return `The operator sends ${dollars} ${currency} on ${chain.network} to the refund wallet`;
}

/** The command is silent at any moment. */
async function check({ harness }: World): Promise<string> {
  const broken = (await checkBooks(harness.database.pool)).filter(({ count }) => count > 0);
  if (broken.length > 0)
    throw new Error(`check-books: ${broken.map(({ id, violations }) => `${id} ${violations[0]}`).join('; ')}`);
  return 'An operator checks the books';
}

export const OPERATOR_ACTIONS: readonly Action[] = [
  { name: 'freeze signing', weight: 2, act: freeze },
  {
    name: 'unfreeze signing',
    weight: 14,
    act: ({ world }) => (unfreeze(world) ? 'A person at the signer’s terminal unfreezes it' : null),
  },
  { name: 'decide about a large refund', weight: 10, act: decideSome },
  { name: 'suspend or reinstate a store', weight: 2, act: suspend },
  { name: 'set a store’s limits', weight: 2, act: setLimits },
  { name: 'fund the refund wallet', weight: 2, act: fund },
  { name: 'check the books', weight: 3, act: ({ world }) => check(world) },
];
