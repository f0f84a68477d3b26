// The way back from the hosted page, and when the page leaves by itself.

import { describe, expect, test } from 'vitest';
import type { CheckoutView } from './view';
import type { Stage } from './stage';
import { shopReturn } from './shop-return';

type Facts = Partial<CheckoutView['facts']>;
type Over = { readonly facts?: Facts; readonly verdicts?: readonly string[]; readonly refunds?: readonly unknown[] };

const view = ({ facts = {}, verdicts = [], refunds = [] }: Over = {}): CheckoutView =>
  ({
    facts: {
      environment: 'live',
      store_name: 'Blue Mug Shop',
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      amount_due: '1234',
      amount_received: '1234',
      ...facts,
    },
    seen: verdicts.map((verdict) => ({ verdict })),
    refunds,
  }) as unknown as CheckoutView;

const lead = (stage: Stage, over?: Over) => {
  const to = shopReturn(view(over), stage);
  return to && [to.url.href, to.isAutomatic];
};

test.each([
  ['paid', 'https://shop.example/thanks', true],
  ['canceled', 'https://shop.example/cart', true],
  ['expired', 'https://shop.example/cart', false],
  ['failed', 'https://shop.example/cart', false],
  ['pay', 'https://shop.example/cart', false],
  ['checking', 'https://shop.example/cart', false],
  ['unavailable', 'https://shop.example/cart', false],
] as const)('a payment that is %s leads to %s, by itself: %s', (stage, href, isAutomatic) => {
  expect(lead(stage)).toEqual([href, isAutomatic]);
});

test('the way back shows the host of the shop, or the store name for a payment link', () => {
  const link = 'https://pay.example/link/pl_1';
  expect(shopReturn(view(), 'pay')?.name).toBe('shop.example');
  expect(shopReturn(view({ facts: { cancel_url: link } }), 'pay')?.name).toBe('Blue Mug Shop');
  expect(shopReturn(view({ facts: { cancel_url: `${link}/more` } }), 'pay')?.name).toBe('pay.example');
});

test('a payment that is being confirmed has no cancel link', () => {
  expect(lead('confirming')).toBeNull();
});

describe('a paid page returns to the shop by itself', () => {
  test.each([
    ['when the payment is final', { verdicts: ['counts'] }, true],
    ['when an earlier transfer was taken back by its network', { verdicts: ['orphaned', 'counts'] }, true],
    ['but not when more arrived than was due', { facts: { amount_received: '1235' } }, false],
    ['but not when money arrived that does not count', { verdicts: ['counts', 'wrong_token'] }, false],
    ['but not when money arrived too late', { verdicts: ['late', 'counts'] }, false],
    ['but not when it shows a refund', { refunds: [{}] }, false],
  ])('%s', (_case, over, isAutomatic) => {
    expect(lead('paid', over)).toEqual(['https://shop.example/thanks', isAutomatic]);
  });
});

test('a canceled page does not leave while it shows money that arrived', () => {
  expect(lead('canceled', { verdicts: ['counts'] })).toEqual(['https://shop.example/cart', false]);
  expect(lead('canceled', { verdicts: ['orphaned'] })).toEqual(['https://shop.example/cart', true]);
});

describe('the address', () => {
  test.each([
    ['live', 'https://shop.example/a?b=c#d', 'https://shop.example/a?b=c#d'],
    ['test', 'http://127.0.0.1:3000/a', 'http://127.0.0.1:3000/a'],
    ['live', 'http://shop.example/a', undefined],
    ['test', 'javascript:alert(1)', undefined],
    ['live', 'data:text/html,x', undefined],
    ['test', '/a', undefined],
    ['live', null, undefined],
  ] as const)('in %s of %s is %s', (environment, success_url, href) => {
    expect(shopReturn(view({ facts: { environment, success_url } }), 'paid')?.url.href).toBe(href);
  });
});
