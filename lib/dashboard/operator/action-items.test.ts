// What the console's first page lists for an installation in a given state.

import { expect, test } from 'vitest';
import { ALARM_KINDS, type AlarmKind, type Severity } from '@/lib/installation/alarms/kinds';
import { actionItemsOf } from './action-items';
import type { Overview } from '@/lib/dashboard/operator/overview';

const CALM: Overview = {
  freeze: {
    isFrozen: false,
    waiting: null,
    trouble: null,
    reason: null,
    last: null,
    readAt: null,
  } as unknown as Overview['freeze'],
  networks: [],
  networkCount: 2,
  isOverdue: false,
  isWorkerSilent: false,
  withoutList: [],
  unfinished: [],
  alarms: [],
  counts: {
    waitingStores: 0,
    changedStores: 0,
    openExceptions: 0,
    heldRefunds: 0,
    approvals: 0,
    differences: 0,
    failingSteps: 0,
    quarantined: 0,
    failedDeliveries: 0,
    failedMails: 0,
    securityAlarms: 0,
    operators: 2,
    unfunded: 0,
  },
};

const alarm = (kind: AlarmKind, severity: Severity = ALARM_KINDS[kind].severity, isAcknowledged = false) => ({
  kind,
  severity,
  isAcknowledged,
});
const network = (state: string, environment: string) =>
  ({ state, environment, network: 'bsc' }) as unknown as Overview['networks'][number];
const shown = (over: Partial<Overview>) =>
  actionItemsOf({ ...CALM, ...over }).map(({ key, severity, count }) => [key, severity, count]);

test('lists nothing while nothing needs an operator', () => {
  expect(shown({})).toEqual([]);
});

test('an alarm is part of the row about the same matter and has no separate row', () => {
  const counts = { ...CALM.counts, quarantined: 2, waitingStores: 3 };
  expect(shown({ counts, alarms: [alarm('quarantine'), alarm('quarantine'), alarm('stores_waiting')] })).toEqual([
    ['quarantine', 'warning', 2],
    ['stores_waiting', 'notice', 3],
  ]);
});

test('an alarm without a queue has a row with its own severity until an operator acknowledges it', () => {
  expect(shown({ alarms: [alarm('fee_low'), alarm('fee_low', 'notice'), alarm('signer_unreachable')] })).toEqual([
    ['signer_unreachable', 'critical', 1],
    ['fee_low', 'warning', 2],
  ]);
  expect(shown({ alarms: [alarm('signer_unreachable', 'critical', true)] })).toEqual([]);
});

test('an alarm whose queue is now empty is still listed', () => {
  expect(shown({ alarms: [alarm('mails')] })).toEqual([['mails', 'warning', 1]]);
});

test('the most severe comes first, and a test network is less severe than a live one', () => {
  const counts = { ...CALM.counts, openExceptions: 1, differences: 1, failedMails: 1 };
  expect(shown({ counts, networks: [network('down', 'test')] })).toEqual([
    ['differences', 'critical', 1],
    ['network_trouble', 'warning', 1],
    ['mails', 'warning', 1],
    ['exceptions', 'notice', 1],
  ]);
  expect(shown({ networks: [network('down', 'live'), network('delayed', 'test')] })).toEqual([
    ['network_trouble', 'critical', 2],
  ]);
});

test('a network that is down is not listed beside its own alarm', () => {
  expect(shown({ networks: [network('down', 'live')], alarms: [alarm('network_down')] })).toEqual([
    ['network_trouble', 'critical', 1],
  ]);
});

test('an empty refund wallet is listed once, by the set-up', () => {
  expect(shown({ unfinished: ['funds'], alarms: [alarm('fee_empty')] })).toEqual([
    ['unfinished funds', 'warning', null],
  ]);
  expect(shown({ alarms: [alarm('fee_empty')] })).toEqual([['fee_empty', 'critical', 1]]);
});

test('a discrepancy of a test network has the severity of its alarm', () => {
  const counts = { ...CALM.counts, differences: 1 };
  expect(shown({ counts, alarms: [alarm('differences', 'warning', true)] })).toEqual([['differences', 'warning', 1]]);
});
