// The console's first page: what needs an operator now, the most severe first, and the freeze switch.

import { Badge } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, Note, PageHead } from '@/components/ui/card';
import { Icon, type IconName } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { FreezeCard } from '@/components/operator/freeze-card';
import { HealthStrip } from '@/components/operator/health-strip';
import { SEVERITY_TONES } from '@/components/operator/names';
import { ALARM_KINDS } from '@/lib/installation/alarms/kinds';
import { alarmText, type Words } from '@/lib/installation/alarms/alarm-text';
import { actionItemsOf, type ActionItem } from '@/lib/dashboard/operator/action-items';
import { MAX_COUNTED, readOverview } from '@/lib/dashboard/operator/overview';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navOverview');

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function OverviewPage({ searchParams }: Props) {
  const { context } = await requirePage('health.read');
  const isFresh = 'finished' in (await searchParams);
  const [words, overview] = await Promise.all([getDashboardWords(), readOverview(context)]);
  const { t } = words;
  const matters = actionItemsOf(overview);
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
              {matters.map((matter) => (
                <ActionItemRow key={matter.key} {...{ words, matter }} />
              ))}
            </ul>
          )}
        </Card>
        <FreezeCard words={words} freeze={overview.freeze} />
      </div>
    </>
  );
}

/** The icon of each kind; alarms without their own icon show the general one. */
const ICONS: Readonly<Partial<Record<ActionItem['words']['key'], IconName>>> = {
  signer_frozen: 'lock',
  differences: 'balances',
  security: 'shield',
  network_trouble: 'health',
  exchange_list: 'refunds',
  steps: 'jobs',
  quarantine: 'jobs',
  refunds_held: 'refunds',
  mails: 'mail',
  approvals: 'shield',
  stores_waiting: 'stores',
  stores_changed: 'stores',
  exceptions: 'payments',
  deliveries: 'webhooks',
};

function ActionItemRow({ words: { t, format }, matter }: { words: DashboardWords; matter: ActionItem }) {
  const { words, severity, count, href } = matter;
  const [title, text, icon] =
    words.of === 'alarm'
      ? [t(ALARM_KINDS[words.key].words), alarmText(t as Words, words.key), ICONS[words.key] ?? 'alarm']
      : [t(`operatorUnfinished_${words.key}`), t(`operatorUnfinishedText_${words.key}`), 'settings' as const];
  const number = (many: number) =>
    many >= MAX_COUNTED ? t('operatorMany', { count: MAX_COUNTED }) : format.number(many);
  const label = t(words.of === 'alarm' ? 'operatorSigner_frozen' : 'operatorUnfinished');
  return (
    <li className="relative border-b border-line last:border-b-0 hover:bg-hover">
      <Link href={href} className="flex items-center gap-3 px-4 py-3 text-ink no-underline sm:px-5">
        <Icon name={icon} size={18} className="flex-none text-muted" />
        <span className="grid min-w-0 flex-1">
          <span className="font-semibold">{title}</span>
          <span className="text-[0.8125rem] text-muted">{text}</span>
        </span>
        <Badge tone={SEVERITY_TONES[severity]}>{count === null ? label : number(count)}</Badge>
        <Icon name="right" className="flex-none text-muted rtl:rotate-180" />
      </Link>
    </li>
  );
}
