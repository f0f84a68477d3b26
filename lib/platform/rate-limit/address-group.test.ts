import { expect, test } from 'vitest';
import { groupOf, homeOf } from './address-group';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['2001:0DB8:0:2:9:9:9:9', '2001:db8:0:2::/64'],
  ['not an address', 'not an address'],
  ['not:an:address', 'not:an:address'],
  ['2130706433', '2130706433'],
])('%s counts as %s', (address, group) => {
  expect(groupOf(address)).toBe(group);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:2ff::1', '2001:db8:0:200::/56'],
  ['2001:db8:0:200:9:9:9:9', '2001:db8:0:200::/56'],
  ['2001:db8:0:300::1', '2001:db8:0:300::/56'],
])('%s belongs to the home %s', (address, home) => {
  expect(homeOf(address)).toBe(home);
});
