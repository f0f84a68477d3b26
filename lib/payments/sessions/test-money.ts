// Whether payments can be made with test money: only in the test environment of an installation whose test environment follows
// the sandbox's local chains. Public test networks have test tokens too, but the installation has no supply of them.

import type { Config } from '@/lib/platform/config/config';
import type { Environment } from '@/lib/platform/ids';

export const hasTestMoney = (
  { SANDBOX_ORIGIN, TEST_CHAINS }: Pick<Config, 'SANDBOX_ORIGIN' | 'TEST_CHAINS'>,
  environment: Environment,
): boolean => environment === 'test' && SANDBOX_ORIGIN !== undefined && TEST_CHAINS === 'local';
