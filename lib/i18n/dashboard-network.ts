// The name of a network in the dashboard's catalogues. Pure: mails use it too.

import type { DashboardKey, DashboardWords } from './dashboard-words';

/** Its own word where the catalogue has none. */
export function dashboardNetwork(t: DashboardWords['t'], network: string): string {
  const key = `net_${network}` as DashboardKey;
  return t.has(key) ? t(key as 'net_bsc') : network;
}
