// The tabs Live and Test of a page of the console. A sandbox opens with Test.

import type { Environment } from '@/lib/platform/ids';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { choiceOf, hrefWith, type PageQuery } from './query';

const ENVIRONMENTS = ['live', 'test'] as const;

type Of = {
  readonly path: string;
  readonly query: Awaited<PageQuery>;
  readonly config: { readonly SANDBOX_ORIGIN?: string | undefined };
  readonly t: DashboardWords['t'];
};

/** The environment that the page shows, and the links to both. */
export function environmentTabs({ path, query, config, t }: Of) {
  const usual: Environment = config.SANDBOX_ORIGIN === undefined ? 'live' : 'test';
  const environment = choiceOf(query, 'environment', ENVIRONMENTS) ?? usual;
  const links = ENVIRONMENTS.map((one) => ({
    href: hrefWith(path, query, { environment: one === usual ? null : one }),
    label: t(one === 'live' ? 'navLive' : 'navTest'),
    isCurrent: one === environment,
  }));
  return { environment, links };
}
