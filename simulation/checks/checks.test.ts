// Each check fails when it should: a snapshot in which all is well, doctored in one place.

import { describe, expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { Check, Checked } from './check';
import { BOB, doctored, without } from './doctored';
import {
  closedSessionsAreUnpaid,
  completedSessionsArePaid,
  everyTransferIsStored,
  storedTransfersAreReal,
} from './credits';
import { deliveredEventsWereReceived, everyEventIsDelivered } from './events';
import { otherStoresAreUntouched } from './isolation';
import { statusesFollowTheirMoves } from './moves';
import { everythingEnds } from './progress';
import {
  hourLimitsOfTheSignerHold,
  refundsGoToTheirPayers,
  refundsStayWithinThePrice,
  refundsWaitBeforeTheyAreSigned,
} from './refunds';

const EVERY: readonly Check[] = [
  ...[storedTransfersAreReal, completedSessionsArePaid, closedSessionsAreUnpaid, statusesFollowTheirMoves],
  ...[refundsGoToTheirPayers, refundsStayWithinThePrice, deliveredEventsWereReceived, everyEventIsDelivered],
  ...[otherStoresAreUntouched, everyTransferIsStored, everythingEnds],
  ...[refundsWaitBeforeTheyAreSigned, hourLimitsOfTheSignerHold],
];

it('finds nothing when all is well', () => {
  expect(EVERY.flatMap((check) => check(doctored({})))).toEqual([]);
});

describe('finds', () => {
  it.each<[string, Check, Checked, RegExp]>([
    ['a payment of another amount', storedTransfersAreReal, doctored({ transfers: { amount: '7' } }), /is stored as 7/],
    ['a payment that never was', storedTransfersAreReal, doctored({ transfers: { hash: '0x00' } }), /not final/],
    ['a payment of another payer', storedTransfersAreReal, doctored({ transfers: { payer: BOB } }), /is stored as/],
    [
      'a session that no merchant created',
      completedSessionsArePaid,
      doctored({ sessions: { id: 'other' } }),
      /no merchant created/,
    ],
    [
      'an expired session that was paid',
      closedSessionsAreUnpaid,
      doctored({ sessions: { status: 'expired' } }),
      /price/,
    ],
    [
      'a completed session that expires',
      statusesFollowTheirMoves,
      doctored({ sessions: { status: 'expired' } }),
      /went/,
    ],
    ['a payment that vanishes', statusesFollowTheirMoves, without('transfers'), /vanished/],
    ['an event that changes', statusesFollowTheirMoves, doctored({ events: { type: 'other' } }), /has changed/],
    [
      'a payment of another amount to a customer',
      refundsGoToTheirPayers,
      doctored({ refunds: { amount: '199' } }),
      /paid \d+ base/,
    ],
    [
      'a payment for a failed refund',
      refundsGoToTheirPayers,
      doctored({ refunds: { status: 'failed' } }),
      /and was paid/,
    ],
    ['a payment for no refund', refundsGoToTheirPayers, without('refunds'), /for no refund/],
    [
      'a refund without its payment',
      refundsGoToTheirPayers,
      doctored({ refunds: { hash: '0x00' } }),
      /no final transaction/,
    ],
    [
      'refunds above the price',
      refundsStayWithinThePrice,
      doctored({ refunds: { amount: '501' } }),
      /refunds over 501/,
    ],
    [
      'a refund that is signed too early',
      refundsWaitBeforeTheyAreSigned,
      doctored({ refunds: { created_at: 100_001 } }),
      /within its waiting period of 60 s/,
    ],
    [
      'a refund above the limit of an hour',
      hourLimitsOfTheSignerHold,
      doctored({ refunds: { amount: '201' } }),
      /signed 201 cents of USDT in an hour/,
    ],
    [
      'a delivery that no receiver got',
      deliveredEventsWereReceived,
      doctored({ deliveries: { event_id: 'x' } }),
      /not received/,
    ],
    ['an event without a delivery', everyEventIsDelivered, without('deliveries'), /never delivered/],
    [
      'a failed delivery to a healthy receiver',
      everyEventIsDelivered,
      doctored({ deliveries: { status: 'failed' } }),
      /never/,
    ],
    ['a payment that is not stored', everyTransferIsStored, without('transfers'), /is not stored/],
    ['a session that never ends', everythingEnds, doctored({ sessions: { status: 'pending' } }), /never ends/],
    ['a refund that never ends', everythingEnds, doctored({ refunds: { status: 'pending' } }), /stays pending/],
    [
      'what one store did to another',
      otherStoresAreUntouched,
      doctored({ refunds: { hold: 'x' }, store: 'me' }),
      /refunds of/,
    ],
  ])('%s', (_, check, checked, sentence) => {
    expect(check(checked).join('; ')).toMatch(sentence);
  });

  it('a refund that somebody else got', () => {
    const scene = doctored({});
    const [chain] = scene.world.chains;
    const hash = chain!.pay({
      token: chain!.spec.tokens.USDT!.contract,
      payer: WALLET.evm,
      recipient: BOB,
      amount: 200n * centOf(chain!, 'USDT'),
    });
    for (const time of [500, 600, 700]) chain!.mine(time);
    const after = { ...scene.after, attempts: [{ hash, refund_id: 'rf', signed_at: null }] };
    expect(refundsGoToTheirPayers({ ...scene, after }).join('; ')).toMatch(/had paid 0/);
  });
});
