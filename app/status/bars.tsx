// One bar for each of the last 90 days since the first measurement: days and parts of days without data are grey.
// Before the first measurement there is only a line, so that a new installation does not look like a failed one.

import { formatDay, formatPercent, formatSince } from '@/lib/i18n/days';
import type { Words } from '@/lib/i18n/translate';
import { uptimeOf, type Day } from '@/lib/installation/status/history';
import { sentenceOf } from './day-text';

const STEP = 4;
const WIDTH = 3;
const HEIGHT = 24;
/** A day with a short measurement still shows its colour. */
const LEAST_HEIGHT = 5;

export function Bars({ words, days }: { words: Words; days: readonly Day[] }) {
  const uptime = uptimeOf(days);
  const first = days.findIndex((day) => measuredOf(day) > 0);
  const begins = first < 0 ? days.length : first;
  const since =
    first > 0
      ? words.t('statusMeasuredSince', { date: formatDay(words.locale, days[first]?.date ?? '') })
      : formatSince(words.locale, days.length - 1);
  const share = uptime === null ? null : formatPercent(words.locale, uptime);
  const today = formatSince(words.locale, 0);
  return (
    <div className="status-history">
      <svg
        viewBox={`0 0 ${days.length * STEP - 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[`${since} – ${today}`, ...(share ? [share] : [])].join(': ')}
      >
        <path
          className="bar-none"
          d={[
            ...(begins > 0 ? [`M0 ${HEIGHT - 1}h${begins * STEP - 1}v1H0z`] : []),
            ...days.slice(begins).map((_, n) => `M${(begins + n) * STEP} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z`),
          ].join('')}
        >
          <title>{words.t('statusNoData')}</title>
        </path>
        {days.map((day, n) => (
          <Measured key={day.date} words={words} day={day} x={n * STEP} isFirst={n === first} />
        ))}
      </svg>
      <p>
        <span>{since}</span>
        {share && <span>{share}</span>}
        <span>{today}</span>
      </p>
    </div>
  );
}

const measuredOf = ({ good, impaired, down }: Day): number => good + impaired + down;

type MeasuredProps = { readonly words: Words; readonly day: Day; readonly x: number; readonly isFirst: boolean };

/** The measured share of the day, in the colour of its worst state. The first day starts with the first measurement. */
function Measured({ words, day, x, isFirst }: MeasuredProps) {
  const measured = measuredOf(day);
  if (measured === 0) return null;
  const share = isFirst ? 1 : measured / (measured + day.unknown);
  const height = Math.max(LEAST_HEIGHT, Math.round(HEIGHT * share));
  const mark = day.down > 0 ? 'bad' : day.impaired > 0 ? 'warn' : 'good';
  return (
    <rect className={`bar-${mark}`} x={x} y={HEIGHT - height} width={WIDTH} height={height}>
      <title>{`${formatDay(words.locale, day.date)}: ${sentenceOf(words, day)}`}</title>
    </rect>
  );
}
