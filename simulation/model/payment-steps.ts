// Payments of every shape, blocks that become final, time, and the merchant's decisions.

import { EXCEPTION_ACTIONS } from '@/lib/payments/exceptions/states';
import { fine } from '@/simulation/oracles/naive';
import { drawAtLimit } from '@/simulation/limits';
import type { Random } from '@/simulation/random';
import { ASSETS, decimalsOf, readingOf, settleBoth, type Model, type Payment } from './model';
import { same, type Step } from './step';

const MAX_PAYMENTS = 12;
const PAYERS = ['Alice', 'Bob', 'Carol'] as const;
const [CENT, FAR_FUTURE] = [10n ** 16n, 4_102_444_800];

/** Units of a token that are worth this at the precision of 18 decimals, rounded up. */
const unitsOf = (worth: bigint, decimals: number): bigint => {
  const unit = fine(1n, decimals);
  return (worth + unit - 1n) / unit;
};

/** What a contract can hold. */
const MOST = 2n ** 256n - 1n;

function drawAmount({ terms, sent, naive }: Model, random: Random, decimals: number): bigint {
  if (random.chance(1)) return drawAtLimit(random, { cent: 10n ** BigInt(decimals - 2), most: MOST }) ?? MOST;
  const due = terms.dueCents * CENT;
  const known = sent.reduce((sum, one) => sum + fine(one.amount, one.decimals), 0n);
  const left = random.pick([due - known, due - naive.receivedCents() * CENT, due]);
  const missing = unitsOf(left > 0n ? left : due, decimals);
  const cent = 10n ** BigInt(decimals - 2);
  const amount = random.pick([
    ...[missing, missing, missing, unitsOf(due, decimals)],
    ...[missing - 1n, missing + 1n, missing - cent, missing + cent, missing + cent - 1n, missing + 1234n * cent],
    ...[(missing * BigInt(random.int(1, 99))) / 100n, missing / 2n, missing / 3n + 1n],
    ...[cent, cent - 1n, 1n, (cent * BigInt(random.int(1, 199))) / 100n, (cent * 6n) / 10n],
  ]);
  return amount > 0n ? amount : 1n;
}

function drawTime({ terms, now }: Model, random: Random, network: string): number {
  const earliest = terms.createdAt - terms.marginOf(network);
  return random.pick([
    ...Array<number>(8).fill(now),
    ...[now - random.int(0, 120), now + random.int(0, 15), terms.expiresAt - 1, terms.expiresAt],
    ...[earliest, earliest - 1, 0, FAR_FUTURE, terms.createdAt],
  ]);
}

function drawPayment(model: Model, random: Random): Payment {
  const asset = random.pick(random.chance(80) ? model.terms.pairs : ASSETS);
  const decimals = decimalsOf(asset);
  const last = model.sent.at(-1);
  const number = model.sent.length + 1;
  // One transaction can pay a session twice.
  const isSibling = last !== undefined && last.network === asset.network && random.chance(10);
  return {
    ...{ ...asset, decimals, id: String(number), payer: random.pick(PAYERS) },
    amount: drawAmount(model, random, decimals),
    blockTime: isSibling ? last.blockTime : drawTime(model, random, asset.network),
    hash: isSibling ? last.hash : `0x${random.int(0, 99_999)}${number}`,
    ordinal: isSibling ? last.ordinal + 1 : 0,
  };
}

function pay(model: Model, random: Random): string | null {
  if (model.sent.length >= MAX_PAYMENTS) return null;
  const payment = drawPayment(model, random);
  const isSeen = random.chance(70);
  model.sent.push(payment);
  model.waiting.push({ payment, isSeen });
  const { id, payer, amount, decimals, currency, network, blockTime } = payment;
  const at = blockTime - model.terms.createdAt;
  return `${payer} sends ${decimalText(amount, decimals)} ${currency} on ${network} (payment ${id}, block time ${at} s${isSeen ? '' : ', unseen'})`;
}

export function decimalText(amount: bigint, decimals: number): string {
  const text = amount.toString().padStart(decimals + 1, '0');
  return `${text.slice(0, -decimals)}.${text.slice(-decimals).replace(/0+$/, '').padEnd(2, '0')}`;
}

/** Everything final on a network is stored and settled. Some payments only become known later, by a backfill. */
function readNetwork(model: Model, random: Random): string {
  const network = random.pick(Object.keys(model.readThrough));
  const isFound = ({ payment }: Model['waiting'][number]): boolean => payment.network === network && !random.chance(15);
  const found = model.waiting.filter(isFound).map(({ payment }) => payment);
  model.waiting = model.waiting.filter(({ payment }) => !found.includes(payment));
  const through = random.pick([model.now - random.int(0, 20), Math.min(model.now, model.terms.expiresAt)]);
  model.readThrough[network] = Math.max(model.readThrough[network] ?? 0, through);
  for (const side of [model.product, model.naive]) side.find(found);
  settleBoth(model);
  return `${network} is read${found.length > 0 ? `: payment ${found.map(({ id }) => id).join(' and ')}` : ''}`;
}

function passTime(model: Model, random: Random): string {
  const { terms, product, windowDays, now } = model;
  const toEnd = terms.expiresAt - now;
  const closedAt = (product.closedAt?.getTime() ?? 0) / 1000;
  // Rare, because nothing can be refunded afterwards.
  const toWindowEnd = product.closedAt !== null && random.chance(3) ? closedAt + windowDays * 86_400 - now : 1;
  const seconds = random.pick([1, random.int(1, 60), random.int(60, 900), toEnd, toEnd - 1, toWindowEnd]);
  if (seconds <= 0) return passTime(model, random);
  model.now += seconds;
  return `${seconds} s pass`;
}

function decide(model: Model, random: Random): string | null {
  const cases = model.product.stored.filter(({ exception }) => exception !== null);
  if (cases.length === 0) return null;
  const { transfer } = random.pick(cases);
  const action = random.pick(EXCEPTION_ACTIONS);
  const says = `The merchant decides "${action}" about payment ${transfer.id}`;
  const outcome = same(says, model.product.decide(transfer.id, action), model.naive.decide(transfer.id, action));
  if (outcome === 'done') settleBoth(model);
  return `${says}: ${outcome}`;
}

function cancel(model: Model): string | null {
  const isOpen = model.product.status === 'pending';
  const reading = readingOf(model);
  const done = same('the merchant cancels', model.product.cancel(reading), model.naive.cancel(reading));
  return isOpen ? `The merchant cancels the session: ${done ? 'done' : 'refused'}` : null;
}

function drop(model: Model, random: Random): string | null {
  if (model.waiting.length === 0) return null;
  const dropped = random.pick(model.waiting);
  model.waiting = model.waiting.filter((one) => one !== dropped);
  return `A reorganisation removes payment ${dropped.payment.id}`;
}

export const PAYMENT_STEPS: readonly Step[] = [
  { name: 'pay', weight: 16, act: ({ model, random }) => pay(model, random) },
  { name: 'read a network', weight: 30, act: ({ model, random }) => readNetwork(model, random) },
  { name: 'pass time', weight: 14, act: ({ model, random }) => passTime(model, random) },
  {
    name: 'expire',
    weight: 6,
    act: ({ model }) => {
      settleBoth(model, model.holdSeconds);
      return 'The expiry runs';
    },
  },
  { name: 'decide', weight: 22, act: ({ model, random }) => decide(model, random) },
  { name: 'cancel', weight: 1, act: ({ model }) => cancel(model) },
  { name: 'drop a payment', weight: 2, act: ({ model, random }) => drop(model, random) },
];
