// The navigation shows each user what their role may see, and no link mixes up live and test.

import { describe, expect, test } from 'vitest';
import {
  accountPathWithReturn,
  placeOfPath,
  homeOf,
  inEnvironment,
  keysOf,
  needsFactorAt,
  placesFor,
  tabsFor,
} from './places';
import type { Viewer, ViewerStore } from './viewer';

const store: ViewerStore = {
  id: 'st_1',
  name: 'Blue Mug',
  status: 'approved',
  role: 'owner',
  takesLive: true,
  needsFactorLive: true,
  needsFactorForStore: true,
};
const viewer: Viewer = {
  name: 'Mira',
  email: 'mira@bluemug.example',
  isOperator: false,
  hasTotp: false,
  hasPasskeys: false,
  stores: [store],
};
const hrefs = (who: Viewer, path: string): string[] =>
  placesFor(who, placeOfPath(path)).flatMap(({ places }) => places.map(({ href }) => href));

describe('the place of a path', () => {
  test.each([
    ['/dashboard/st_1/live/payments', { storeId: 'st_1', environment: 'live', isOperator: false }],
    ['/dashboard/st_1/test/payments/cs_1', { storeId: 'st_1', environment: 'test', isOperator: false }],
    ['/dashboard/st_1/members', { storeId: 'st_1', environment: null, isOperator: false }],
    ['/dashboard/st_1/testing', { storeId: 'st_1', environment: null, isOperator: false }],
    ['/dashboard', { storeId: null, environment: null, isOperator: false }],
    ['/dashboard/account', { storeId: null, environment: null, isOperator: false }],
    ['/dashboard/new', { storeId: null, environment: null, isOperator: false }],
    ['/operator/stores', { storeId: null, environment: null, isOperator: true }],
    ['/login', { storeId: null, environment: null, isOperator: false }],
  ])('%s', (path, here) => {
    expect(placeOfPath(path)).toEqual(here);
  });
});

describe('the navigation', () => {
  test('stays in the current environment', () => {
    expect(hrefs(viewer, '/dashboard/st_1/test/payments')).toContain('/dashboard/st_1/test/keys');
    expect(hrefs(viewer, '/dashboard/st_1/test/payments').join(' ')).not.toContain('/live/');
    expect(hrefs(viewer, '/dashboard/st_1/live/payments').join(' ')).not.toContain('/test/');
  });

  test('shows the API keys page to a developer, but not to support or a viewer', () => {
    const as = (role: ViewerStore['role']) =>
      hrefs({ ...viewer, stores: [{ ...store, role }] }, '/dashboard/st_1/live');
    expect(as('developer')).toContain('/dashboard/st_1/live/keys');
    expect(as('support')).not.toContain('/dashboard/st_1/live/keys');
    expect(as('support')).toContain('/dashboard/st_1/live/webhooks');
    expect(as('viewer')).not.toContain('/dashboard/st_1/live/webhooks');
    expect(as('viewer')).toContain('/dashboard/st_1/live/payments');
  });

  test('shows no page of a store that the user is not a member of', () => {
    expect(hrefs(viewer, '/dashboard/st_2/live/payments')).toEqual([]);
  });

  test('shows the operator console to operators only', () => {
    expect(hrefs(viewer, '/operator/stores')).toEqual([]);
    expect(hrefs({ ...viewer, isOperator: true, stores: [] }, '/operator/stores')).toContain('/operator/audit');
  });
});

describe('the notice that live changes need a second factor', () => {
  test.each([
    ['/dashboard/st_1/live/keys', true],
    ['/dashboard/st_1/members', true],
    ['/dashboard', true],
    ['/dashboard/st_1/test/keys', false],
    ['/dashboard/st_2/live/keys', false],
    ['/dashboard/account', false],
    ['/operator/stores', false],
  ])('on %s: %s', (path, isShown) => {
    expect(needsFactorAt(viewer, path)).toBe(isShown);
  });

  test('is hidden for the whole store before it is live, and for members with a second factor', () => {
    const pending = { ...viewer, stores: [{ ...store, needsFactorForStore: false }] };
    expect(['/dashboard', '/dashboard/st_1/members'].map((path) => needsFactorAt(pending, path))).toEqual([
      false,
      false,
    ]);
    expect(needsFactorAt(pending, '/dashboard/st_1/live/keys')).toBe(true);
    const safe = { ...store, needsFactorLive: false, needsFactorForStore: false };
    expect(needsFactorAt({ ...viewer, stores: [safe] }, '/dashboard/st_1/live/keys')).toBe(false);
  });

  test('links to the second factors of the account, with a way back', () => {
    expect(accountPathWithReturn('/dashboard/st_1/live/keys')).toBe(
      '/dashboard/account?back=%2Fdashboard%2Fst_1%2Flive%2Fkeys#second-factor',
    );
  });
});

describe('links between live and test', () => {
  test.each([
    ['/dashboard/st_1/live/payments', 'test', '/dashboard/st_1/test/payments'],
    ['/dashboard/st_1/test/payments/cs_1', 'live', '/dashboard/st_1/live/payments'],
    ['/dashboard/st_1/live', 'test', '/dashboard/st_1/test/overview'],
    ['/dashboard/st_1/members', 'test', '/dashboard/st_1/test/overview'],
  ] as const)('%s to %s', (path, environment, expected) => {
    expect(inEnvironment(path, environment)).toBe(expected);
  });

  test('a store opens in live once it can take live payments, and in test until then', () => {
    expect(homeOf(store)).toBe('/dashboard/st_1/live/overview');
    expect(homeOf({ ...store, takesLive: false })).toBe('/dashboard/st_1/test/overview');
  });

  test('the link to a store’s keys leads to the environment in which the store opens', () => {
    expect(keysOf(store)).toBe('/dashboard/st_1/live/keys');
    expect(keysOf({ ...store, takesLive: false })).toBe('/dashboard/st_1/test/keys');
  });
});

describe('the navigation bar on phones', () => {
  const tabs = (who: Viewer, path: string): string[] => tabsFor(who, placeOfPath(path)).map(({ key }) => key);

  test('has the four most used pages that the viewer’s role may see', () => {
    expect(tabs(viewer, '/dashboard/st_1/test/payments')).toEqual([
      'navOverview',
      'navPayments',
      'navTill',
      'navBalances',
    ]);
    const looker: Viewer = { ...viewer, stores: [{ ...store, role: 'viewer' }] };
    expect(tabs(looker, '/dashboard/st_1/live/payments')).toContain('navPayments');
    expect(tabs(looker, '/dashboard/st_1/live/payments')).not.toContain('navTill');
    expect(tabs({ ...viewer, isOperator: true }, '/operator')).toEqual([
      'navOverview',
      'navStores',
      'navPayments',
      'navRefunds',
    ]);
    expect(tabs(viewer, '/dashboard')).toEqual(['navStores']);
  });
});
