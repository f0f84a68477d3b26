// Names and states of the console in the reader's language, defined once for all its pages.

import { Badge, type Tone } from '@/components/ui/badge';
import type { Severity } from '@/lib/installation/alarms/kinds';
import type { WalletWarning } from '@/lib/dashboard/operator/wallets';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { StoreRow } from '@/lib/merchants/stores/read';

type T = DashboardWords['t'];
type StoreStatus = StoreRow['status'];

/** A network's display name; its own name where the catalogue has none. */
export function networkName(t: T, network: string): string {
  const key = `operatorNetwork_${network}` as 'operatorNetwork_ethereum';
  return t.has(key) ? t(key) : network;
}

/** `Ethereum · Live`. */
export const networkIn = (t: T, { network, environment }: { network: string; environment: 'live' | 'test' }): string =>
  `${networkName(t, network)} · ${t(environment === 'live' ? 'navLive' : 'navTest')}`;

const STORE_TONES: Readonly<Record<StoreStatus, Tone>> = {
  pending: 'info',
  approved: 'good',
  rejected: 'plain',
  suspended: 'bad',
};

export const StoreBadge = ({ t, status }: { t: T; status: StoreStatus }) => (
  <Badge tone={STORE_TONES[status]}>{t(`navStatus_${status}`)}</Badge>
);

/** Distinct colours, so that live and test money are not mistaken for each other. */
export const EnvironmentBadge = ({ t, environment }: { t: T; environment: 'live' | 'test' }) => (
  <Badge tone={environment === 'live' ? 'good' : 'plain'}>{t(environment === 'live' ? 'navLive' : 'navTest')}</Badge>
);

/** A notice is pending work, so it is neutral. */
export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = { critical: 'bad', warning: 'warn', notice: 'plain' };

export const WALLET_TONES: Readonly<Record<WalletWarning, Tone>> = {
  fee_empty: 'bad',
  fee_low: 'warn',
  short: 'bad',
  empty: 'warn',
  stale: 'warn',
  unread: 'plain',
};
