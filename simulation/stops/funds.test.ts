// What a store may take out, is shown, and has in quarantine, each by its postings.

import { describe, expect, it } from 'vitest';
import { figuresOf, payableOf, quarantineFaults, type Funds } from './funds';

const session = { left: 0n, posted: 0n, own: 0n, isFrozen: false, isUnknown: false };

/** 100 are in the balance: 30 of an old session, 50 of one whose sender has a hit, 20 of one whose sender has no answer. */
const funds = (frozen: object = {}, unknown: object = {}): Funds => ({
  balance: 100n,
  sessions: new Map([
    ['old', { ...session, left: 30n, own: 30n }],
    ['hit', { ...session, left: 50n, own: 50n, isFrozen: true, ...frozen }],
    ['young', { ...session, left: 20n, own: 20n, isUnknown: true, ...unknown }],
  ]),
});

describe('what payouts may take', () => {
  it('leaves out what is frozen, what waits, and the reserve', () => {
    expect(payableOf(funds(), 0n)).toEqual({ least: 30n, most: 30n });
    expect(payableOf(funds(), 25n)).toEqual({ least: 5n, most: 5n });
    expect(payableOf(undefined, 5n)).toEqual({ least: -5n, most: -5n });
  });

  it('includes all of it after a release and an answer', () => {
    expect(payableOf(funds({ isFrozen: false }, { isUnknown: false }), 0n)).toEqual({ least: 100n, most: 100n });
  });

  it('does not leave out twice what is in quarantine', () => {
    const quarantined = { ...funds({ posted: 50n, own: 0n }), balance: 50n };
    expect(payableOf(quarantined, 0n)).toEqual({ least: 30n, most: 30n });
  });

  it('is uncertain for a session with a hit and another sender without an answer', () => {
    expect(payableOf(funds({ isUnknown: true }), 0n)).toEqual({ least: -20n, most: 30n });
  });
});

it('shows what waits and what is kept as parts of the balance, the former first', () => {
  expect(figuresOf(funds(), 0n)).toEqual({ available: 80n, pending: 20n, kept: 0n, quarantined: 0n });
  expect(figuresOf(funds(), 90n)).toEqual({ available: 0n, pending: 20n, kept: 80n, quarantined: 0n });
  const empty = { ...funds({ posted: 50n, own: 0n }), balance: 10n };
  expect(figuresOf(empty, 90n)).toEqual({ available: 0n, pending: 10n, kept: 0n, quarantined: 50n });
});

describe('a quarantine', () => {
  const faults = (frozen: object, balance: bigint): string =>
    quarantineFaults(new Map([['asset', { ...funds(frozen), balance }]])).join('; ');

  it('has what sessions with a hit have left, as far as their store still has it', () => {
    expect(faults({ posted: 50n }, 50n)).toBe('');
    expect(faults({ posted: 40n }, 0n)).toBe('');
    expect(faults({ isFrozen: false }, 100n)).toBe('');
  });

  it('is reported with less, with more, and without a hit', () => {
    expect(faults({}, 100n)).toMatch(/^0 base units of asset are in quarantine, and should be 50$/);
    expect(faults({ posted: 40n }, 60n)).toMatch(/^40 .* should be 50$/);
    expect(faults({ posted: 60n }, 40n)).toMatch(/^60 .* should be 50$/);
    expect(faults({ posted: 50n, isFrozen: false }, 50n)).toMatch(
      /^50 base units of asset stay in quarantine without a hit/,
    );
  });
});
