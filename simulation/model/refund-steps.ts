// Refunds of every shape: requests above and below what is left, conversions, payments, failures, and shares for several payers.

import { centsAddingUp } from '@/lib/money/amounts';
import { sharesOf } from '@/lib/refunds/request/shares';
import { CENT, fine, sum } from '@/simulation/oracles/naive';
import type { NaiveRefund } from '@/simulation/oracles/naive-ledger';
import type { Random } from '@/simulation/random';
import { ASSETS, decimalsOf, type Model } from './model';
import { same, type Step } from './step';

const at = ({ now, windowDays }: Model) => ({ now, windowDays });

function drawCents(model: Model, random: Random): bigint {
  const left = model.ledger.refundable(at(model));
  const { dueCents } = model.terms;
  const part = (dueCents * BigInt(random.int(1, 99))) / 100n;
  const cents = random.pick([left, left, left + 1n, left - 1n, part, part, left / 2n, left / 3n, dueCents, 1n]);
  return cents > 0n ? cents : 1n;
}

function request(model: Model, random: Random): string | null {
  const cents = drawCents(model, random);
  const asked = {
    ...at(model),
    ...{ cents, currency: random.pick(['USDT', 'USDC']), tokensOn: model.tokensOn },
    network: model.product.completedNetwork ?? '',
  };
  if (model.product.status !== 'completed' && !random.chance(10)) return null;
  const id = `refund ${model.ledger.refunds.length + 1}`;
  const says = `The merchant refunds ${cents} cents of ${asked.currency} (${id})`;
  const reasons = model.ledger.objectionsTo(asked);
  const answer = model.refunds.request(id, asked);
  if (typeof answer === 'string') {
    if (!reasons.includes(answer)) throw new Error(`${says}: the product refuses with ${answer}, and nothing is wrong`);
    return `${says}: ${answer}`;
  }
  if (reasons.length > 0) throw new Error(`${says}: the product accepts it in spite of ${reasons.join()}`);
  const [fault] = model.ledger.planFaults(answer, asked);
  if (fault !== undefined) throw new Error(`${says}: ${fault}`);
  const paid = { network: answer.network, currency: asked.currency };
  model.ledger.refunds.push({ id, cents, paid, takes: answer.takes, state: 'reserved' });
  return `${says}, from ${answer.takes.map((one) => `${one.amount} ${one.currency} on ${one.network}`).join(' and ')}`;
}

/**
 * The operator exchanges what is reserved in other assets, if the operator's own money is enough. A refund of nothing but the
 * paid asset needs none of it: not even where it is negative because a conversion was undone after its money was used.
 */
function convert(model: Model, refund: NaiveRefund): boolean {
  const { paid, cents, takes } = refund;
  const own = takes.filter((one) => one.network === paid.network && one.currency === paid.currency);
  const isExact = sum(own.map(({ amount }) => amount)) === cents * 10n ** BigInt(decimalsOf(paid) - 2);
  refund.state = 'converted';
  const key = `operator ${paid.network}-${paid.currency}`;
  const isPossible = isExact || (model.ledger.balances().get(key) ?? 0n) >= 0n;
  if (!isPossible) refund.state = 'reserved';
  return same(`${refund.id} is converted`, model.refunds.convert(refund.id), isPossible);
}

function process(model: Model, random: Random): string | null {
  const open = model.ledger.refunds.filter(({ state }) => state === 'reserved' || state === 'converted');
  if (open.length === 0) return null;
  const refund = random.pick(open);
  if (random.chance(35)) {
    model.refunds.release(refund.id);
    refund.state = 'released';
    return `${refund.id} is canceled or fails`;
  }
  if (refund.state === 'reserved' && !convert(model, refund)) return `${refund.id} waits for the operator’s float`;
  if (random.chance(30)) return `${refund.id} is converted and not paid yet`;
  model.refunds.pay(refund.id);
  refund.state = 'paid';
  return `${refund.id} is paid`;
}

/** The refund of a payment exception arrives, or ends without a payment. */
function finishReturn({ product, refunds, naive, ledger }: Model, random: Random): string | null {
  const open = [...product.caseRefunds].filter(([, status]) => status === 'pending').map(([id]) => id);
  if (open.length === 0) return null;
  const id = random.pick(open);
  if (random.chance(40)) {
    product.caseRefunds.set(id, 'failed');
    naive.rows.find(({ transfer }) => transfer.id === id)!.isReturning = false;
    return `The return of payment ${id} fails`;
  }
  const row = naive.rows.find(({ transfer }) => transfer.id === id)!;
  const cents = fine(row.owed, row.transfer.decimals) / CENT;
  same(`the cents of the return of payment ${id}`, refunds.caseCents(id), cents);
  refunds.payCase(id);
  ledger.returned.push({ transferId: id, cents });
  return `Payment ${id} is back at its sender`;
}

function fund(model: Model, random: Random): string {
  const asset = random.pick(ASSETS);
  const cents = model.terms.dueCents / BigInt(random.pick([1, 2, 10])) + 1n;
  const amount = { ...asset, amount: cents * 10n ** BigInt(decimalsOf(asset) - 2) };
  model.refunds.fund(amount);
  model.ledger.funding.push(amount);
  return `The operator puts ${cents} cents of ${asset.currency} on ${asset.network} into the wallet`;
}

/** What each payer would get of a refund of all: no payer more than they paid, and no cent lost. */
function share(model: Model, random: Random): string | null {
  const rows = model.naive.rows.filter(({ price }) => price > 0n);
  if (rows.length === 0 || model.product.status !== 'completed') return null;
  const worths = rows.map(({ price, transfer }) => fine(price, transfer.decimals));
  const total = sum(worths) / CENT;
  const cents = centsAddingUp(worths, total);
  if (sum(cents) !== total) throw new Error(`the cents of all payers are ${sum(cents)} instead of ${total}`);
  const isFair = cents.every((one, index) => one * CENT > worths[index]! - CENT && one * CENT < worths[index]! + CENT);
  if (!isFair) throw new Error('rounding moves a cent or more between payers');
  const parts = rows.map(({ transfer }, index) => ({ ...transfer, address: transfer.id, remaining: cents[index]! }));
  const amount = random.pick([total, total + 1n, (total * BigInt(random.int(1, 99))) / 100n + 1n]);
  const shares = sharesOf(amount, parts);
  if (shares === null || amount > total)
    return `Nobody can share ${same('shares above what was paid', shares, null) ?? amount} cents`;
  if (sum(shares.map((one) => one.cents)) !== amount) throw new Error('the shares are not the refund');
  for (const one of shares) {
    const exact = amount * one.remaining;
    const isNear = one.cents * total > exact - total && one.cents * total < exact + total;
    if (one.cents > one.remaining || !isNear)
      throw new Error(`the share of payment ${one.address} is ${one.cents} cents`);
  }
  return `${shares.length} payers would share ${amount} cents`;
}

export const REFUND_STEPS: readonly Step[] = [
  { name: 'request a refund', weight: 16, act: ({ model, random }) => request(model, random) },
  { name: 'process a refund', weight: 14, act: ({ model, random }) => process(model, random) },
  { name: 'finish a return', weight: 6, act: ({ model, random }) => finishReturn(model, random) },
  { name: 'fund', weight: 2, act: ({ model, random }) => fund(model, random) },
  { name: 'share', weight: 3, act: ({ model, random }) => share(model, random) },
];
