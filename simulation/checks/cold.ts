// Cold transfers and refills of the refund wallet, judged by the simulated chains, by what the signer was asked for, and by what people had
// requested at that moment.

import type { ChainTransfer } from '@/simulation/chain/chain';
import { centOf, currencyOf } from '@/simulation/chain/units';
import type { ColdRow, ColdRows } from '@/simulation/cold/rows';
import { isUnlimited } from '@/simulation/cold/settings';
import { walletBalance } from '@/simulation/cold/look';
import type { ColdCall } from '@/simulation/cold/signed';
import { COLD, WALLET } from '@/simulation/parties';
import { firstSigned } from '@/simulation/payouts/signed';
import type { RefundRow } from '@/simulation/snapshot';
import { depositAddress } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';
import { sentFromWallet } from './wallet-sent';

type Sent = ReturnType<typeof sentFromWallet>[number];

const signedCalls = ({ world: { harness }, after }: Checked): ReadonlyMap<string, ColdCall & { place: number }> =>
  firstSigned(harness.signer.cold, (id) => after.attempts.some((one) => one.refund_id === id));

/** Every cold transfer pays the pinned wallet once, the amount that the signer signed, and says what the chain says. */
export const coldTransfersPayOnce: Check = (checked) => {
  const { world, after, story } = checked;
  const signed = signedCalls(checked);
  const left = sentFromWallet(checked);
  const rows = new Map(after.cold_transfers.map((one) => [one.id, one]));
  return [
    ...left
      .filter(({ chain, recipient, id }) => recipient === COLD[chain.spec.family] && !signed.has(id ?? ''))
      .map(
        ({ chain, amount }) => `${amount} base units went to the cold wallet of ${chain.network} for no cold transfer`,
      ),
    ...[...signed.values()].flatMap(({ id, network, currency, amount, to }) => {
      const own = story.name('cold transfer', id);
      const paid = left.filter((one) => one.id === id);
      const isExact = paid.every(
        (one) =>
          one.chain.network === network &&
          one.amount === amount &&
          currencyOf(one.chain, one.token) === currency &&
          one.recipient === COLD[one.chain.spec.family],
      );
      const family = world.chains.find((one) => one.network === network)?.spec.family;
      return [
        ...(family && to === COLD[family] ? [] : [`${own} was signed to ${to}, which is not the cold wallet`]),
        ...(isExact ? [] : [`${own} over ${amount} base units of ${currency} paid something else`]),
        ...(paid.length > 1 ? [`${own} was paid twice`] : []),
      ];
    }),
    ...[...rows.values()].flatMap((row) =>
      outcomeFaults(row, left).map((fault) => `${story.name('cold transfer', row.id)} ${fault}`),
    ),
  ];
};

function outcomeFaults({ id, status, amount, currency, hash }: ColdRow, left: readonly Sent[]): string[] {
  const paid = left.filter((one) => one.id === id);
  const final = paid.filter(({ blockNumber, chain }) => blockNumber <= chain.final());
  const isBacked = final.some(
    (one) => one.hash === hash && one.amount === BigInt(amount) * centOf(one.chain, currency),
  );
  return [
    ...(status === 'completed' && !isBacked ? ['is completed, and no final transaction pays it'] : []),
    ...((status === 'canceled' || status === 'failed') && paid.length > 0 ? [`is ${status} and was paid`] : []),
  ];
}

const GONE: readonly string[] = ['canceled', 'failed'];

type Owed = { readonly id: string; readonly cents: bigint };

/**
 * When the signer first signs a cold transfer, the wallet keeps what all refunds and payouts need that were requested before, did not land
 * yet and are still wanted, and what other cold transfers on their way take. What a store cannot pay by its balance is not owed.
 */
export const coldTransfersLeaveWhatIsOwed: Check = (checked) => {
  const { world, story } = checked;
  const signed = [...signedCalls(checked).values()];
  const left = sentFromWallet(checked);
  const { judgedColdCalls: judged } = world.records;
  world.records.judgedColdCalls = world.harness.signer.cold.length;
  return signed
    .filter(({ place }) => place >= judged)
    .flatMap(({ id, network, currency, amount, facts, place }) => {
      const chain = world.chains.find((one) => one.network === network);
      if (!chain) return [];
      const isLanded = (payment: string): boolean =>
        left.some((one) => one.id === payment && one.chain === chain && one.blockNumber <= facts.final);
      const owed = owedAt(checked, { network, currency, facts }).filter((one) => !isLanded(one.id));
      const own = owed.reduce((sum, { cents }) => sum + cents * centOf(chain, currency), 0n);
      const others = signed
        .filter((one) => one.network === network && one.currency === currency && one.place < place)
        .filter((one) => !hasFailed(checked, one.id) && !isLanded(one.id))
        .reduce((sum, one) => sum + one.amount, 0n);
      return facts.balance - amount >= own + others
        ? []
        : [
            `${story.name('cold transfer', id)} left ${facts.balance - amount} base units of ${currency} on ${network}, of which ${own + others} were owed`,
          ];
    });
};

const hasFailed = ({ after }: Checked, id: string): boolean =>
  after.cold_transfers.some((one) => one.id === id && GONE.includes(one.status));

/**
 * Requested before the call in this asset, and neither given up nor without a reserve before or after this step. What holds it says nothing
 * about its reserve: the worker looks at an approval first. The return of a payment
 * is requested by a decision, so it counts from the next step on.
 */
function owedAt(
  { before, after }: Checked,
  { network, currency, facts }: Pick<ColdCall, 'network' | 'currency' | 'facts'>,
): readonly Owed[] {
  const isOwed = (row: OwedRow): boolean => {
    const was: OwedRow | undefined = [...before.refunds, ...before.payouts].find((one) => one.id === row.id);
    const isUnreserved = isWithoutReserve(row) || (was !== undefined && isWithoutReserve(was));
    const hadEnded = was !== undefined && GONE.includes(was.status);
    return !GONE.includes(row.status) && !isUnreserved && !hadEnded;
  };
  const refunds = after.refunds.filter(
    (row) =>
      row.network === network &&
      row.currency === currency &&
      isOwed(row) &&
      (before.refunds.some((one) => one.id === row.id) ||
        facts.refunds.some((one) => one.store.storeId === row.store_id && one.refundId === row.refund_id)),
  );
  const payouts = after.payouts.filter(
    (row) =>
      row.network === network &&
      row.currency === currency &&
      isOwed(row) &&
      facts.payouts.some((one) => one.id === row.id),
  );
  return [...refunds, ...payouts].map(({ id, amount }) => ({ id, cents: BigInt(amount) }));
}

type OwedRow = Pick<RefundRow, 'id' | 'status' | 'hold'> & Partial<Pick<RefundRow, 'is_reserved'>>;

/** A payout is reserved when it is requested. */
const isWithoutReserve = ({ hold, is_reserved: isReserved = true }: OwedRow): boolean =>
  hold === 'insufficient_balance' || !isReserved;

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);

/**
 * What final blocks brought to the refund wallet in a token: from deposit addresses, and from anybody else with what it had at first. Returns
 * that have landed, or may still, are booked as such (cold-returns.ts).
 */
function broughtTo(
  { world, after }: Pick<Checked, 'world' | 'after'>,
  { network, currency }: { readonly network: string; readonly currency: string },
) {
  const chain = world.chains.find((one) => one.network === network);
  if (!chain) return { refills: 0n, funding: 0n };
  const returned = new Set(
    after.cold_returns
      .filter(({ outcome, is_signed: isSigned }) => outcome === 'landed' || (outcome === null && isSigned))
      .map((one) => `${one.network} ${one.landed_hash ?? one.hash}`),
  );
  const own = new Set([...world.sessions, ...world.lost.sessions].map((terms) => depositAddress(terms, chain)));
  const came = chain
    .transfers(chain.final())
    .filter(
      ({ token, recipient }) =>
        token === chain.spec.tokens[currency]?.contract && recipient === WALLET[chain.spec.family],
    );
  const first = (world.firstFunds.get(network) ?? 0n) * 100n * centOf(chain, currency);
  const isFunding = ({ payer, hash }: ChainTransfer): boolean => !own.has(payer) && !returned.has(`${network} ${hash}`);
  return {
    refills: sumOf(came.filter(({ payer }) => own.has(payer)).map(({ amount }) => amount)),
    funding: first + sumOf(came.filter(isFunding).map(({ amount }) => amount)),
  };
}

/** An endpoint hid something once, or an older database guessed: then a surplus may have been booked as what it was not. */
const isInDoubt = ({ isRestored, endpoints, records }: World, network: string): boolean =>
  isRestored || records.hasClockGoneBack || endpoints.some((one) => one.chain.network === network && one.hasLied);

const isBroughtIn = ({ kind }: ColdRows['wallet_books'][number]): boolean => kind !== 'cold_return';

/** The ledger has at most the sweeps and the funding that reached the refund wallet, and never takes one for the other. */
export const refillsAreBookedOnce: Check = ({ world, after }) =>
  after.wallet_books.filter(isBroughtIn).flatMap(({ kind, network, currency, amount }) => {
    const { refills, funding } = broughtTo({ world, after }, { network, currency });
    const most = kind === 'refill' ? refills : funding;
    const isSure = kind === 'refill' ? !world.isRestored : !isInDoubt(world, network);
    return isSure && BigInt(amount) > most
      ? [`the ledger has ${amount} base units of ${currency} on ${network} as ${kind}, the chain brought ${most}`]
      : [];
  });

/** When everything is quiet, all of it is booked. What left the address of a session that a restored database has forgotten is funding. */
export const everyRefillIsBooked: Check = ({ world, after }) =>
  world.chains.flatMap((chain) =>
    Object.keys(chain.spec.tokens).flatMap((currency) => {
      const { network } = chain;
      const { refills, funding } = broughtTo({ world, after }, { network, currency });
      const booked = (kind: 'refill' | 'funding'): bigint =>
        BigInt(
          after.wallet_books.find((one) => one.kind === kind && one.network === network && one.currency === currency)
            ?.amount ?? 0,
        );
      return [
        ...(booked('refill') < refills && !world.isRestored
          ? [`sweeps brought ${refills} base units of ${currency} on ${network}, booked are ${booked('refill')}`]
          : []),
        ...(booked('funding') < funding && !isInDoubt(world, network)
          ? [`funding brought ${funding} base units of ${currency} on ${network}, booked are ${booked('funding')}`]
          : []),
      ];
    }),
  );

/** Longer than the end of a history gives a transfer that begins last. Milliseconds. */
const LONGEST = 2 * 3_600_000;

/** Every cold transfer ends. One that waits for the signer's limits may stay. */
export const coldTransfersEnd: Check = ({ world, after, story }) =>
  after.cold_transfers
    .filter(({ status, hold }) => (status === 'pending' || status === 'processing') && hold !== 'limit')
    .filter(({ created_at: at }) => at < world.clock.now().getTime() - LONGEST)
    .map(
      ({ id, status, hold }) => `${story.name('cold transfer', id)} stays ${status} (${hold ?? 'without a reason'})`,
    );

/** Where the signer sets no limit that a history reaches, nothing stays above the high-water mark but what is owed. */
export const nothingStaysAboveTheMark: Check = ({ world, after }) => {
  const { cold } = world.harness.signer.settings;
  if (cold === null || !isUnlimited(cold)) return [];
  return world.chains.flatMap((chain) =>
    Object.keys(chain.spec.tokens).flatMap((currency) => {
      const { network } = chain;
      const balance = walletBalance(world, { network, currency });
      const owed = [...after.refunds, ...after.payouts]
        .filter((one) => one.network === network && one.currency === currency)
        .filter(({ status }) => status === 'pending' || status === 'processing')
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      const most = (BigInt(cold.high) * 100n + owed) * centOf(chain, currency);
      // A customer may have paid more than any transfer takes (limits.ts).
      const isPossible = balance - most <= cold.perTransfer * centOf(chain, currency);
      return balance > most && isPossible
        ? [`the refund wallet keeps ${balance} base units of ${currency} on ${network}, above its mark of ${most}`]
        : [];
    }),
  );
};
