// When an account needs a second factor because its member acts live. The one rule behind requests (dashboard/authorize) and the
// notice on pages (dashboard/viewer).

import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { Config } from '@/lib/platform/config/config';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';

type Place = {
  /** Null for what concerns the whole store: its settings, its look and its members. */
  readonly environment: string | null;
  readonly isStoreLive: boolean;
};

/** Whether it is live there. Anything but `test` is; the whole store is once approved, except on one's own machine. */
export const isLivePlace = (config: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>, at: Place): boolean =>
  at.environment === null ? at.isStoreLive && !isOwnSandbox(config) : at.environment !== 'test';

/** Whether an account has neither an authenticator nor a passkey. */
export const hasNoFactor = ({ hasTotp, hasPasskeys }: Pick<Who, 'hasTotp' | 'hasPasskeys'>): boolean =>
  !hasTotp && !hasPasskeys;
