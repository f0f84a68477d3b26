// The paths of the dashboard, and the navigation entries per viewer. Pure; the table of permissions says what a role
// may see.

import type { IconName } from '@/components/ui/icon';
import type { MessageKey } from '@/components/ui/words';
import { may, type Permission } from '@/lib/merchants/members/roles';
import type { Viewer, ViewerStore } from './viewer';

export type Environment = 'live' | 'test';

/** The place in the dashboard that a path names. `environment` is null on store pages that are the same for both. */
export type Here = {
  readonly storeId: string | null;
  readonly environment: Environment | null;
  readonly isOperator: boolean;
};

export function placeOfPath(path: string): Here {
  const [, area, storeId, page] = path.split('/');
  const isStore = area === 'dashboard' && storeId !== undefined && !NO_STORES.has(storeId);
  return {
    storeId: isStore ? decodeURIComponent(storeId) : null,
    environment: isStore && (page === 'live' || page === 'test') ? page : null,
    isOperator: area === 'operator',
  };
}

/** Pages at the position of a store's id. */
const NO_STORES: ReadonlySet<string> = new Set(['', 'account', 'new']);

export type Place = { readonly href: string; readonly key: MessageKey; readonly icon: IconName };
export type PlaceGroup = { readonly key: MessageKey | null; readonly places: readonly Place[] };

type StorePage = Omit<Place, 'href'> & { readonly page: string; readonly permission: Permission };

const MONEY: readonly StorePage[] = [
  { page: 'overview', key: 'navOverview', icon: 'home', permission: 'payments.read' },
  { page: 'payments', key: 'navPayments', icon: 'payments', permission: 'payments.read' },
  { page: 'refunds', key: 'navRefunds', icon: 'refunds', permission: 'refunds.read' },
  { page: 'balances', key: 'navBalances', icon: 'balances', permission: 'balances.read' },
  { page: 'payouts', key: 'navPayouts', icon: 'wallet', permission: 'payouts.read' },
];
const SELLING: readonly StorePage[] = [
  { page: 'links', key: 'navLinks', icon: 'link', permission: 'links.read' },
  { page: 'till', key: 'navTill', icon: 'till', permission: 'till.use' },
];
const DEVELOPERS: readonly StorePage[] = [
  { page: 'keys', key: 'navKeys', icon: 'keys', permission: 'keys.read' },
  { page: 'webhooks', key: 'navWebhooks', icon: 'webhooks', permission: 'webhook.read' },
  { page: 'events', key: 'navEvents', icon: 'events', permission: 'payments.read' },
];
const STORE: readonly StorePage[] = [
  { page: 'members', key: 'navMembers', icon: 'members', permission: 'members.read' },
  { page: 'branding', key: 'navBranding', icon: 'branding', permission: 'store.read' },
  { page: 'settings', key: 'navSettings', icon: 'settings', permission: 'store.read' },
];

const OPERATOR: readonly (Place & { readonly permission: Permission })[] = [
  { href: '/operator', key: 'navOverview', icon: 'home', permission: 'health.read' },
  { href: '/operator/alarms', key: 'navAlarms', icon: 'alarm', permission: 'health.read' },
  { href: '/operator/stores', key: 'navStores', icon: 'stores', permission: 'stores.decide' },
  { href: '/operator/all-payments', key: 'navPayments', icon: 'payments', permission: 'payments.read' },
  { href: '/operator/payments', key: 'operatorPaymentsTitle', icon: 'warn', permission: 'payments.read' },
  { href: '/operator/refunds', key: 'navRefunds', icon: 'refunds', permission: 'refunds.approve' },
  { href: '/operator/health', key: 'navHealth', icon: 'health', permission: 'health.read' },
  { href: '/operator/wallets', key: 'navWallets', icon: 'wallet', permission: 'health.read' },
  { href: '/operator/treasury', key: 'navTreasury', icon: 'balances', permission: 'health.read' },
  { href: '/operator/screening', key: 'navScreening', icon: 'shield', permission: 'screening.release' },
  { href: '/operator/jobs', key: 'navJobs', icon: 'jobs', permission: 'jobs.read' },
  { href: '/operator/users', key: 'navUsers', icon: 'user', permission: 'users.read' },
  { href: '/operator/security', key: 'navSecurity', icon: 'shield', permission: 'audit.read' },
  { href: '/operator/audit', key: 'navAudit', icon: 'audit', permission: 'audit.read' },
];

const ACCOUNT: Place = { href: '/dashboard/account', key: 'navAccount', icon: 'user' };

/** The navigation entries at a place, group by group. */
export function placesFor(viewer: Viewer, here: Here): PlaceGroup[] {
  const groups: PlaceGroup[] = [];
  if (here.storeId !== null) {
    const id = here.storeId;
    const store = viewer.stores.find((one) => one.id === id);
    const environment = here.environment ?? environmentOf(store);
    const standing = { isOperator: viewer.isOperator, storeRole: store?.role ?? null };
    const group = (key: MessageKey | null, pages: readonly StorePage[], prefix: string): PlaceGroup => ({
      key,
      places: pages
        .filter(({ permission }) => may(standing, permission))
        .map(({ page, key: name, icon }) => ({ href: `${prefix}/${page}`, key: name, icon })),
    });
    const base = `/dashboard/${encodeURIComponent(id)}`;
    groups.push(group(null, MONEY, `${base}/${environment}`));
    groups.push(group('navSelling', SELLING, `${base}/${environment}`));
    groups.push(group('navDevelopers', DEVELOPERS, `${base}/${environment}`));
    groups.push(group('navStore', STORE, base));
  } else if (!here.isOperator) {
    groups.push({ key: null, places: [{ href: '/dashboard', key: 'navStores', icon: 'stores' }, ACCOUNT] });
  }
  if (viewer.isOperator && here.storeId === null) {
    const standing = { isOperator: true, storeRole: null };
    // The store switcher above already names this console.
    const key = here.isOperator ? null : 'navOperator';
    groups.push({ key, places: OPERATOR.filter(({ permission }) => may(standing, permission)) });
  }
  return groups.filter(({ places }) => places.length > 0);
}

const TABS: readonly MessageKey[] = ['navOverview', 'navStores', 'navPayments', 'navTill', 'navBalances', 'navRefunds'];
const MAX_TABS = 4;

/** The places in a phone's bar, beside its menu. */
export function tabsFor(viewer: Viewer, here: Here): Place[] {
  const places = placesFor(viewer, here).flatMap((group) => group.places);
  return TABS.flatMap((key) => places.find((place) => place.key === key) ?? []).slice(0, MAX_TABS);
}

/** A store's first page: live if it can take live money, otherwise test. */
export const homeOf = (store: Pick<ViewerStore, 'id' | 'takesLive'>): string =>
  `/dashboard/${encodeURIComponent(store.id)}/${environmentOf(store)}/overview`;

/** The page for a store's keys, in the environment that `homeOf` leads to. */
export const keysOf = (store: Pick<ViewerStore, 'id' | 'takesLive'>): string =>
  `/dashboard/${encodeURIComponent(store.id)}/${environmentOf(store)}/keys`;

const environmentOf = (store: Pick<ViewerStore, 'takesLive'> | undefined): Environment =>
  store?.takesLive ? 'live' : 'test';

/** Whether changes on this page, or on the pages that a store list leads to, need a second factor that is missing. */
export function needsFactorAt(viewer: Pick<Viewer, 'stores'>, path: string): boolean {
  if (path === '/dashboard') return viewer.stores.some((store) => store.needsFactorForStore);
  const { storeId, environment } = placeOfPath(path);
  const store = viewer.stores.find(({ id }) => id === storeId);
  if (!store || environment === 'test') return false;
  return environment === 'live' ? store.needsFactorLive : store.needsFactorForStore;
}

/** The account page's second factors, with a link back to the page that the user came from. */
export const accountPathWithReturn = (path: string): string =>
  `${ACCOUNT.href}?back=${encodeURIComponent(path)}#${SECOND_FACTOR}`;

/** The second factors on the account page. */
export const SECOND_FACTOR = 'second-factor';

/** The same list in the other environment. A single payment or refund exists in one only: its list. */
export function inEnvironment(path: string, environment: Environment): string {
  const [, area, store, , page] = path.split('/');
  return `/${area}/${store}/${environment}/${page ?? 'overview'}`;
}

/** Whether a path is the place, or a page below it. */
export const isAt = (path: string, { href }: Pick<Place, 'href'>): boolean =>
  path === href || (href !== '/dashboard' && href !== '/operator' && path.startsWith(`${href}/`));
