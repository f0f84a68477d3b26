import { describe, expect, test } from 'vitest';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { ServiceError } from '@/lib/platform/errors/errors';
import { TestClock, testConfig } from '@/testing/fixtures';
import { authorize, type Wish } from './authorize';

const clock = new TestClock();
const config = testConfig();
const SANDBOX = testConfig({ SANDBOX_ORIGIN: 'http://127.0.0.1:3000' });
const membership = (over: Partial<Who['memberships'][number]> = {}): Who['memberships'][number] => ({
  storeId: 'st_1',
  role: 'owner',
  isLive: true,
  ...over,
});
const merchant = (over: Partial<Who> = {}): Who => ({
  loginId: 'lo_1',
  userId: 'us_1',
  email: 'ann@example.com',
  name: 'Ann',
  role: 'merchant',
  locale: null,
  hasTotp: true,
  hasPasskeys: false,
  isComplete: true,
  createdAt: clock.now(),
  stepUpAt: clock.now(),
  memberships: [membership()],
  ...over,
});
const operator = (over: Partial<Who> = {}): Who => merchant({ role: 'operator', memberships: [], ...over });
const refusalOf = (who: unknown, wish: Wish, settings = config): string | null => {
  try {
    authorize({ clock, config: settings }, who as Who, wish);
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return null;
};
const ofStore = (permission: Wish['permission'], over: Partial<Wish> = {}): Wish => ({
  permission,
  storeId: 'st_1',
  ...over,
});

describe('a login', () => {
  test.each([
    ['nothing', null],
    ['undefined', undefined],
    ['a text', 'us_1'],
    ['no user', { ...merchant(), userId: undefined }],
    ['no login', { ...merchant(), loginId: 7 }],
    ['no answer about the second factor', { ...merchant(), isComplete: 'yes' }],
    ['an unknown role', { ...merchant(), role: 'admin' }],
    ['no memberships', { ...merchant(), memberships: null }],
  ])('that is %s is not signed in', (_, who) => {
    expect(refusalOf(who, { permission: 'account' })).toBe('not_signed_in');
  });

  test('between password and second factor may only give the factor', () => {
    const half = merchant({ isComplete: false });
    expect(refusalOf(half, { permission: 'pending' })).toBeNull();
    expect(refusalOf(half, { permission: 'account' })).toBe('second_factor_needed');
    expect(refusalOf(half, ofStore('store.read'))).toBe('second_factor_needed');
  });

  test('becomes an actor with the role in the store that the request names', () => {
    const login = merchant({ memberships: [membership({ storeId: 'st_0', role: 'viewer' }), membership()] });
    expect(authorize({ clock, config }, login, ofStore('store.read'))).toEqual({
      userId: 'us_1',
      email: 'ann@example.com',
      role: 'merchant',
      isOperator: false,
      storeId: 'st_1',
      storeRole: 'owner',
      login,
      by: 'user:us_1',
    });
    expect(authorize({ clock, config }, login, { permission: 'account' })).toMatchObject({
      storeId: null,
      storeRole: null,
    });
  });
});

describe('a member', () => {
  test('of another store does not learn that the store exists', () => {
    expect(refusalOf(merchant(), ofStore('store.read', { storeId: 'st_2' }))).toBe('STORE_NOT_FOUND');
    expect(refusalOf(merchant({ memberships: [] }), ofStore('store.read'))).toBe('STORE_NOT_FOUND');
  });

  test('has only the permissions of the role, and none without naming a store', () => {
    const viewer = merchant({ memberships: [membership({ role: 'viewer' })] });
    expect(refusalOf(viewer, ofStore('payments.read'))).toBeNull();
    expect(refusalOf(viewer, ofStore('refunds.make'))).toBe('permission_denied');
    expect(refusalOf(merchant(), { permission: 'store.read' })).toBe('permission_denied');
    expect(refusalOf(merchant(), { permission: 'health.read' })).toBe('permission_denied');
    expect(refusalOf(merchant(), ofStore('health.read', { storeId: 'st_2' }))).toBe('permission_denied');
  });

  test('without a second factor cannot move live money or change who can', () => {
    const bare = merchant({ hasTotp: false });
    expect(refusalOf(bare, ofStore('refunds.make', { environment: 'live' }))).toBe('SECOND_FACTOR_REQUIRED');
    expect(refusalOf(bare, ofStore('refunds.make', { environment: 'test' }))).toBeNull();
    expect(refusalOf(bare, ofStore('payments.read', { environment: 'live' }))).toBeNull();
    for (const factor of [{ hasTotp: true }, { hasPasskeys: true }]) {
      expect(refusalOf({ ...bare, ...factor }, ofStore('refunds.make', { environment: 'live' }))).toBeNull();
    }
  });

  test('without a second factor can change a whole store only before it is live', () => {
    const bare = (isLive: boolean) => merchant({ hasTotp: false, memberships: [membership({ isLive })] });
    expect(refusalOf(bare(true), ofStore('members.change'))).toBe('SECOND_FACTOR_REQUIRED');
    expect(refusalOf(bare(false), ofStore('members.change'))).toBeNull();
    expect(refusalOf(bare(true), ofStore('members.change'), SANDBOX)).toBeNull();
  });
});

describe('an operator', () => {
  test('without a second factor may do nothing but set one up, except in a sandbox on the own machine', () => {
    const bare = operator({ hasTotp: false });
    expect(refusalOf(bare, { permission: 'health.read' })).toBe('operator_factor_needed');
    expect(refusalOf(bare, { permission: 'account' })).toBeNull();
    expect(refusalOf(bare, { permission: 'pending' })).toBeNull();
    expect(refusalOf(bare, { permission: 'health.read' }, SANDBOX)).toBeNull();
    expect(refusalOf(operator({ hasTotp: false, hasPasskeys: true }), { permission: 'health.read' })).toBeNull();
  });

  test('reads any store, and all of them, without being a member', () => {
    expect(refusalOf(operator(), ofStore('payments.read', { storeId: 'st_2' }))).toBeNull();
    expect(refusalOf(operator(), { permission: 'payments.read' })).toBeNull();
    expect(refusalOf(operator(), ofStore('refunds.make'))).toBe('permission_denied');
    expect(authorize({ clock, config }, operator(), ofStore('payments.read'))).toMatchObject({
      isOperator: true,
      storeId: 'st_1',
      storeRole: null,
    });
  });
});

describe('a confirmation by password and second factor', () => {
  const ago = (seconds: number): Date => new Date(clock.now().getTime() - seconds * 1000);

  test('is required by the table of permissions, and lasts five minutes', () => {
    const at = (seconds: number) => merchant({ stepUpAt: ago(seconds) });
    expect(refusalOf(at(299), ofStore('refunds.make'))).toBeNull();
    expect(refusalOf(at(300), ofStore('refunds.make'))).toBe('step_up_required');
    expect(refusalOf(merchant({ stepUpAt: null }), ofStore('refunds.make'))).toBe('step_up_required');
    expect(refusalOf(merchant({ stepUpAt: null }), ofStore('payments.read'))).toBeNull();
  });

  test('may be required or waived by the request', () => {
    const stale = merchant({ stepUpAt: null });
    expect(refusalOf(stale, { permission: 'account', stepUp: true })).toBe('step_up_required');
    expect(refusalOf(stale, { permission: 'account' })).toBeNull();
    expect(refusalOf(merchant({ isComplete: false, stepUpAt: null }), { permission: 'pending' })).toBeNull();
    expect(refusalOf(stale, ofStore('refunds.make', { stepUp: false }))).toBeNull();
  });
});
