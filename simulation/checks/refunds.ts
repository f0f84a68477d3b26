// Where refunds went, judged by the chain alone: what left the refund wallet, to whom, and what these people had paid.

import type { ChainTransfer, SimulatedChain } from '@/simulation/chain/chain';
import { centOf, currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import { EXCHANGE, WALLET } from '@/simulation/parties';
import { namedFor } from '@/simulation/records';
import { depositAddress } from '@/simulation/stores';
import type { Check } from './check';

type SentRefund = ChainTransfer & { readonly chain: SimulatedChain };

const sentRefunds = (chains: readonly SimulatedChain[]): SentRefund[] =>
  chains.flatMap((chain) =>
    chain
      .transfers(chain.height())
      .filter(({ payer }) => payer === WALLET[chain.spec.family])
      .map((one) => ({ ...one, chain })),
  );

/** Stands for everybody who paid to a session. */
const ANYBODY = 'anybody';

/**
 * Every payment of the wallet belongs to a refund of its exact amount, which has no other one; and each address got from a session at
 * most what it had paid to it, unless the customer named it.
 */
export const refundsGoToTheirPayers: Check = ({ world, after, story }) => {
  const violations: string[] = [];
  const paidOut = new Map<string, string>();
  const returned = new Map<string, bigint>();
  for (const sentRefund of sentRefunds(world.chains)) {
    const { chain, hash, recipient, amount, token } = sentRefund;
    const currency = currencyOf(chain, token);
    const attempt = after.attempts.find((one) => one.hash === hash)?.refund_id;
    // Cold transfers and payouts have checks of their own.
    if ([...after.payouts, ...after.cold_transfers].some(({ id }) => id === attempt)) continue;
    const refund = after.refunds.find(({ id }) => id === attempt);
    if (!refund) {
      // Its refund, and perhaps its session, went with a database that was restored.
      if (world.lost.sentRefunds.has(hash)) continue;
      violations.push(`${amount} ${currency} left the wallet on ${chain.network} for no refund`);
      continue;
    }
    const own = story.name('refund', refund.id);
    if (paidOut.has(refund.id)) violations.push(`${own} was paid twice`);
    paidOut.set(refund.id, hash);
    if (amount !== BigInt(refund.amount) * centOf(chain, refund.currency) || currency !== refund.currency)
      violations.push(`${own} over ${refund.amount} cents paid ${amount} base units of ${currency}`);
    if (refund.status === 'canceled' || refund.status === 'failed')
      violations.push(`${own} is ${refund.status} and was paid`);
    const { byLink, onPage } = namedFor(world.records, refund);
    // A customer may name an address of their own, so that all payers of the session are its bound.
    const isNamed = byLink.has(recipient) || onPage.has(recipient);
    const key = `${refund.session_id} ${isNamed ? ANYBODY : recipient}`;
    returned.set(key, (returned.get(key) ?? 0n) + fineAmount(chain, currency, amount));
  }
  for (const [key, amount] of returned) {
    const [sessionId = '', recipient = ''] = key.split(' ');
    const terms = world.sessions.find(({ id }) => id === sessionId);
    const arrived = world.chains
      .flatMap((chain) => chain.transfers(chain.final()).map((one) => ({ ...one, chain })))
      .filter((one) => terms && one.recipient === depositAddress(terms, one.chain))
      .filter((one) => recipient === ANYBODY || one.payer === recipient);
    // Who pays by a service or a contract may not be able to use what is sent back.
    const isPlain = ({ hash, payer, chain }: SentRefund) =>
      !world.records.relayed.has(hash) && payer !== EXCHANGE[chain.spec.family];
    if (recipient !== ANYBODY && !arrived.some(isPlain))
      violations.push(
        `${recipient} got a refund of ${story.name('session', sessionId)} and never sent a payment itself`,
      );
    const paid = arrived.reduce(
      (sum, one) => sum + fineAmount(one.chain, currencyOf(one.chain, one.token), one.amount),
      0n,
    );
    if (amount > paid)
      violations.push(
        `${recipient} got ${amount / FINE} cents back for ${story.name('session', sessionId)}, and had paid ${paid / FINE}`,
      );
  }
  for (const refund of after.refunds) {
    const isFinal = sentRefunds(world.chains).some(
      ({ hash, blockNumber, chain }) => hash === refund.hash && blockNumber <= chain.final(),
    );
    if (refund.status === 'completed' && !isFinal)
      violations.push(`${story.name('refund', refund.id)} is completed, and no final transaction pays it`);
  }
  return violations;
};

/** Refunds of one session together are at most its price, whatever became of their requests. */
export const refundsStayWithinThePrice: Check = ({ world, after, story }) =>
  after.sessions.flatMap(({ id, amount_due }) => {
    const live = after.refunds.filter(
      (one) => one.session_id === id && one.case_id === null && one.status !== 'failed' && one.status !== 'canceled',
    );
    const sum = live.reduce((total, one) => total + BigInt(one.amount), 0n);
    return sum > BigInt(amount_due) || (sum > 0n && !world.sessions.some((one) => one.id === id))
      ? [`refunds over ${sum} cents are open for ${story.name('session', id)} over ${amount_due}`]
      : [];
  });

/**
 * Nothing is signed before the waiting period that the operator set has passed. A restored database may know the signature and
 * not when its refund began.
 */
export const refundsWaitBeforeTheyAreSigned: Check = ({ world, after, story }) =>
  world.isRestored || world.records.hasClockGoneBack
    ? []
    : after.attempts.flatMap(({ refund_id: id, signed_at: signedAt }) => {
        const refund = after.refunds.find((one) => one.id === id);
        const seconds = world.context.config.REFUND_HOLD_SECONDS_TEST;
        return refund && signedAt !== null && signedAt < refund.created_at + seconds * 1000
          ? [`${story.name('refund', id)} was signed within its waiting period of ${seconds} s`]
          : [];
      });

const AN_HOUR = 3_600_000;

/** The signer's first signatures of one currency are within its limit in any hour. */
export const hourLimitsOfTheSignerHold: Check = ({ world, after }) => {
  const { perHour } = world.harness.signer.settings;
  if (world.isRestored || world.records.hasClockGoneBack) return [];
  const first = new Map<string, number>();
  for (const { refund_id: id, signed_at: at } of after.attempts)
    if (at !== null) first.set(id, Math.min(at, first.get(id) ?? at));
  const signed = after.refunds.flatMap(({ id, currency, amount }) => {
    const at = first.get(id);
    return at === undefined ? [] : [{ currency, at, cents: BigInt(amount) }];
  });
  return signed.flatMap(({ currency, at: end }) => {
    const sum = signed
      .filter((one) => one.currency === currency && one.at <= end && one.at > end - AN_HOUR)
      .reduce((total, one) => total + one.cents, 0n);
    return sum > perHour
      ? [`the signer signed ${sum} cents of ${currency} in an hour, with a limit of ${perHour}`]
      : [];
  });
};
