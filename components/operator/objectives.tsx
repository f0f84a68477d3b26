// The service objectives with what is left of their error budgets, and the ages of the work that waits.

import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Fact, Facts } from '@/components/ui/card';
import { Table, type Column } from '@/components/ui/table';
import type { Figure } from '@/lib/dashboard/operator/figures';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { ObjectiveState } from '@/lib/installation/status/objectives';
import { networkName } from './names';

/** Below this share of its budget an objective needs attention. */
const LOW = 0.25;

export function ObjectivesCard({
  words,
  objectives,
}: {
  words: DashboardWords;
  objectives: readonly ObjectiveState[];
}) {
  const { t } = words;
  return (
    <Card id="objectives" title={t('operatorObjectives')} text={t('operatorObjectivesText')} isFlush>
      <Table
        isBare
        label={t('operatorObjectives')}
        columns={columns(words)}
        rows={objectives}
        rowKey={({ kind, subject }) => `${kind} ${subject?.environment} ${subject?.name}`}
        empty={null}
      />
    </Card>
  );
}

const columns = ({ t, format }: DashboardWords): readonly Column<ObjectiveState>[] => [
  { key: 'objective', header: t('operatorObjective'), onPhone: 'title', cell: (one) => nameOf(t, one) },
  {
    key: 'target',
    header: t('operatorObjectiveTarget'),
    isNumeric: true,
    cell: ({ target }) => format.basisPoints(points(target)),
  },
  {
    key: 'measured',
    header: t('operatorObjectiveMeasured'),
    isNumeric: true,
    // Rounded down, so that a missed objective never looks met.
    cell: ({ measured }) => (measured === null ? t('operatorObjectiveUnknown') : format.basisPoints(points(measured))),
  },
  {
    key: 'budget',
    header: t('operatorBudgetLeft'),
    onPhone: 'side',
    cell: ({ budgetLeft }) =>
      budgetLeft !== null && (
        <Badge tone={toneOf(budgetLeft)}>
          {budgetLeft <= 0 ? t('operatorBudgetSpent') : format.percent(budgetLeft)}
        </Badge>
      ),
  },
];

const points = (share: number): number => Math.floor(share * 10_000 + 1e-6);

const toneOf = (left: number): Tone => {
  if (left <= 0) return 'bad';
  return left < LOW ? 'warn' : 'good';
};

function nameOf(t: DashboardWords['t'], { kind, subject }: ObjectiveState): string {
  if (subject === null) return t(kind === 'api' ? 'operatorObjective_api' : 'operatorObjective_webhook');
  const environment = t(subject.environment === 'live' ? 'navLive' : 'navTest');
  const text =
    kind === 'network'
      ? t('operatorObjective_network', { name: networkName(t, subject.name) })
      : t(subject.name === 'refunds' ? 'operatorObjective_refunds' : 'operatorObjective_webhooks');
  return `${text} · ${environment}`;
}

export function FiguresCard({ words: { t, format }, figures }: { words: DashboardWords; figures: readonly Figure[] }) {
  return (
    <Card title={t('operatorFigures')} text={t('operatorFiguresText')}>
      <Facts>
        {figures.map(({ name, seconds, isLate }) => (
          <Fact key={name} name={t(`operatorFigure_${name}`)}>
            {seconds === null ? (
              t('operatorFigureNone')
            ) : (
              <span className={isLate ? 'font-semibold text-bad' : ''}>{format.wait(seconds)}</span>
            )}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}
