// The desk's first page: what needs an operator now, worst first, and the freeze switch.

import { Badge, type Tone } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, Note, PageHead } from '@/components/ui/card';
import { Icon, type IconName } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { FreezeCard } from '@/components/operator/freeze-card';
import { HealthStrip } from '@/components/operator/health-strip';
import { MOST_COUNTED, readOverview, type Overview, type Unfinished } from '@/lib/dashboard/operator/overview';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';

export async function generateMetadata() {
  const { t } = await getDashboardWords();
  return { title: t('navOverview') };
}

type Asked = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function OverviewPage({ searchParams }: Asked) {
  const { context } = await requirePage('health.read');
  const isFresh = 'finished' in (await searchParams);
  const [words, overview] = await Promise.all([getDashboardWords(), readOverview(context)]);
  const { t } = words;
  const matters = mattersOf(words, overview);
  return (
    <>
      <PageHead
        title={t('operatorOverviewTitle')}
        text={t('operatorOverviewText')}
        actions={
          <ButtonLink href="/operator/all-payments" icon="payments">
            {t('navAllPayments')}
          </ButtonLink>
        }
      />
      <div className="grid gap-5">
        {isFresh && !overview.unfinished.includes('setup') && (
          <Note tone="good" title={t('setupLiveTitle')}>
            {t('setupLiveText')}
          </Note>
        )}
        <HealthStrip {...{ words, overview }} />
        <Card title={t('operatorNeedsYou')} isFlush>
          {matters.length === 0 ? (
            <Empty icon="check" title={t('operatorNothingTitle')} text={t('operatorNothingText')} />
          ) : (
            <ul className="m-0 list-none border-t border-line p-0">
              {matters.map(({ href, icon, tone, title, text, count }) => (
                <li key={href + title} className="relative border-b border-line last:border-b-0 hover:bg-hover">
                  <Link href={href} className="flex items-center gap-3 px-4 py-3 text-ink no-underline sm:px-5">
                    <Icon name={icon} size={18} className="text-muted" />
                    <span className="grid min-w-0 flex-1">
                      <span className="font-semibold">{title}</span>
                      <span className="text-[0.8125rem] text-muted">{text}</span>
                    </span>
                    <Badge tone={tone}>{count}</Badge>
                    <Icon name="right" className="text-muted rtl:rotate-180" />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <FreezeCard words={words} freeze={overview.freeze} />
      </div>
    </>
  );
}

type Matter = {
  readonly href: string;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
  readonly count: string;
};

/** Where it shows once it is set up. */
const UNFINISHED_AT: Readonly<Record<Unfinished, string>> = {
  setup: '/operator/setup',
  network: '/operator/health',
  test_network: '/operator/health',
  words: '/operator#freeze',
  mail: '/operator/jobs?show=mails',
  funds: '/operator/wallets',
  operator: '/operator/users',
};

/** What is not at zero, the worst first. */
function mattersOf(
  { t, format }: DashboardWords,
  { counts, networks, withoutList, freeze, unfinished }: Overview,
): readonly Matter[] {
  const number = (count: number) =>
    count >= MOST_COUNTED ? t('operatorMany', { count: MOST_COUNTED }) : format.number(count);
  const isDown = networks.some(({ state }) => state === 'down');
  const isStopped = freeze.isFrozen === true || freeze.waiting !== null;
  const all: readonly (Matter & { readonly of: number })[] = [
    {
      of: isStopped ? 1 : 0,
      count: t('operatorSigner_frozen'),
      tone: 'bad',
      href: '#freeze',
      icon: 'lock',
      title: t('operatorMatterFrozen'),
      text: t('operatorMatterFrozenText'),
    },
    {
      of: counts.alarms,
      count: number(counts.alarms),
      tone: 'bad',
      href: '/operator/alarms',
      icon: 'alarm',
      title: t('operatorMatterAlarms'),
      text: t('operatorMatterAlarmsText'),
    },
    {
      of: counts.differences,
      count: number(counts.differences),
      tone: 'bad',
      href: '/operator/wallets#differences',
      icon: 'balances',
      title: t('operatorMatterDifferences'),
      text: t('operatorMatterDifferencesText'),
    },
    {
      of: counts.securityAlarms,
      count: number(counts.securityAlarms),
      tone: 'bad',
      href: '/operator/security',
      icon: 'shield',
      title: t('operatorMatterSecurity'),
      text: t('operatorMatterSecurityText'),
    },
    {
      of: networks.length,
      count: number(networks.length),
      tone: isDown ? 'bad' : 'warn',
      href: '/operator/health',
      icon: 'health',
      title: t('operatorMatterNetworks'),
      text: t('operatorMatterNetworksText'),
    },
    ...unfinished.map((step) => ({
      of: 1,
      count: t('operatorUnfinished'),
      tone: 'warn' as const,
      href: UNFINISHED_AT[step],
      icon: 'settings' as const,
      title: t(`operatorUnfinished_${step}`),
      text: t(`operatorUnfinishedText_${step}`),
    })),
    {
      of: withoutList.length,
      count: number(withoutList.length),
      tone: 'warn',
      href: '/operator/refunds?hold=destination_needed',
      icon: 'refunds',
      title: t('operatorMatterList'),
      text: t('operatorMatterListText', { command: 'npm run held-senders -- load' }),
    },
    {
      of: counts.failingSteps,
      count: number(counts.failingSteps),
      tone: 'bad',
      href: '/operator/jobs',
      icon: 'jobs',
      title: t('operatorMatterSteps'),
      text: t('operatorMatterStepsText'),
    },
    {
      of: counts.quarantined,
      count: number(counts.quarantined),
      tone: 'bad',
      href: '/operator/jobs?show=quarantine',
      icon: 'jobs',
      title: t('operatorMatterQuarantine'),
      text: t('operatorMatterQuarantineText'),
    },
    {
      of: counts.approvals,
      count: number(counts.approvals),
      tone: 'info',
      href: '/operator/refunds?hold=approval_needed',
      icon: 'shield',
      title: t('operatorMatterApprovals'),
      text: t('operatorMatterApprovalsText'),
    },
    {
      of: counts.waitingStores,
      count: number(counts.waitingStores),
      tone: 'info',
      href: '/operator/stores',
      icon: 'stores',
      title: t('operatorMatterStores'),
      text: t('operatorMatterStoresText'),
    },
    {
      of: counts.changedStores,
      count: number(counts.changedStores),
      tone: 'warn',
      href: '/operator/stores?status=changed',
      icon: 'stores',
      title: t('operatorMatterChanged'),
      text: t('operatorMatterChangedText'),
    },
    {
      of: counts.heldRefunds - counts.approvals,
      count: number(counts.heldRefunds - counts.approvals),
      tone: 'warn',
      href: '/operator/refunds',
      icon: 'refunds',
      title: t('operatorMatterHeld'),
      text: t('operatorMatterHeldText'),
    },
    {
      of: counts.openCases,
      count: number(counts.openCases),
      tone: 'warn',
      href: '/operator/payments',
      icon: 'payments',
      title: t('operatorMatterCases'),
      text: t('operatorMatterCasesText'),
    },
    {
      of: counts.failedDeliveries,
      count: number(counts.failedDeliveries),
      tone: 'warn',
      href: '/operator/jobs?show=deliveries',
      icon: 'webhooks',
      title: t('operatorMatterDeliveries'),
      text: t('operatorMatterDeliveriesText'),
    },
    {
      of: counts.failedMails,
      count: number(counts.failedMails),
      tone: 'warn',
      href: '/operator/jobs?show=mails',
      icon: 'mail',
      title: t('operatorMatterMails'),
      text: t('operatorMatterMailsText'),
    },
  ];
  return all.filter(({ of }) => of > 0);
}
