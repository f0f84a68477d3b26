// Which addresses a person could confuse.

import { expect, test } from 'vitest';
import { looksAlike } from './look-alike';

const TRON = 'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK';

test.each([
  ['evm', '0x9858effd232b4033e47d90003d41ec34ecaeda94', '0x9858000000000000000000000000000000aada94', true],
  ['evm', '0x9858effd232b4033e47d90003d41ec34ecaeda94', '0x9858effd232b4033e47d90003d41ec34ecaeda94', false],
  ['evm', '0x9858effd232b4033e47d90003d41ec34ecaeda94', '0x9858effd232b4033e47d90003d41ec34ecaeda95', false],
  ['evm', '0x9858effd232b4033e47d90003d41ec34ecaeda94', '0x9859effd232b4033e47d90003d41ec34ecaeda94', false],
  ['tron', TRON, 'TSeJkXXXXXXXXXXXXXXXXXXXXXXXXXNQZK', true],
  ['tron', TRON, 'TseJKXXXXXXXXXXXXXXXXXXXXXXXXXnqzk', true],
  ['tron', TRON, 'TSeJxXXXXXXXXXXXXXXXXXXXXXXXXXNQZK', false],
  ['solana', `AbCd${'1'.repeat(36)}WxYz`, `AbCd${'2'.repeat(36)}WxYz`, true],
  ['solana', `AbCd${'1'.repeat(36)}WxYz`, `BbCd${'2'.repeat(36)}WxYz`, false],
] as const)('of %s: %s and %s look alike: %s', (family, one, other, isAlike) => {
  expect(looksAlike(family, one, other)).toBe(isAlike);
});
