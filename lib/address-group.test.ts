import { expect, test } from 'vitest';
import { groupOf } from './address-group';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['2001:0DB8:0:2:9:9:9:9', '2001:db8:0:2::/64'],
  ['not an address', 'not an address'],
])('%s counts as %s', (address, group) => {
  expect(groupOf(address)).toBe(group);
});
