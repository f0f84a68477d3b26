// The checks of pauses, of the screening and of thefts near the tip fail when they should.

import { expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import { THIEF } from '@/simulation/parties';
import { emptyStops, pauseKey, screeningKey, type StopRecords } from '@/simulation/stops/records';
import type { ScreeningRow, TipRow } from '@/simulation/stops/rows';
import { stopLook, type GuardedCall } from '@/simulation/stops/signed';
import type { World } from '@/simulation/world';
import type { Check, Checked } from './check';
import { ALICE, BOB, doctored } from './doctored';
import {
  booksOfStopsAgree,
  hitsFollowTheLists,
  noFrozenMoneyIsPaidOut,
  nothingIsSignedWhilePaused,
  nothingIsSignedWithoutAnAnswer,
  onlyTheftsAreStopped,
} from './stops';

const OWNER = `0x${'21'.repeat(20)}`;
const ASSET = { network: 'bsc', currency: 'USDT' } as const;

type Changes = {
  readonly kind?: GuardedCall['kind'];
  readonly state?: GuardedCall['state'];
  /** What stood in the way, by names of this scene. */
  readonly stops?: Partial<StopRecords>;
  readonly hits?: readonly ('alice paid' | 'owner')[];
  readonly unknown?: readonly ('alice paid' | 'owner')[];
  readonly row?: Partial<ScreeningRow>;
  readonly tip?: Partial<TipRow>;
};

/**
 * All is well: Alice paid 5.00 and Bob 3.00 for another session. The refund over 2.00 and a payout of 3.00 were signed. Alice is on no
 * list; the row is of an address that is on one. A thief has moved a base unit from a deposit address.
 */
function scene(changes: Changes = {}): Checked {
  const { kind = 'payouts', state = 'signed', hits = [], unknown = [], row, tip } = changes;
  const { world, after, ...rest } = doctored({});
  const [chain, terms] = [world.chains[0]!, world.sessions[0]!];
  const [token, cent] = [chain.spec.tokens.USDT!.contract, centOf(chain, 'USDT')];
  const bobs = { ...terms, id: 'cs2', addresses: { ...terms.addresses, evm: `0x${'d2'.repeat(20)}` } };
  chain.pay({ token, payer: BOB, recipient: bobs.addresses.evm, amount: 300n * cent });
  const theft = chain.pay({ token, payer: terms.addresses.evm, recipient: THIEF.evm, amount: 1n });
  for (const time of [500, 600, 700]) chain.mine(time);
  const [paid] = after.transfers;
  const keys = {
    'alice paid': screeningKey({ role: 'sender', network: 'bsc', address: ALICE, hash: paid!.hash }),
    owner: screeningKey({ role: 'payee', network: 'bsc', address: OWNER, hash: '' }),
  };
  const stops: StopRecords = {
    ...{ ...emptyStops(), isScreening: true, listed: new Set(['0x5d']), everNamed: new Set(['0x5d', '0x5e']) },
    ...{ hits: new Set(hits.map((one) => keys[one])), unknown: new Set(unknown.map((one) => keys[one])) },
    ...changes.stops,
  };
  const facts = stopLook({ records: { ...world.records, stops } })({ kind, network: 'bsc' });
  const refund: GuardedCall = {
    ...{ ...ASSET, id: 'rf', to: ALICE, amount: 200n * cent, at: 0 },
    ...{ kind: 'refunds' as const, state: 'signed' as const },
    stops: { isPaused: false, hits: new Set(), unknown: new Set() },
  };
  const call: GuardedCall = { ...refund, kind, id: 'po', to: OWNER, amount: 300n * cent, state, stops: facts };
  const ofRefund = { ...call, id: 'rf', to: ALICE };
  const guarded = kind === 'refunds' ? [ofRefund] : [refund, call];
  const judged = {
    ...{ ...world, sessions: [terms, bobs], isRestored: false },
    harness: { ...world.harness, signer: { ...world.harness.signer, guarded } },
    records: {
      ...{ ...world.records, stops, thefts: new Set([theft]) },
      payouts: {
        ...world.records.payouts,
        requested: [{ ...ASSET, id: 'po', storeId: 'st', payoutId: 'p-1', cents: 300n }],
      },
    },
  } as unknown as World;
  const screening = {
    id: '1',
    role: 'sender',
    network: 'bsc',
    address: '0x5d',
    hash: '0x1',
    verdict: 'hit',
    is_released: false,
  };
  const payoutRow = { ...ASSET, id: 'po', store_id: 'st', payout_id: 'p-1', status: 'completed' as const };
  return {
    ...{ ...rest, world: judged },
    after: {
      ...after,
      payouts: [{ ...payoutRow, amount: '300', hold: null, hash: null, is_drafted: true }],
      screenings: [{ ...screening, ...row } as ScreeningRow],
      tip_outflows: [{ network: 'bsc', hash: theft, payer: terms.addresses.evm, ...tip }],
    },
  };
}

const ALL: readonly Check[] = [
  ...[booksOfStopsAgree, hitsFollowTheLists, noFrozenMoneyIsPaidOut, nothingIsSignedWhilePaused],
  ...[nothingIsSignedWithoutAnAnswer, onlyTheftsAreStopped],
];
const paused = (...keys: readonly string[]): Partial<StopRecords> => ({ paused: new Set(keys) });

it('find nothing when all is well', () => {
  expect(ALL.flatMap((check) => check(scene()))).toEqual([]);
});

it.each<[string, Check, Changes, RegExp]>([
  [
    'a payout during its pause',
    nothingIsSignedWhilePaused,
    { stops: paused(pauseKey('payouts', 'bsc')) },
    /payout 1 was signed while the payouts of bsc/,
  ],
  [
    'a cold transfer during its pause',
    nothingIsSignedWhilePaused,
    { kind: 'cold_transfers', stops: paused(pauseKey('cold_transfers', 'bsc')) },
    /cold transfer 1/,
  ],
  [
    'a payout to a payee with a hit',
    nothingIsSignedWithoutAnAnswer,
    { hits: ['owner'] },
    /payout 1 was signed in spite of a hit/,
  ],
  [
    'a payout to a payee without an answer',
    nothingIsSignedWithoutAnAnswer,
    { unknown: ['owner'] },
    /before the screening answered/,
  ],
  [
    'a refund of a session with a hit',
    nothingIsSignedWithoutAnAnswer,
    { kind: 'refunds', hits: ['alice paid'] },
    /refund 1 was signed in spite/,
  ],
  [
    'a refund of a session without an answer',
    nothingIsSignedWithoutAnAnswer,
    { kind: 'refunds', unknown: ['alice paid'] },
    /refund 1 was signed before/,
  ],
  [
    'a hit of an address that no list named',
    hitsFollowTheLists,
    { row: { address: ALICE } },
    /is a hit, and neither a list nor the hook/,
  ],
  [
    'a listed address that is clear',
    hitsFollowTheLists,
    { row: { verdict: 'clear' } },
    /is clear, and the list names 0x5d/,
  ],
  [
    'what a step has found',
    booksOfStopsAgree,
    { stops: { broken: ['a quarantine is wrong'] } },
    /a quarantine is wrong/,
  ],
  ['a sweep that counts as a theft', onlyTheftsAreStopped, { tip: { hash: '0x77' } }, /0x77 on bsc counts as a theft/],
])('find %s', (_, check, changes, sentence) => {
  expect(check(scene(changes)).join('; ')).toMatch(sentence);
});

it.each<[string, Check, Changes]>([
  [
    'a pause of another kind or network',
    nothingIsSignedWhilePaused,
    { stops: paused(pauseKey('refunds', 'bsc'), pauseKey('payouts', 'tron')) },
  ],
  [
    'a request during a pause that the signer refused',
    nothingIsSignedWhilePaused,
    { state: 'refused', stops: paused(pauseKey('payouts', 'bsc')) },
  ],
  ['a hit of another payment', nothingIsSignedWithoutAnAnswer, { hits: ['alice paid'] }],
  ['an address that a former list named', hitsFollowTheLists, { row: { address: '0x5e' } }],
  [
    'an address that the present list no longer names',
    hitsFollowTheLists,
    { row: { address: '0x5e', verdict: 'clear' } },
  ],
  ['what left the refund wallet near the tip', onlyTheftsAreStopped, { tip: { hash: '0x77', payer: BOB } }],
])('find nothing about %s', (_, check, changes) => {
  expect(check(scene(changes))).toEqual([]);
});

it('find a payout that other money does not cover, and nothing once it has failed or the database was restored', () => {
  // Bob’s 3.00 cover it.
  expect(noFrozenMoneyIsPaidOut(scene({ hits: ['alice paid'] }))).toEqual([]);
  const checked = scene({ hits: ['alice paid'] });
  const { world, after } = checked;
  const sessions = world.sessions.slice(0, 1);
  const alone = { ...checked, world: { ...world, sessions } };
  expect(noFrozenMoneyIsPaidOut(alone).join()).toMatch(/payout 1 pays out frozen money: 300 cents left, and 0 came/);
  expect(noFrozenMoneyIsPaidOut({ ...alone, world: { ...alone.world, isRestored: true } })).toEqual([]);
  const failed = after.payouts.map((one) => ({ ...one, status: 'failed' as const }));
  expect(noFrozenMoneyIsPaidOut({ ...alone, after: { ...after, payouts: failed } })).toEqual([]);
});
