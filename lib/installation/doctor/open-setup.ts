// The doctor's findings while the set-up in the browser is open: it names the set-up, and leads to it for what is missing.

import type { Config } from '@/lib/platform/config/config';
import type { Finding } from './findings';

/** Checks whose settings the set-up writes. */
const PARTS: readonly string[] = ['networks', 'mail'];

export const openSetupFinding = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): Finding => ({
  check: 'set-up',
  state: 'warn',
  message: 'it is not finished: no live payment is taken until then',
  todo: `Go through the steps at ${PUBLIC_URL}/operator/setup and finish the set-up there.`,
});

/** A missing part is entered in the set-up, not in the environment. */
export const duringSetup = (finding: Finding): Finding =>
  finding.state === 'warn' && PARTS.includes(finding.check) ? { ...finding, todo: 'Enter it in the set-up.' } : finding;
