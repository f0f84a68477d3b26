// The permissions a second time, written by role as the documentation explains them, so that a change of the table is a decision.

import { describe, expect, test } from 'vitest';
import {
  isAboutStore,
  isGuardedRole,
  may,
  MEMBER_ROLES,
  needsLiveFactor,
  needsStepUp,
  PERMISSIONS,
  scopesGivenBy,
  type Permission,
} from './roles';

const ALL = Object.keys(PERMISSIONS) as Permission[];
const VIEWER: Permission[] = [
  ...(['store.read', 'members.read', 'payments.read', 'refunds.read', 'balances.read', 'links.read'] as const),
  'payouts.read',
];
const SUPPORT: Permission[] = [
  ...VIEWER,
  ...(['webhook.read', 'webhook.resend', 'payments.export', 'cases.decide', 'refunds.make'] as const),
  ...(['refunds.cancel', 'till.use'] as const),
];
const DEVELOPER: Permission[] = [
  ...VIEWER,
  ...(['first_steps.hide', 'keys.read', 'keys.change', 'webhook.read', 'webhook.change', 'webhook.resend'] as const),
  ...(['payments.export', 'links.change', 'till.use'] as const),
];
const OWNER: Permission[] = [
  ...new Set([...SUPPORT, ...DEVELOPER]),
  'store.change',
  'members.change',
  'payouts.manage',
];
const CONSOLE: Permission[] = [
  ...(['stores.decide', 'stores.limits', 'refunds.approve', 'signing.freeze', 'signing.unfreeze'] as const),
  ...(['payments.pause', 'payments.resume'] as const),
  ...(['sweeps.pause', 'sweeps.resume', 'reserves.request', 'payouts.rates', 'screening.release'] as const),
  ...(['differences.explain', 'health.read', 'setup.change', 'alarms.acknowledge', 'users.read'] as const),
  'operator_resets.cancel',
  ...(['users.change', 'audit.read', 'audit.export', 'jobs.read', 'jobs.retry'] as const),
];
const OPERATOR: Permission[] = [
  ...VIEWER,
  ...CONSOLE,
  ...(['keys.read', 'webhook.read', 'webhook.resend', 'payments.export', 'cases.decide', 'refunds.cancel'] as const),
];
/** They move money, or change who can. */
const GUARDED: Permission[] = [
  ...(['store.change', 'members.change', 'keys.change', 'webhook.change', 'cases.decide'] as const),
  ...(['refunds.make', 'refunds.cancel', 'payouts.manage'] as const),
];
/** Only an operator has them, and they take a person who is there: an alarm at night and stopping the signer do not. */
const STEPPED_UP: Permission[] = [
  ...(['stores.decide', 'stores.limits', 'refunds.approve', 'signing.unfreeze', 'differences.explain'] as const),
  ...([
    'setup.change',
    'users.change',
    'audit.export',
    'jobs.retry',
    'sweeps.resume',
    'payments.resume',
    'payouts.rates',
    'screening.release',
  ] as const),
];
const having = (has: (permission: Permission) => boolean): string[] => ALL.filter(has).toSorted();

describe('a member', () => {
  test.each([
    ['viewer', VIEWER],
    ['support', SUPPORT],
    ['developer', DEVELOPER],
    ['owner', OWNER],
  ] as const)('who is %s may do this, and nothing else', (storeRole, permissions) => {
    expect(having((one) => may({ isOperator: false, storeRole }, one))).toEqual(permissions.toSorted());
  });

  test('of no store may do nothing', () => {
    expect(having((one) => may({ isOperator: false, storeRole: null }, one))).toEqual([]);
  });
});

describe('an operator', () => {
  test('may run the console and help every store, but never act as one', () => {
    expect(having((one) => may({ isOperator: true, storeRole: null }, one))).toEqual(OPERATOR.toSorted());
  });

  test('who is also a member has the permissions of both', () => {
    const both = [...new Set([...OPERATOR, ...DEVELOPER])].toSorted();
    expect(having((one) => may({ isOperator: true, storeRole: 'developer' }, one))).toEqual(both);
  });
});

test('a permission needs a fresh second factor when it moves money or changes who can, and in the console when it changes something', () => {
  expect(having(needsStepUp)).toEqual([...GUARDED, ...STEPPED_UP].toSorted());
  expect(having(needsLiveFactor)).toEqual(GUARDED.toSorted());
});

test('every permission of the console concerns no store, and every other one does', () => {
  expect(having((one) => !isAboutStore(one))).toEqual(CONSOLE.toSorted());
});

test('only a viewer needs no second factor live', () => {
  expect(MEMBER_ROLES.filter(isGuardedRole)).toEqual(['owner', 'developer', 'support']);
});

describe('an API key', () => {
  const ALL_SCOPES = [
    'sessions:read',
    'sessions:write',
    'refunds:read',
    'refunds:write',
    'payouts:read',
    'payouts:write',
  ];

  test.each(['live', 'test'] as const)('gets no more than the rights of its maker: %s', (environment) => {
    expect(scopesGivenBy('owner', environment)).toEqual(ALL_SCOPES);
    for (const role of ['support', 'viewer', null] as const) expect(scopesGivenBy(role, environment)).toEqual([]);
  });

  test('of a developer may refund where no money is at stake', () => {
    expect(scopesGivenBy('developer', 'live')).toEqual(['sessions:read', 'sessions:write']);
    expect(scopesGivenBy('developer', 'test')).toEqual(ALL_SCOPES);
  });
});
