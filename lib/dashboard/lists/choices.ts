// The filter options of lists, with their names.

import { presentedNetworks } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';
import { STABLECOINS } from '@/lib/money/amounts';
import { dashboardNetwork } from '@/lib/i18n/dashboard-network';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export type Choice = { readonly value: string; readonly label: string };

export const networkChoices = (t: DashboardWords['t'], config: Config): Choice[] =>
  presentedNetworks(config).map((value) => ({ value, label: dashboardNetwork(t, value) }));

/** Prices may be in any currency; these are the common ones. Others can be entered in the address. */
const COMMON_CURRENCIES = ['USD', 'EUR', 'GBP', 'CNY', 'JPY', 'MXN', 'BRL', 'INR', 'AED', 'TRY'];
export const currencyChoices = (): Choice[] =>
  [...STABLECOINS, ...COMMON_CURRENCIES].map((value) => ({ value, label: value }));
