// The doctor's findings about the settings: unsafe ones, and ones that work but are not advisable. Pure.

import type { Config } from '@/lib/platform/config/config';
import { hasLiveNetwork, isProduction, unsafeSettings } from '@/lib/platform/config/unsafe-settings';
import type { Finding } from './findings';

export function settingFindings(config: Config): readonly Finding[] {
  const unsafe = unsafeSettings(config);
  const isLive = hasLiveNetwork(config);
  const recommended = [
    ...(isProduction(config) && config.SECURITY_CONTACT === undefined ? [NO_CONTACT] : []),
    ...(isLive && config.AGREEMENT_ENDPOINTS === 1 ? [ONE_ENDPOINT] : []),
    ...(isLive && config.REFUND_CLAIM_DELAY_SECONDS_LIVE === 0 ? [NO_CLAIM_DELAY] : []),
  ];
  if (unsafe.length === 0) return [{ check: 'settings', state: 'ok', message: 'none is unsafe' }, ...recommended];
  return [...unsafe.map((message) => ({ check: 'settings', state: 'fail', message }) as const), ...recommended];
}

const NO_CONTACT: Finding = {
  check: 'contact',
  state: 'warn',
  message:
    'SECURITY_CONTACT is not set: people who find a vulnerability in this installation cannot see where to report it',
  todo: 'Set SECURITY_CONTACT=mailto:… or an https:// address. It is served as /.well-known/security.txt.',
};

const ONE_ENDPOINT: Finding = {
  check: 'agreement',
  state: 'warn',
  message: 'AGREEMENT_ENDPOINTS is 1: a single endpoint of a live network can make up payments, and they are credited',
  todo: 'Set AGREEMENT_ENDPOINTS=2, and give every live network endpoints of at least two providers.',
};

const NO_CLAIM_DELAY: Finding = {
  check: 'claims',
  state: 'warn',
  message:
    'REFUND_CLAIM_DELAY_SECONDS_LIVE is 0: a live refund goes to an address that a customer gave before the merchant can cancel it',
  todo: 'Set REFUND_CLAIM_DELAY_SECONDS_LIVE=600. The store learns of the address by mail and can cancel until then.',
};
