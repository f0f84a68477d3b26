// Several worker processes share the steps by WORKER_STEPS: together the groups run every step, and an entry that names none is refused.

import { expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openSteps } from '@/lib/worker/steps';
import { silentLog } from '@/testing/chain-clock';
import { TestClock, testConfig } from '@/testing/fixtures';
import { GROUPS, groupOf, selectSteps } from './select-steps';

const config = testConfig({
  ...{ TEST_TRON_URLS: 'http://127.0.0.1:1', TEST_SOLANA_URLS: 'http://127.0.0.1:1', SIGNER_SOCKET: '/no/signer.sock' },
});
const steps = openSteps({ config, clock: new TestClock(), log: silentLog() } as unknown as Context);
const selected = (...entries: string[]) => selectSteps(entries, steps).map(({ name }) => name);
const COUNTS = ['tend security events', 'store request usage'];

test('no entry selects every step, and so do all groups together', () => {
  expect(selected()).toEqual(steps.map(({ name }) => name));
  expect(selected(...GROUPS)).toEqual(selected());
});

test('each step belongs to one group, and each group has its steps and the counts of its process alone', () => {
  for (const group of GROUPS) {
    const own = steps.filter((step) => groupOf(step) === group).map(({ name }) => name);
    expect(own.length).toBeGreaterThan(1);
    expect(new Set(selected(group))).toEqual(new Set([...own, ...COUNTS]));
  }
});

test('the watcher and the audit log, whose names begin alike, are of different groups', () => {
  expect(groupOf({ name: 'watch live tron' })).toBe('watch');
  expect(groupOf({ name: 'watch the audit log' })).toBe('guard');
});

test('only the group that pays talks to the signer about refunds, addresses and the freeze switch', () => {
  const paying = ['refunds test tron', 'sweep test tron', 'fill the address pool', 'freeze switch'];
  expect(paying.map((name) => groupOf({ name }))).toEqual(['pay', 'pay', 'pay', 'pay']);
  expect(selected('watch', 'deliver', 'maintain').filter((name) => paying.includes(name))).toEqual([]);
});

test('a group on one network, and one step by its name', () => {
  expect(selected('watch:tron')).toContain('watch test tron');
  expect(selected('watch:tron').filter((name) => /ethereum|bsc|solana|refunds/.test(name))).toEqual([]);
  expect(selected('send-mails').toSorted()).toEqual(['send mails', ...COUNTS].toSorted());
});

test.each(['wach', 'watch:bitcoin', 'pay:', 'watch test tron', 'refunds', ''])(
  '"%s" is refused with what is allowed',
  (entry) => {
    expect(() => selectSteps(['watch', entry], steps)).toThrow(
      /^WORKER_STEPS: ".*" names no step of these settings\. It takes watch, pay, guard, deliver, maintain, .*send-mails/,
    );
  },
);
