// The health at a glance: the networks, the signer, the worker and the mails, each a link to its details.

import { Badge, type Tone } from '@/components/ui/badge';
import { Icon, type IconName } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import type { Overview } from '@/lib/dashboard/operator/overview';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Health = readonly [tone: Tone, text: string];
type Props = { readonly words: DashboardWords; readonly overview: Overview };

export function HealthStrip({ words: { t, format }, overview }: Props) {
  const { networks, networkCount, counts, unfinished } = overview;
  const working: Health = ['good', t('operatorNetworkState_ok')];
  const worst: Tone = networks.some(({ state }) => state === 'down') ? 'bad' : 'warn';
  const networkHealth: Health = [
    networks.length > 0 || networkCount === 0 ? worst : 'good',
    `${format.number(networkCount - networks.length)}/${format.number(networkCount)}`,
  ];
  const workerHealth: Health = overview.isWorkerSilent
    ? ['bad', t('operatorNetworkState_down')]
    : counts.failingSteps > 0
      ? ['bad', t('operatorEndpoint_failing')]
      : overview.isOverdue
        ? ['warn', t('operatorNetworkState_delayed')]
        : working;
  const mailHealth: Health = unfinished.includes('mail')
    ? ['warn', t('operatorUnfinished')]
    : counts.failedMails > 0
      ? ['warn', t('operatorEndpoint_failing')]
      : working;
  return (
    <ul className="m-0 grid list-none grid-cols-2 gap-3 p-0 lg:grid-cols-4">
      <Tile href="/operator/health" icon="health" name={t('operatorNetworks')} health={networkHealth} />
      <Tile href="#freeze" icon="keys" name={t('operatorSigner')} health={signerHealth(overview, t) ?? working} />
      <Tile href="/operator/jobs" icon="jobs" name={t('operatorJobs_steps')} health={workerHealth} />
      <Tile href="/operator/jobs?show=mails" icon="mail" name={t('operatorJobs_mails')} health={mailHealth} />
    </ul>
  );
}

function signerHealth({ freeze, isWorkerSilent }: Overview, t: DashboardWords['t']): Health | null {
  if (freeze.waiting) return ['bad', t('operatorSigner_freezing')];
  if (freeze.isFrozen) return ['bad', t('operatorSigner_frozen')];
  return isWorkerSilent || freeze.trouble !== null || freeze.isFrozen === null
    ? ['warn', t('operatorSigner_silent')]
    : null;
}

type TileProps = {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly health: Health;
};

const Tile = ({ href, icon, name, health: [tone, text] }: TileProps) => (
  <li>
    <Link
      href={href}
      className="flex h-full min-h-18 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-3 text-ink no-underline shadow-card hover:bg-hover"
    >
      <Icon name={icon} size={18} className="text-muted max-sm:hidden" />
      <span className="grid min-w-0 justify-items-start gap-1">
        <span className="text-[0.8125rem] text-muted">{name}</span>
        <Badge tone={tone}>{text}</Badge>
      </span>
    </Link>
  </li>
);
