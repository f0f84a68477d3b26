// The checks of what goes back fail when they should.

import { describe, expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import { sentRefundsOf, placeOf } from '@/simulation/sent-refunds';
import { name } from '@/simulation/records';
import type { RefundRow } from '@/simulation/snapshot';
import type { Check, Checked } from './check';
import { ALICE, BOB, doctored } from './doctored';
import {
  nothingGoesBackTwice,
  nothingIsDraftedWhileFreezing,
  paymentsGoBackToTheirSenders,
  refundDayLimitsHold,
  walletsNeedNoAddress,
} from './returns';

const EVERY: readonly Check[] = [
  ...[nothingGoesBackTwice, nothingIsDraftedWhileFreezing, paymentsGoBackToTheirSenders],
  ...[refundDayLimitsHold, walletsNeedNoAddress],
];

const found = (check: Check, checked: Checked): string => check(checked).join('; ');

/** The wallet pays so many cents to Alice, and nothing in the database names this payment. Returns its hash. */
function payOut({ world }: Checked, cents: bigint): string {
  const [chain] = world.chains as [Checked['world']['chains'][number]];
  const token = chain.spec.tokens.USDT!.contract;
  const hash = chain.pay({ token, payer: WALLET.evm, recipient: ALICE, amount: cents * centOf(chain, 'USDT') });
  for (const time of [500, 600, 700]) chain.mine(time);
  return hash;
}

/** The refund of the scene returns the session's payment, which did not count. */
const ofException = (change: Partial<RefundRow> = {}): Checked => doctored({ refunds: { case_id: '9', ...change } });

it('find nothing when all is well', () => {
  expect(EVERY.flatMap((check) => check(doctored({})))).toEqual([]);
  expect(EVERY.flatMap((check) => check(ofException()))).toEqual([]);
});

describe('what goes back', () => {
  it('is more than the payment when a restored database has forgotten that it went back', () => {
    const checked = ofException();
    const [{ network, hash, ordinal }] = checked.after.transfers as [Checked['after']['transfers'][number]];
    const sentRefund = payOut(checked, 301n);
    const transfer = placeOf({ network, hash, ordinal });
    checked.world.lost.returns.set(sentRefund, { hash: sentRefund, refund: 'former', session: 'other', transfer });
    expect(found(nothingGoesBackTwice, checked)).toMatch(/5.01 went back for a payment of 5.00/);
  });

  it('is more than the session got when a restored database has forgotten a refund of it', () => {
    const checked = doctored({});
    const sentRefund = payOut(checked, 301n);
    checked.world.lost.returns.set(sentRefund, { hash: sentRefund, refund: 'former', session: 'cs', transfer: null });
    expect(found(nothingGoesBackTwice, checked)).toMatch(/5.01 went back for session 1, which got 5.00/);
  });

  it('goes to the sender of the payment, or to the address that the customer named for this refund', () => {
    const checked = ofException();
    const after = { ...checked.after, transfers: checked.after.transfers.map((one) => ({ ...one, payer: BOB })) };
    expect(found(paymentsGoBackToTheirSenders, { ...checked, after })).toMatch(/went to 0xa1/);
    name(checked.world.records, 'rf', ALICE);
    expect(paymentsGoBackToTheirSenders({ ...checked, after })).toEqual([]);
  });

  it('is known for each signed transaction', () => {
    expect(sentRefundsOf(ofException().after)).toMatchObject(
      [{ refund: 'rf', session: 'cs', transfer: /^bsc / }].map(({ transfer, ...rest }) => ({
        ...rest,
        transfer: expect.stringMatching(transfer),
      })),
    );
  });
});

describe('the limit of a day', () => {
  const withLimit = (refundDayLimit: bigint, isNew: boolean): Checked => {
    const checked = doctored({});
    Object.assign(checked.world.stores[0]!, { refundDayLimit });
    return isNew ? { ...checked, before: { ...checked.before, refunds: [] } } : checked;
  };

  it.each([
    ['a new refund exceeds it', withLimit(199n, true), 1],
    ['a new refund reaches it', withLimit(200n, true), 0],
    ['it was lowered later', withLimit(199n, false), 0],
  ])('%s', (_, checked, count) => {
    expect(refundDayLimitsHold(checked)).toHaveLength(count);
  });
});

describe('a freeze that an operator has requested', () => {
  const frozen = (before: readonly string[], isCarriedOut: boolean): Checked => {
    const checked = doctored({});
    checked.world.records.freezing = new Set(before);
    return { ...checked, after: { ...checked.after, freezes: [{ id: '1', is_carried_out: isCarriedOut }] } };
  };

  it.each([
    ['a refund is drafted after it', frozen([], false), 1],
    ['a refund was drafted before it', frozen(['rf'], false), 0],
    ['the signer refuses by itself', frozen([], true), 0],
  ])('%s', (_, checked, count) => {
    expect(nothingIsDraftedWhileFreezing(checked)).toHaveLength(count);
  });
});

describe('a refund that waits for an address', () => {
  const waiting = (): Checked => {
    const checked = doctored({ refunds: { status: 'processing', hold: 'destination_needed' } });
    return { ...checked, after: { ...checked.after, exceptions: [] } };
  };

  it('is found when the only payer used a wallet', () => {
    expect(found(walletsNeedNoAddress, waiting())).toMatch(/asks for an address/);
  });

  const wasUnproven = ({ clock, records }: Checked['world'], hours: number) =>
    records.judgedUnproven.set('rf', clock.now().getTime() - hours * 3_600_000);

  it('is found when its payment has had its proof again for longer than a hold lasts', () => {
    const checked = waiting();
    wasUnproven(checked.world, 7);
    expect(found(walletsNeedNoAddress, checked)).toMatch(/asks for an address/);
  });

  it.each<[string, (checked: Checked) => unknown]>([
    ['the merchant asked for it', ({ world }) => world.records.addressWanted.add('rf')],
    ['somebody else ordered the payment', ({ world, after }) => world.records.relayed.add(after.transfers[0]!.hash)],
    ['the customer named one', ({ world }) => name(world.records, 'rf', BOB)],
    ['the database was restored', ({ world }) => (world.isRestored = true)],
    ['its payment had no proof when the worker judged it', ({ world }) => wasUnproven(world, 5)],
    ['payments have no proof now', ({ world }) => (world.records.hasUnproven = true)],
  ])('is right when %s', (_, change) => {
    const checked = waiting();
    change(checked);
    expect(walletsNeedNoAddress(checked)).toEqual([]);
  });
});
