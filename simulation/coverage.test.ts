// A run says truly which moves happened under which faults.

import { expect, it } from 'vitest';
import { doctored } from './checks/doctored';
import { addMoves, coverageLines, mergeCoverage, type Coverage } from './coverage';
import { EMPTY } from './snapshot';

const paused = ['a chain stops'];
const first = (coverage: Coverage): string => coverageLines(coverage)[0] ?? '';

it('a step counts every move on the way of a thing, and only under the faults of that step', () => {
  const { after } = doctored({});
  const coverage: Coverage = new Map();
  addMoves(coverage, [], EMPTY, after);
  expect(first(coverage)).toMatch(/^moves × faults: 0 of/);
  addMoves(coverage, paused, EMPTY, after);
  // The session is completed, the refund was processing before it was completed, and the exception was kept.
  expect(coverage.get('a chain stops')).toEqual(
    new Set([
      'session pending → completed',
      'refund pending → processing',
      'refund processing → completed',
      'exception open → kept',
    ]),
  );
  addMoves(coverage, ['the signer is away'], after, after);
  expect(coverage.has('the signer is away')).toBe(false);
});

it('histories are added up, and what none of them tried is named', () => {
  const [one, other]: [Coverage, Coverage] = [new Map(), new Map()];
  addMoves(one, paused, EMPTY, doctored({}).after);
  addMoves(other, paused, EMPTY, doctored({ sessions: { status: 'expired' } }).after);
  mergeCoverage(one, other);
  expect(first(one)).toMatch(/^moves × faults: 5 of/);
  const [, moves, faults] = coverageLines(one);
  expect(moves).toContain('session pending → failed');
  expect(moves).not.toContain('session pending → expired');
  expect(faults).toContain('the signer is away');
  expect(faults).not.toContain('a chain stops');
});
