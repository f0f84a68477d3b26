// Payouts in batches: the signer's operator lets it pay them together, and several payouts of one token are due at once. A batch meets the
// troubles of payments, a stopped address or a hit of one of its payouts, or an issuer who refuses transfers that are signed.

import { crashDuring } from '@/simulation/faults/process-faults';
import { centOf } from '@/simulation/chain/units';
import { CUSTOMERS } from '@/simulation/parties';
import { addressesInUse } from '@/simulation/payouts/records';
import type { SimulatedStore } from '@/simulation/stores';
import type { Action, Scene } from './action';
import { goOn, NO_ORDER, openPaidOrder, stepsOn, type Means } from './orders';
import { payableNow, request, stopAddress } from './paying-out';
import { requestOfOrder } from './payout-journeys';
import { recover, runSome } from './product';
import { runRefunds, takeUp, type Refunding } from './refunding';
import { listPeople, SCREENING_STEPS } from './screening';
import { PAYMENT_TROUBLES } from './troubles';
import { walletsOf } from './payouts';

/** What the worker needs to set the allowances of both tokens, one after the other, and to see them final. */
const ROUNDS_OF_ALLOWANCE = 5;
const isEvm = ({ chain }: Means): boolean => chain.spec.family === 'evm';

/** Payouts of a part each, as many as a batch needs, of what the store can take when its payers are cleared. The store has an address by then. */
async function requestParts(scene: Scene, store: SimulatedStore, { chain, currency }: Means): Promise<string[]> {
  const count = scene.random.int(3, 5);
  await runSome(scene.world, SCREENING_STEPS);
  const { least } = await payableNow(scene.world, { storeId: store.storeId, network: chain.network, currency });
  const part = least / centOf(chain, currency) / BigInt(count + 1);
  const told: string[] = [];
  if (part <= BigInt(count)) return ['nothing can be paid out'];
  for (let left = count; left > 0; left--)
    told.push((await request(scene, { store, chain, currency, amount: part - BigInt(left) })).says);
  return told;
}

/** The issuer refuses transfers of a signed batch: its transaction lands and leaves them out. */
async function issuerRefuses(at: Refunding, payee: string | undefined): Promise<string> {
  const { world, random } = at.scene;
  const { chain, currency } = at.order.means;
  const refused = payee !== undefined && random.chance(50) ? payee : '*';
  await runRefunds(at);
  world.records.blocked.add(`${chain.network} ${currency} ${refused}`);
  chain.refuse(chain.spec.tokens[currency]!.contract, refused);
  await goOn(at.scene, stepsOn(at.order.means, 'refunds'), { rounds: 2 });
  if (random.chance(70)) chain.allowAll();
  return `the issuer of ${currency} on ${chain.network} refuses transfers to ${refused === '*' ? 'everybody' : 'the owner'}`;
}

const KINDS = ['none', 'crash', 'stop', 'stop', 'hit', 'refusal', 'refusal', 'network', 'network'] as const;

/** What happens to the batch between its payouts' requests and its end. */
async function trouble(at: Refunding): Promise<string> {
  const { scene, order } = at;
  const { world, random } = scene;
  const { store } = order.terms;
  const kind = random.pick(KINDS);
  if (kind === 'none') return 'nothing stands in the way';
  const [address] = addressesInUse(world.records.payouts, {
    storeId: store.storeId,
    network: order.means.chain.network,
  });
  if (kind === 'refusal') return issuerRefuses(at, address?.address);
  if (kind === 'network') {
    const fit = PAYMENT_TROUBLES.filter(({ isFit }) => isFit?.(order.means, scene) ?? true);
    return random.pick(fit).act(at);
  }
  // A request without an answer is the one that a stop or a hit can still undo.
  const point =
    kind === 'crash' || random.chance(30)
      ? random.pick(['after-draft', 'after-asked', 'after-signed', 'after-stored'] as const)
      : 'after-asked';
  await crashDuring(world, point, () => runRefunds(at));
  recover(world);
  const told = [`the worker dies at "${point}"`];
  if (kind === 'stop' && address) told.push(`an address is stopped: ${await stopAddress(world, address)}`);
  if (kind === 'hit') told.push(`a list names the owner: ${await listPeople(world, walletsOf(world, store)[0])}`);
  world.advance(60);
  return told.join('; ');
}

async function together(scene: Scene): Promise<string | null> {
  const { world, random } = scene;
  const { signer } = world.harness;
  if (signer.isDown || !world.chains.some((chain) => chain.spec.family === 'evm')) return null;
  signer.setBatches(true);
  const amount = BigInt(random.int(2000, 12_000));
  const order = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount, isFit: isEvm });
  if (!order) return NO_ORDER;
  const { means, terms } = order;
  const steps = stepsOn(means, 'refunds');
  const told = ['the signer pays payouts in batches', await requestOfOrder(scene, order)];
  await goOn(scene, steps, { rounds: ROUNDS_OF_ALLOWANCE });
  // The next order is paid out in parts, together with what other stores request.
  const isFit = ({ chain }: Means): boolean => chain === means.chain;
  const next = await openPaidOrder(scene, random.pick(CUSTOMERS), { amount, store: terms.store, isFit });
  if (!next) return told.join('; ');
  told.push(...(await requestParts(scene, terms.store, next.means)));
  const at = { scene, order: next, refundId: '' };
  await takeUp(at);
  told.push(await trouble(at));
  await goOn(scene, stepsOn(next.means, 'refunds'), { rounds: random.int(1, 4), blocks: random.pick([1, 6]) });
  if (random.chance(20)) {
    signer.setBatches(false);
    told.push('the signer pays no batches any more');
    await goOn(scene, stepsOn(next.means, 'refunds'), { rounds: 2 });
  }
  return told.join('; ');
}

export const BATCH_JOURNEYS: readonly Action[] = [{ name: 'payouts are paid together', weight: 12, act: together }];
