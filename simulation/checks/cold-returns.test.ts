// The checks of returns from the cold wallet fail when they should.

import { expect, it } from 'vitest';
import { centOf } from '@/simulation/chain/units';
import type { ReturnRow } from '@/simulation/cold/rows';
import { COLD, WALLET } from '@/simulation/parties';
import type { SignedReturn } from '@/simulation/returns/records';
import type { Check, Checked } from './check';
import { everyRefillIsBooked, refillsAreBookedOnce } from './cold';
import { oneReturnIsOpen, returnsEnd, returnsPayOnce, returnsTellTheTruth } from './cold-returns';
import { BOB, doctored } from './doctored';

const ASSET = { network: 'bsc', currency: 'USDT' } as const;
const ID = 'cr_1_1';

type Changes = {
  readonly row?: Partial<ReturnRow>;
  readonly signed?: Partial<SignedReturn>;
  /** Cents that left the cold wallet, one transaction each, and to whom. */
  readonly paid?: readonly bigint[];
  readonly to?: string;
  /** The operator sent it by another program. */
  readonly isElsewhere?: true;
  /** Another return that is signed, of this request. */
  readonly other?: string;
  /** Cents by kind. */
  readonly books?: Partial<Record<'funding' | 'cold_return', bigint>>;
  readonly isRestored?: true;
  /** It was given up before the block of its transaction, or after it. */
  readonly givenUp?: 'before' | 'after';
  /** It is in a block that is not final. */
  readonly isFresh?: true;
};

/** All is well: a return of 6.00 was signed and has landed once, and the wallet had 12.00 at first. */
function returned(changes: Changes = {}): Checked {
  const { row, signed, paid = [600n], to = WALLET.evm, books, other } = changes;
  const { world, after, ...rest } = doctored({});
  const chain = world.chains[0]!;
  const [token, cent] = [chain.spec.tokens.USDT!.contract, centOf(chain, 'USDT')];
  const before = chain.height();
  const hashes = paid.map((cents) => chain.pay({ token, payer: COLD.evm, recipient: to, amount: cents * cent }));
  for (const time of changes.isFresh ? [500] : [500, 600, 700, 800]) chain.mine(time);
  const [hash = '0x'] = hashes;
  const { returns } = world.records;
  for (const one of hashes)
    if (changes.isElsewhere) returns.sentElsewhere.add(one);
    else returns.signed.push({ ...ASSET, id: ID, amount: 600n * cent, hash: one, nonce: 0, ...signed });
  if (changes.givenUp) returns.givenUp.set(ID, changes.givenUp === 'before' ? before : chain.height());
  const own: ReturnRow = {
    ...{ ...ASSET, id: ID, request_id: 'cr_1', amount: String(600n * cent), is_signed: true },
    ...{ hash, landed_hash: hash, outcome: 'landed', booked: String(600n * cent), ...row },
  };
  const another: ReturnRow[] =
    other === undefined ? [] : [{ ...own, id: `${other}_1`, request_id: other, outcome: null, booked: null }];
  const booked = { funding: 1200n, cold_return: 600n, ...books };
  const spec = { ...chain.spec, tokens: { USDT: chain.spec.tokens.USDT } };
  return {
    ...rest,
    world: {
      ...world,
      chains: [{ ...chain, spec }],
      ...{ firstFunds: new Map([['bsc', 12n]]), isRestored: changes.isRestored ?? false },
    } as unknown as Checked['world'],
    after: {
      ...after,
      cold_returns: [own, ...another],
      wallet_books: (['funding', 'cold_return'] as const).map((kind) => ({
        ...ASSET,
        kind,
        amount: String(booked[kind] * cent),
      })),
    },
  };
}

const OPEN = { outcome: null, landed_hash: null, booked: null } as const;
const ALL: readonly Check[] = [
  ...[returnsPayOnce, returnsTellTheTruth, oneReturnIsOpen, returnsEnd, refillsAreBookedOnce, everyRefillIsBooked],
];

it('finds nothing when all is well', () => {
  expect(ALL.flatMap((check) => check(returned()))).toEqual([]);
});

it.each<[string, Check, Changes, RegExp]>([
  ['a return that left twice', returnsPayOnce, { paid: [600n, 600n] }, /was paid twice/],
  ['a return of another amount', returnsPayOnce, { paid: [601n] }, /paid something else/],
  ['a return to another address', returnsPayOnce, { to: BOB }, /paid something else/],
  ['money that was not requested', returnsPayOnce, { signed: { hash: '0x1' } }, /left the cold wallet of bsc unreq/],
  ['a landed return without a transaction', returnsTellTheTruth, { paid: [] }, /no final transaction pays it/],
  ['a landed return that is not final', returnsTellTheTruth, { isFresh: true }, /no final transaction pays it/],
  ['a landed return of another row', returnsTellTheTruth, { row: { landed_hash: '0x1' } }, /no final transaction/],
  ['a landed return that is not booked', returnsTellTheTruth, { row: { booked: null } }, /null of 6\d+ are booked/],
  ['a landed return that is booked twice', returnsTellTheTruth, { row: { booked: '12' } }, /12 of 6\d+ are booked/],
  ['a booked return that is open', returnsTellTheTruth, { row: { outcome: null } }, /is booked, and it is open/],
  ['an entry of no return', returnsTellTheTruth, { books: { cold_return: 700n } }, /as returns, 6\d+ have landed/],
  [
    'a lapsed return that was paid',
    returnsTellTheTruth,
    { row: { ...OPEN, outcome: 'lapsed' }, books: { cold_return: 0n } },
    /is lapsed and was paid/,
  ],
  [
    'a superseded return that was paid',
    returnsTellTheTruth,
    { row: { ...OPEN, outcome: 'superseded' }, books: { cold_return: 0n } },
    /is superseded and was paid/,
  ],
  [
    'a return that lands after it was given up',
    returnsTellTheTruth,
    { row: { ...OPEN, outcome: 'given_up' }, givenUp: 'before', books: { cold_return: 0n } },
    /given up while it could still land/,
  ],
  ['two requests at once', oneReturnIsOpen, { row: OPEN, other: 'cr_2' }, /of two requests are signed and open on bsc/],
  ['a return that never ends', returnsEnd, { row: OPEN }, /return \d+ never ends/],
  ['a return that is booked as funding too', refillsAreBookedOnce, { books: { funding: 1800n } }, /as funding, the/],
  [
    'an open return that is booked as funding',
    refillsAreBookedOnce,
    { row: OPEN, books: { funding: 1800n, cold_return: 0n } },
    /as funding, the chain brought 12/,
  ],
  [
    'a given-up return whose money is not booked',
    everyRefillIsBooked,
    { row: { ...OPEN, outcome: 'given_up' }, books: { cold_return: 0n } },
    /funding brought 18\d+ base units/,
  ],
])('finds %s', (_, check, changes, sentence) => {
  expect(check(returned(changes)).join('; ')).toMatch(sentence);
});

it.each<[string, Check, Changes]>([
  ['what the operator sent by another program', returnsPayOnce, { isElsewhere: true, to: BOB }],
  ['two transfers of one request', oneReturnIsOpen, { row: OPEN, other: 'cr_1' }],
  ['a request without a signature', returnsEnd, { row: { ...OPEN, is_signed: false } }],
  [
    'a signature that a restored database has forgotten',
    returnsTellTheTruth,
    { row: { ...OPEN, outcome: 'superseded' }, books: { cold_return: 0n }, isRestored: true },
  ],
  [
    'a return that landed before it was given up',
    returnsTellTheTruth,
    { row: { ...OPEN, outcome: 'given_up' }, givenUp: 'after', books: { cold_return: 0n } },
  ],
])('allows %s', (_, check, changes) => {
  expect(check(returned(changes))).toEqual([]);
});
