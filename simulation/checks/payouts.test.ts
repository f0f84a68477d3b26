// The checks of payouts fail when they should.

import { expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { PayoutRecords } from '@/simulation/payouts/records';
import type { PayoutRow } from '@/simulation/payouts/rows';
import type { SignCall } from '@/simulation/payouts/signed';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';
import { BOB, doctored } from './doctored';
import {
  hourLimitOfPayoutsHolds,
  payoutsAreWhatOwnersRequested,
  payoutsFailForLastingReasons,
  payoutsGoToAddressesInUse,
  storesGetAtMostWhatTheyReceived,
} from './payouts';
import { everythingEnds } from './progress';
import { refundsGoToTheirPayers } from './refunds';

const OWNER = `0x${'21'.repeat(20)}`;
const DELAY = 60;
const ADDED = 1_000_000;

type Changes = {
  readonly row?: Partial<PayoutRow>;
  readonly call?: Partial<SignCall>;
  readonly address?: Partial<PayoutRecords['addresses'][number]>;
  readonly isRequested?: false;
  /** What the wallet paid, in cents, one transaction each. */
  readonly paid?: readonly bigint[];
  readonly to?: string;
  readonly perHour?: bigint;
};

/** All is well: of 5.00 that the store received and 2.00 that it refunded, 2.50 went to its owner. */
function paidOut(changes: Changes = {}): Checked {
  const { row, call, address, isRequested = true, paid = [250n], to = OWNER, perHour = 250n } = changes;
  const { world, after, ...rest } = doctored({});
  const [chain] = world.chains;
  const token = chain!.spec.tokens.USDT!.contract;
  const cent = centOf(chain!, 'USDT');
  const hashes = paid.map((cents) => chain!.pay({ token, payer: WALLET.evm, recipient: to, amount: cents * cent }));
  for (const time of [500, 600, 700]) chain!.mine(time);
  const asset = { network: 'bsc', currency: 'USDT' };
  const signed = { ...asset, id: 'po', to: OWNER, amount: 250n * cent, at: ADDED + DELAY * 1000, ...call };
  const period = { ...asset, id: 'pa', storeId: 'st', address: OWNER, addedAt: ADDED, from: 0, until: null };
  const payout = { ...asset, store_id: 'st', payout_id: 'p-1', status: 'completed', amount: '250', hold: null };
  const { signer } = world.harness;
  const settings = { ...signer.settings, payouts: { perHour, delaySeconds: DELAY } };
  const judged = {
    ...world,
    harness: { ...world.harness, signer: { ...signer, settings, payouts: [{ state: 'signed', ...signed }] } },
    context: { config: { ...world.context.config, PAYOUT_ADDRESS_DELAY_SECONDS_TEST: DELAY } },
    records: {
      ...world.records,
      payouts: {
        ...{ numbers: new Map(), addresses: [{ ...period, ...address }] },
        requested: isRequested ? [{ ...asset, id: 'po', storeId: 'st', payoutId: 'p-1', cents: 250n }] : [],
      },
    },
  } as unknown as World;
  const attempts = hashes.map((hash) => ({ hash, refund_id: 'po', signed_at: null }));
  const payouts = [{ ...payout, id: 'po', hash: hashes[0] ?? null, is_drafted: true, ...row } as PayoutRow];
  return { ...rest, world: judged, after: { ...after, payouts, attempts: [...after.attempts, ...attempts] } };
}

const ALL: readonly Check[] = [
  ...[hourLimitOfPayoutsHolds, payoutsAreWhatOwnersRequested, payoutsFailForLastingReasons],
  ...[payoutsGoToAddressesInUse, storesGetAtMostWhatTheyReceived, refundsGoToTheirPayers],
];

it('finds nothing when all is well', () => {
  expect(ALL.flatMap((check) => check(paidOut()))).toEqual([]);
});

it.each<[string, Check, Changes, RegExp]>([
  ['a payout that no owner requested', payoutsAreWhatOwnersRequested, { isRequested: false }, /no owner requested/],
  ['a payout of another amount', payoutsAreWhatOwnersRequested, { row: { amount: '251' } }, /no owner requested/],
  ['a transfer of another amount', payoutsAreWhatOwnersRequested, { paid: [251n] }, /paid another amount/],
  ['a payout that left twice', payoutsAreWhatOwnersRequested, { paid: [250n, 250n] }, /was paid twice/],
  ['a paid payout that is canceled', payoutsAreWhatOwnersRequested, { row: { status: 'canceled' } }, /and was paid/],
  ['a completed payout that never left', payoutsAreWhatOwnersRequested, { paid: [] }, /no final transaction/],
  ['a payout to a stranger', payoutsGoToAddressesInUse, { call: { to: BOB } }, /which its store did not use/],
  ['a payout to a stopped address', payoutsGoToAddressesInUse, { address: { until: 0 } }, /did not use then/],
  ['a payout to the address of another store', payoutsGoToAddressesInUse, { address: { storeId: 'x' } }, /did not use/],
  ['a payout within the delay', payoutsGoToAddressesInUse, { call: { at: ADDED + DELAY * 1000 - 1 } }, /did not use/],
  ['a payout above the limit of an hour', hourLimitOfPayoutsHolds, { perHour: 249n }, /paid out 250 cents of USDT/],
  ['more than what arrived', storesGetAtMostWhatTheyReceived, { paid: [301n] }, /got 3.01 and gave back 2.00 of 5.00/],
  ['a failure without a cause', payoutsFailForLastingReasons, { row: { status: 'failed' } }, /was not blocked/],
])('finds %s', (_, check, changes, sentence) => {
  expect(check(paidOut(changes)).join('; ')).toMatch(sentence);
});

it('takes a call whose answer was lost for the first signature only when the payout has one', () => {
  const stopped = { until: 0 };
  const call = { state: 'called' } as const;
  expect(payoutsGoToAddressesInUse(paidOut({ call, address: stopped })).join()).toMatch(/did not use then/);
  expect(payoutsGoToAddressesInUse(paidOut({ call, address: stopped, paid: [] }))).toEqual([]);
});

it('lets a payout wait for a limit only while the signer counts one that a restored database has forgotten', () => {
  const waits = (changes: Changes = {}, other: object = {}): string => {
    const row = { status: 'processing', hold: 'limit', hash: null } as const;
    const checked = paidOut({ ...changes, row: { ...row, ...changes.row }, paid: [] });
    const { records } = checked.world;
    const [own] = records.payouts.requested;
    const [call] = checked.world.harness.signer.payouts;
    const requested = [own!, { ...own!, id: 'forgotten', payoutId: 'p-0', ...other }];
    const { harness } = checked.world;
    const world = {
      ...checked.world,
      harness: { ...harness, signer: { ...harness.signer, payouts: [call!, { ...call!, id: 'forgotten' }] } },
      records: { ...records, payouts: { ...records.payouts, requested } },
    };
    return everythingEnds({ ...checked, world }).join('; ');
  };
  expect(waits()).toBe('');
  const stays = /payout 1 stays processing/;
  expect(waits({ row: { hold: null } })).toMatch(stays);
  expect(waits({ call: { state: 'refused' } })).toMatch(stays);
  for (const other of [{ id: 'po' }, { storeId: 'x' }, { network: 'tron' }, { currency: 'USDC' }])
    expect(waits({}, other)).toMatch(stays);
});
