// One bar for each of the last 90 days, drawn from what was measured: no data is grey, and so is the part of a day without any.

import { formatDay, formatPercent, formatSince } from '@/lib/i18n/days';
import type { Words } from '@/lib/i18n/translate';
import { uptimeOf, type Day } from '@/lib/status/history';
import { sentenceOf } from './day-text';

const STEP = 4;
const WIDTH = 3;
const HEIGHT = 32;
/** A day that was measured for a moment only still shows its colour. */
const LEAST_HEIGHT = 5;

export function Bars({ words, days }: { words: Words; days: readonly Day[] }) {
  const uptime = uptimeOf(days);
  const since = formatSince(words.locale, days.length - 1);
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
        <path className="bar-none" d={days.map((_, n) => `M${n * STEP} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z`).join('')}>
          <title>{words.t('statusNoData')}</title>
        </path>
        {days.map((day, n) => (
          <Measured key={day.date} words={words} day={day} x={n * STEP} />
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

/** The measured share of the day in the colour of the worst that was measured. */
function Measured({ words, day, x }: { words: Words; day: Day; x: number }) {
  const measured = day.good + day.impaired + day.down;
  if (measured === 0) return null;
  const height = Math.max(LEAST_HEIGHT, Math.round((HEIGHT * measured) / (measured + day.unknown)));
  const mark = day.down > 0 ? 'bad' : day.impaired > 0 ? 'warn' : 'good';
  return (
    <rect className={`bar-${mark}`} x={x} y={HEIGHT - height} width={WIDTH} height={height}>
      <title>{`${formatDay(words.locale, day.date)}: ${sentenceOf(words, day)}`}</title>
    </rect>
  );
}
