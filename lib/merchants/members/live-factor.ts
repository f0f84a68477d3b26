// When an account needs a second factor because its member acts live. Requests (dashboard/authorize) and the notice on pages
// (dashboard/viewer) share this rule.

import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import type { Config } from '@/lib/platform/config/config';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';

type Place = {
  /** Null for actions on the whole store: its settings, branding and members. */
  readonly environment: string | null;
  readonly isStoreLive: boolean;
};

/**
 * Whether an action there is live. Every environment but `test` is. The whole store is live once approved, except on the
 * developer's own machine.
 */
export const isLivePlace = (config: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>, at: Place): boolean =>
  at.environment === null ? at.isStoreLive && !isOwnSandbox(config) : at.environment !== 'test';

/** Whether an account has neither an authenticator nor a passkey. */
export const hasNoFactor = ({ hasTotp, hasPasskeys }: Pick<Who, 'hasTotp' | 'hasPasskeys'>): boolean =>
  !hasTotp && !hasPasskeys;
