import { expect, test } from 'vitest';
import { withInner } from './field-list';

test('lists inner fields under their outermost field, in order', () => {
  const row = (path: string) => ({ path, isRequired: false, kind: 'string', meaning: '' });
  const paths = ['items', 'amount', 'items[].price.sum', 'amount_total', 'items[].price', '[].code'];
  const groups = withInner(paths.map(row)).map(({ field, inner }) => [field.path, inner.map(({ path }) => path)]);
  expect(groups).toEqual([
    ['items', ['items[].price.sum', 'items[].price']],
    ['amount', []],
    ['amount_total', []],
    ['[].code', []],
  ]);
});
