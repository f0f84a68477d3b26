// Where payouts went, and how much: judged by the chain, by what owners did, and by what the signer was asked for.

import { centOf, currencyOf, FINE, fineAmount } from '@/simulation/chain/units';
import { firstSigned } from '@/simulation/payouts/signed';
import { depositAddress } from '@/simulation/stores';
import { cents } from '@/simulation/story';
import type { Check } from './check';
import { sentFromWallet } from './wallet-sent';

/** Every payout was requested by an owner, left at most once and with its exact amount, and says what the chain says. */
export const payoutsAreWhatOwnersRequested: Check = (checked) => {
  const { world, after, story } = checked;
  const requested = new Map(world.records.payouts.requested.map((one) => [one.id, one]));
  const left = sentFromWallet(checked);
  return [
    ...after.payouts.flatMap(({ id, status, amount, currency, network, hash }) => {
      const own = story.name('payout', id);
      const asked = requested.get(id);
      const paid = left.filter((one) => one.id === id);
      const isSame = asked?.network === network && asked.currency === currency && asked.cents === BigInt(amount);
      const isFinal = paid.some((one) => one.hash === hash && one.blockNumber <= one.chain.final());
      return [
        ...(isSame ? [] : [`no owner requested ${own} over ${amount} cents of ${currency} on ${network}`]),
        ...(status === 'completed' && !isFinal ? [`${own} is completed, and no final transaction pays it`] : []),
        ...((status === 'canceled' || status === 'failed') && paid.length > 0
          ? [`${own} is ${status} and was paid`]
          : []),
      ];
    }),
    ...[...requested.values()].flatMap(({ id, network, currency, cents: amount }) => {
      const own = story.name('payout', id);
      const paid = left.filter((one) => one.id === id);
      const isExact = paid.every(
        (one) =>
          one.chain.network === network &&
          one.currency === currency &&
          one.amount === amount * centOf(one.chain, currency),
      );
      return [
        ...(paid.length > 1 ? [`${own} was paid twice`] : []),
        ...(isExact ? [] : [`${own} over ${amount} cents of ${currency} paid another amount or token`]),
      ];
    }),
  ];
};

/** When the signer first signed a payout, its recipient was an address of the store on that network, past its delay and not stopped. */
export const payoutsGoToAddressesInUse: Check = ({ world, after, story }) => {
  const { records, context, harness } = world;
  const delay = context.config.PAYOUT_ADDRESS_DELAY_SECONDS_TEST * 1000;
  const known = new Map(records.payouts.requested.map((one) => [one.id, one]));
  const signed = firstSigned(harness.signer.payouts, (id) => after.attempts.some((one) => one.refund_id === id));
  return [...signed.values()].flatMap(({ id, network, to, at, place }) => {
    const isPayable = records.payouts.addresses.some(
      (one) =>
        one.storeId === known.get(id)?.storeId &&
        one.network === network &&
        one.address === to &&
        one.from <= place &&
        place < (one.until ?? Number.POSITIVE_INFINITY) &&
        (records.hasClockGoneBack || at >= one.addedAt + delay),
    );
    return isPayable ? [] : [`${story.name('payout', id)} was signed to ${to}, which its store did not use then`];
  });
};

/** Together with its refunds, a store gets at most what reached its sessions, and of each token on each network too. */
export const storesGetAtMostWhatTheyReceived: Check = (checked) => {
  const { world, after } = checked;
  const known = [...world.sessions, ...world.lost.sessions];
  const left = sentFromWallet(checked);
  const moved = world.chains.flatMap((chain) =>
    chain.transfers(chain.final()).map((one) => {
      const currency = currencyOf(chain, one.token);
      return { ...one, chain, currency, fine: fineAmount(chain, currency, one.amount) };
    }),
  );
  const sumOf = (all: readonly { readonly fine: bigint }[]): bigint => all.reduce((sum, { fine }) => sum + fine, 0n);
  const storeOfRefund = ({ id, hash }: { readonly id: string | null; readonly hash: string }): string | undefined =>
    after.refunds.find((one) => one.id === id)?.store_id ??
    known.find((one) => one.id === world.lost.returns.get(hash)?.session)?.store.storeId;
  return world.stores.flatMap(({ storeId, name }) => {
    const payouts = new Set(
      world.records.payouts.requested.filter((one) => one.storeId === storeId).map(({ id }) => id),
    );
    const paidOut = left.filter(({ id }) => id !== null && payouts.has(id));
    if (paidOut.length === 0) return [];
    const own = known.filter(({ store }) => store.storeId === storeId);
    const came = moved.filter((one) => own.some((terms) => depositAddress(terms, one.chain) === one.recipient));
    const refunded = left.filter((one) => storeOfRefund(one) === storeId);
    const [got, back] = [sumOf(paidOut), sumOf(refunded)];
    const assets = new Set(paidOut.map(({ chain, currency }) => `${currency} on ${chain.network}`));
    const ofAsset = (all: readonly (typeof came)[number][], asset: string): bigint =>
      sumOf(all.filter(({ chain, currency }) => `${currency} on ${chain.network}` === asset));
    return [
      ...(got + back > sumOf(came)
        ? [`${name} got ${cents(got / FINE)} and gave back ${cents(back / FINE)} of ${cents(sumOf(came) / FINE)}`]
        : []),
      ...[...assets].flatMap((asset) =>
        ofAsset(paidOut, asset) > ofAsset(came, asset)
          ? [
              `${name} got ${cents(ofAsset(paidOut, asset) / FINE)} ${asset}, where ${cents(ofAsset(came, asset) / FINE)} came`,
            ]
          : [],
      ),
    ];
  });
};

const AN_HOUR = 3_600_000;

/** The signer's first signatures for payouts in one currency are within its limit in any hour. */
export const hourLimitOfPayoutsHolds: Check = ({ world, after }) => {
  const { signer } = world.harness;
  const { perHour } = signer.settings.payouts;
  if (world.records.hasClockGoneBack) return [];
  const signed = [...firstSigned(signer.payouts, (id) => after.attempts.some((one) => one.refund_id === id)).values()];
  return signed.flatMap(({ currency, at: end }) => {
    const sum = signed
      .filter((one) => one.currency === currency && one.at <= end && one.at > end - AN_HOUR)
      .reduce((total, { network, amount }) => {
        const chain = world.chains.find((one) => one.network === network);
        return chain ? total + amount / centOf(chain, currency) : total;
      }, 0n);
    return sum > perHour
      ? [`the signer paid out ${sum} cents of ${currency} in an hour, with a limit of ${perHour}`]
      : [];
  });
};

/** A payout fails only because the issuer has blocked its recipient, or stopped the token after the signature. */
export const payoutsFailForLastingReasons: Check = ({ world: { records }, after, story }) =>
  after.payouts.flatMap(({ id, status, network, currency, store_id: storeId }) => {
    const isRefused = (address: string): boolean => records.blocked.has(`${network} ${currency} ${address}`);
    const own = records.payouts.addresses.filter((one) => one.storeId === storeId && one.network === network);
    return status === 'failed' &&
      !records.ended.has(id) &&
      !isRefused('*') &&
      !own.some(({ address }) => isRefused(address))
      ? [`${story.name('payout', id)} failed although its recipient was not blocked`]
      : [];
  });
