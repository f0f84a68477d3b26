// The settings that a set-up may write. `npm start` accepts no other name from the set-up's file
// (scripts/start/setup-file.mjs).

import type { Environment } from '@/lib/platform/ids';

const SETTING = /^(?:LIVE|TEST)_[A-Z0-9]+_(?:URLS|BUDGETS)$/;
const OTHERS: ReadonlySet<string> = new Set([
  ...[
    'PUBLIC_URL',
    'HOST',
    'PORT',
    'TRUSTED_PROXIES',
    'DIRECT_CLIENTS',
    'LIVE_TRON_API_KEY',
    'TEST_TRON_API_KEY',
    'SMTP_URL',
    'MAIL_FROM',
    'SECURITY_CONTACT',
  ],
  ...['SIGNER_NETWORKS', 'SIGNER_CENTS_PER_REFUND', 'SIGNER_CENTS_PER_HOUR', 'SIGNER_CENTS_PER_DAY'],
  ...['SIGNER_APPROVAL_ABOVE', 'REFUND_APPROVAL_ABOVE', 'TREASURY_WALLETS', 'SIGNER_TREASURY_WALLETS'],
  'DIRECT_SETTLEMENT',
]);

export const isSetupName = (name: string): boolean => SETTING.test(name) || OTHERS.has(name);

const upper = (environment: Environment) => (environment === 'live' ? 'LIVE' : 'TEST');

export const NAMES = {
  urls: (network: string, environment: Environment) => `${upper(environment)}_${network.toUpperCase()}_URLS` as const,
  budgets: (network: string, environment: Environment) =>
    `${upper(environment)}_${network.toUpperCase()}_BUDGETS` as const,
  tronKey: (environment: Environment) => `${upper(environment)}_TRON_API_KEY` as const,
};
