// Each check fails when it should: a snapshot in which all is well, doctored in one place.

import { describe, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openEvmChain } from '@/simulation/chain/evm-chain';
import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { SimulatedReceiver } from '@/simulation/receivers';
import { EMPTY, type Snapshot } from '@/simulation/snapshot';
import { openStory } from '@/simulation/story';
import type { SimulatedStore, Terms, World } from '@/simulation/world';
import type { Check, Checked } from './check';
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
import { refundsGoToTheirPayers, refundsStayWithinThePrice } from './refunds';

const [ALICE, BOB, ADDRESS] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`, `0x${'d0'.repeat(20)}`];
const EXPIRES = 1000;

/** Alice paid 5.00 for session cs in time, got 2.00 back as refund rf, and every event arrived. */
function openScene(): { readonly world: World; readonly snapshot: Snapshot } {
  const spec = networkSpec('test', 'bsc', 'local')!;
  const chain = openEvmChain({ spec, finalDepth: 2, wallet: WALLET.evm, unixSeconds: 0 });
  const cent = centOf(chain, 'USDT');
  const token = spec.tokens.USDT!.contract;
  const hash = chain.pay({ token, payer: ALICE, recipient: ADDRESS, amount: 500n * cent });
  chain.mine(100);
  const payout = chain.pay({ token, payer: WALLET.evm, recipient: ALICE, amount: 200n * cent });
  for (const time of [200, 300, 400]) chain.mine(time);
  const receiver = {
    received: [{ headers: { 'x-service-event-id': 'ev' }, body: Buffer.from('{}') }],
    hasFailed: false,
  };
  const store = { storeId: 'st', name: 'store 1', secret: '', receiver: receiver as unknown as SimulatedReceiver };
  const terms: Terms = {
    ...{
      id: 'cs',
      orderId: 'order',
      dueCents: 500n,
      currency: 'USDT',
      addresses: { evm: ADDRESS, tron: '', solana: '' },
    },
    ...{
      networks: ['bsc'],
      tokens: ['USDT'],
      createdAt: 0,
      expiresAt: EXPIRES,
      isDecided: false,
      store: store as SimulatedStore,
    },
  };
  const world = {
    chains: [chain],
    sessions: [terms],
    stores: [store],
    harness: { signer: { frozen: () => null } },
    lost: { sessions: new Set(), events: new Set(), payouts: new Map() },
  };
  const snapshot: Snapshot = {
    ...EMPTY,
    sessions: [
      {
        ...{
          id: 'cs',
          store_id: 'st',
          status: 'completed',
          exception: 'none',
          amount_due: '500',
          amount_received: '500',
        },
        ...{ amount_refunded: '200', networks: ['bsc'], address: ADDRESS, completed_network: 'bsc' },
        completed_currency: 'USDT',
      },
    ],
    transfers: [
      {
        ...{
          id: '1',
          network: 'bsc',
          session_id: 'cs',
          hash,
          ordinal: 0,
          currency: 'USDT',
          payer: ALICE,
          recipient: ADDRESS,
        },
        amount: String(500n * cent),
      },
    ],
    refunds: [
      {
        ...{ id: 'rf', store_id: 'st', refund_id: 'r-1', session_id: 'cs', case_id: null, status: 'completed' },
        ...{ amount: '200', currency: 'USDT', network: 'bsc', destination: ALICE, hold: null, hash: payout },
      },
    ],
    attempts: [{ hash: payout, refund_id: 'rf' }],
    exceptions: [{ id: '9', session_id: 'cs', kind: 'overpaid', state: 'kept' }],
    events: [{ id: 'ev', store_id: 'st', type: 'payment.completed' }],
    deliveries: [{ id: '1', event_id: 'ev', status: 'delivered', attempts: 1 }],
  };
  return { world: world as unknown as World, snapshot };
}

type Kind = 'sessions' | 'transfers' | 'refunds' | 'exceptions' | 'events' | 'deliveries';

/** The scene with one change, as a check sees it. */
function doctored(change: { [K in Kind]?: Partial<Snapshot[K][number]> } & Partial<Pick<Checked, 'store'>>): Checked {
  const { world, snapshot } = openScene();
  const { store, ...rows } = change;
  const after: Snapshot = { ...snapshot };
  for (const [kind, row] of Object.entries(rows)) {
    Object.assign(after, { [kind]: [{ ...snapshot[kind as Kind][0], ...row }] });
  }
  return { world, before: snapshot, after, story: openStory(), ...(store === undefined ? {} : { store }) };
}

const without = (kind: Kind): Checked => {
  const scene = doctored({});
  return { ...scene, after: { ...scene.after, [kind]: [] } };
};

const EVERY: readonly Check[] = [
  ...[storedTransfersAreReal, completedSessionsArePaid, closedSessionsAreUnpaid, statusesFollowTheirMoves],
  ...[refundsGoToTheirPayers, refundsStayWithinThePrice, deliveredEventsWereReceived, everyEventIsDelivered],
  ...[otherStoresAreUntouched, everyTransferIsStored, everythingEnds],
];

it('finds nothing when all is well', () => {
  expect(EVERY.flatMap((check) => check(doctored({})))).toEqual([]);
});

describe('finds', () => {
  it.each<[string, Check, Checked, RegExp]>([
    ['a payment of another amount', storedTransfersAreReal, doctored({ transfers: { amount: '7' } }), /is stored as 7/],
    ['a payment that never was', storedTransfersAreReal, doctored({ transfers: { hash: '0x00' } }), /not final/],
    ['a payment of another payer', storedTransfersAreReal, doctored({ transfers: { payer: BOB } }), /is stored as/],
    ['a session that nobody created', completedSessionsArePaid, doctored({ sessions: { id: 'other' } }), /by nobody/],
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
    ['a payout of another amount', refundsGoToTheirPayers, doctored({ refunds: { amount: '199' } }), /paid \d+ base/],
    [
      'a payout of a failed refund',
      refundsGoToTheirPayers,
      doctored({ refunds: { status: 'failed' } }),
      /and was paid/,
    ],
    ['a payout for no refund', refundsGoToTheirPayers, without('refunds'), /for no refund/],
    [
      'a refund without a payout',
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
      'a delivery that nobody got',
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
    const after = { ...scene.after, attempts: [{ hash, refund_id: 'rf' }] };
    expect(refundsGoToTheirPayers({ ...scene, after }).join('; ')).toMatch(/had paid 0/);
  });
});
