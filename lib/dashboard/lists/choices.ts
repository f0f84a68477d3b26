// What lists can be filtered by, as options with their names.

import { NETWORKS } from '@/lib/networks/networks';
import { STABLECOINS } from '@/lib/money/amounts';
import type { DashboardKey, DashboardWords } from '@/lib/i18n/dashboard-words';

export type Choice = { readonly value: string; readonly label: string };

/** Every network that there is a row for, once. */
export const NETWORK_NAMES: readonly string[] = [...new Set(NETWORKS.map(({ network }) => network))];

export const networkName = (t: DashboardWords['t'], network: string): string => {
  const key = `net_${network}` as DashboardKey;
  return t.has(key) ? t(key as 'net_bsc') : network;
};
export const networkChoices = (t: DashboardWords['t']): Choice[] =>
  NETWORK_NAMES.map((value) => ({ value, label: networkName(t, value) }));

/** Prices are in any currency; these are what most are in. Another can be written into the address. */
const COMMON_CURRENCIES = ['USD', 'EUR', 'GBP', 'CNY', 'JPY', 'MXN', 'BRL', 'INR', 'AED', 'TRY'];
export const currencyChoices = (): Choice[] =>
  [...STABLECOINS, ...COMMON_CURRENCIES].map((value) => ({ value, label: value }));
