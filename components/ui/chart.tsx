'use client';
// A chart of a few series over time or by name. The browser draws it on demand, in the page's colours. The table behind
// it serves screen readers and readers without scripts. Its space is reserved before it is drawn.

import type { Chart as ChartType, ChartConfiguration } from 'chart.js';
import { useEffect, useRef } from 'react';
import { useWords } from './words';

type Series = {
  readonly label: string;
  /** For drawing only; exact texts are in the table. */
  readonly values: readonly number[];
  /** The table's text for each value; the number in the language's format when omitted. */
  readonly texts?: readonly string[];
  /** What it means, for its colour; `before` is dotted. Without one it has the next colour of charts. */
  readonly meaning?: 'good' | 'quiet' | 'bad' | 'before';
};

type Props = {
  readonly label: string;
  readonly kind?: 'line' | 'stacked';
  /** One for each value. */
  readonly names: readonly string[];
  readonly series: readonly Series[];
};

export function Chart({ label, kind = 'line', names, series }: Props) {
  const { t, format, locale } = useWords();
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    let chart: ChartType | undefined;
    let isGone = false;
    const draw = async () => {
      const { Chart: Library, registerables } = await import('chart.js');
      if (isGone || !canvas.current) return;
      Library.register(...registerables);
      chart?.destroy();
      chart = new Library(canvas.current, configuration({ kind, names, series, locale }));
    };
    void draw();
    // The colours are read once: a switch of theme or environment draws the chart again.
    const redraw = () => void draw();
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(redraw);
    dark.addEventListener('change', redraw);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      isGone = true;
      chart?.destroy();
      observer.disconnect();
      dark.removeEventListener('change', redraw);
    };
  }, [kind, names, series, locale]);

  return (
    <figure className="m-0">
      {/* Out of the flow: a canvas keeps its width until it is redrawn, and would keep a narrowed page too wide. */}
      <div className="needs-scripts relative h-70 overflow-hidden" aria-hidden="true">
        <canvas ref={canvas} className="absolute inset-0" />
      </div>
      <details className="mt-2 text-[0.8125rem]">
        <summary className="w-fit py-1 text-muted underline decoration-dotted underline-offset-4">
          {t('uiChartTable')}
        </summary>
        <div className="mt-1 max-h-64 overflow-auto">
          <table className="w-full" aria-label={label}>
            <thead>
              <tr>
                <th scope="col">
                  <span className="only-read">{label}</span>
                </th>
                {series.map((one) => (
                  <th key={one.label} scope="col" className="px-2 py-1 text-end font-semibold">
                    {one.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name, index) => (
                <tr key={name} className="border-t border-line">
                  <th scope="row" className="py-1 pe-2">
                    {name}
                  </th>
                  {series.map((one) => (
                    <td key={one.label} className="px-2 py-1 text-end tabular-nums">
                      {one.texts?.[index] ?? format.number(one.values[index] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const TOKENS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4'];
const MEANINGS = { good: '--good', quiet: '--edge', bad: '--bad', before: '--edge' } as const;
const TICKS = 4;

function configuration({
  kind,
  names,
  series,
  locale,
}: Omit<Required<Props>, 'label'> & { locale: string }): ChartConfiguration {
  const style = getComputedStyle(document.documentElement);
  const colour = (token: string) => style.getPropertyValue(token).trim();
  const [line, muted, ink, raised] = ['--line', '--muted', '--ink', '--raised'].map(colour);
  const isRtl = document.documentElement.dir === 'rtl';
  const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const isStacked = kind === 'stacked';
  const font = { family: getComputedStyle(document.body).fontFamily, size: 12 };
  return {
    type: kind === 'line' ? 'line' : 'bar',
    data: {
      labels: [...names],
      datasets: series.map((one, index) => {
        const own = colour(one.meaning ? MEANINGS[one.meaning] : (TOKENS[index % TOKENS.length] ?? '--chart-1'));
        const isBefore = one.meaning === 'before';
        return {
          label: one.label,
          data: [...one.values],
          borderColor: own,
          backgroundColor: kind === 'line' ? `${own}1f` : own,
          fill: kind === 'line' && !isBefore,
          borderWidth: kind === 'line' ? (isBefore ? 1.5 : 2) : 0,
          ...(isBefore ? { borderDash: [3, 4] } : {}),
          borderRadius: 3,
          pointRadius: names.length > 1 ? 0 : 3,
          pointHitRadius: 16,
          maxBarThickness: 28,
        };
      }),
    },
    options: {
      locale,
      responsive: true,
      maintainAspectRatio: false,
      animation: isStill ? false : { duration: 250 },
      // Bars and lines grow in place.
      animations: { x: false },
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          reverse: isRtl,
          stacked: isStacked,
          grid: { display: false },
          border: { color: line },
          ticks: { color: muted, font, maxRotation: 0, autoSkipPadding: 16 },
        },
        y: {
          position: isRtl ? 'right' : 'left',
          stacked: isStacked,
          beginAtZero: true,
          grace: '5%',
          grid: { color: line },
          border: { display: false },
          ticks: { color: muted, font, maxTicksLimit: TICKS, precision: 0 },
        },
      },
      plugins: {
        legend: {
          display: series.length > 1,
          align: 'start',
          rtl: isRtl,
          labels: { color: ink, font, boxWidth: 10, boxHeight: 10 },
        },
        tooltip: {
          rtl: isRtl,
          backgroundColor: raised,
          titleColor: muted,
          titleFont: font,
          bodyFont: font,
          bodyColor: ink,
          borderColor: line,
          borderWidth: 1,
          padding: 10,
          boxPadding: 4,
          callbacks: {
            label: (item) => {
              const one = series[item.datasetIndex];
              return ` ${one?.label ?? ''}: ${one?.texts?.[item.dataIndex] ?? item.formattedValue}`;
            },
          },
        },
      },
    },
  };
}
