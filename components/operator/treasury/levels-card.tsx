// The levels of the wallets over time: for each token of each network a small chart of every wallet, and a table with the same numbers.
// The server draws them, so they need no scripts.

import { Card, Empty } from '@/components/ui/card';
import { TabLinks, type TabLink } from '@/components/ui/tabs';
import { networkName } from '@/components/operator/names';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { Span, TokenHistory, WalletHistory, WalletLine } from '@/lib/dashboard/operator/treasury/wallet-history';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { HEIGHT, plotOf, WIDTH } from './plot';

type Words = Pick<DashboardWords, 't' | 'format'>;
type CardProps = {
  readonly words: Words;
  readonly span: Span;
  readonly history: WalletHistory;
  /** To the other spans. */
  readonly links: readonly TabLink[];
};

const SHOWN_DECIMALS = 2;
const TEXTS = { week: 'levelsTextWeek', quarter: 'levelsTextQuarter', year: 'levelsTextYear' } as const;
/** Marks differ in their dashes, not only in their place. */
const DASHES = { high: '8 4', low: '2 4' } as const;

export function LevelsCard({ words, span, history, links }: CardProps) {
  const { t } = words;
  const { periods, tokens } = history;
  return (
    <Card id="levels" title={t('levels')} text={t(TEXTS[span])}>
      <TabLinks label={t('levelsSpan')} links={links} />
      {tokens.length === 0 && <Empty icon="balances" title={t('levelsNone')} text={t('levelsNoneText')} />}
      <div className="grid gap-6">
        {tokens.map((one) => (
          <TokenLevels key={`${one.network} ${one.currency}`} {...{ words, span, periods }} token={one} />
        ))}
      </div>
    </Card>
  );
}

const NAMES = { refund: 'reservesRefunds', treasury: 'treasuryWallet', cold: 'coldWallet' } as const;

type TokenProps = {
  readonly words: Words;
  readonly span: Span;
  readonly periods: readonly number[];
  readonly token: TokenHistory;
};

export function TokenLevels({ words, span, periods, token }: TokenProps) {
  const { t } = words;
  const { network, currency, lines } = token;
  const name = `${currency} · ${networkName(t, network)}`;
  return (
    <section aria-label={`${t('levels')}: ${name}`}>
      <h3 className="mb-2 font-bold">{name}</h3>
      <div className="grid gap-5 md:grid-cols-3">
        {lines.map((line) => (
          <Line key={line.wallet} {...{ words, periods, currency, line }} />
        ))}
      </div>
      <LevelsTable {...{ words, span, periods, name, currency, lines }} />
    </section>
  );
}

type LineProps = {
  readonly words: Words;
  readonly periods: readonly number[];
  readonly currency: string;
  readonly line: WalletLine;
};

/** The table serves screen readers, so the drawing is hidden from them; its texts are not. */
function Line({ words: { t, format }, periods, currency, line: { wallet, amounts, marks } }: LineProps) {
  const shown = marks === null ? [] : ([['high', marks.high] as const, ['low', marks.low] as const] as const);
  const plot = plotOf(
    amounts,
    shown.map(([, amount]) => amount),
  );
  const money = (text: string): string => format.money(shortText(text, SHOWN_DECIMALS), currency);
  const last = amounts.findLast((one) => one !== null) ?? null;
  return (
    <figure className="m-0 grid min-w-0 content-start gap-1">
      <figcaption className="flex flex-wrap justify-between gap-x-3">
        <span className="font-semibold">{t(NAMES[wallet])}</span>
        {last !== null && <span title={last}>{t('levelsLast', { amount: money(last) })}</span>}
      </figcaption>
      <p className="text-xs text-muted">{t('levelsTop', { amount: money(plot.top) })}</p>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        fill="none"
        className="h-20 w-full border-b border-line rtl:-scale-x-100"
      >
        {shown.map(([mark], at) => (
          <Dashes key={mark} mark={mark} d={plot.marks[at] ?? ''} />
        ))}
        <path
          d={plot.line}
          className="stroke-accent"
          strokeWidth="2"
          strokeLinecap="round"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <p className="flex justify-between gap-3 text-xs text-muted">
        <span>{format.shortDay(periods[0] ?? 0)}</span>
        <span>{format.shortDay(periods.at(-1) ?? 0)}</span>
      </p>
      {shown.map(([mark, amount]) => (
        <p key={mark} className="flex items-center gap-2 text-xs text-muted">
          <svg viewBox="0 0 24 4" width="24" height="4" aria-hidden="true" fill="none" className="shrink-0">
            <Dashes mark={mark} d="M0 2H24" />
          </svg>
          {t(mark === 'high' ? 'levelsHigh' : 'levelsLow', { amount: money(amount) })}
        </p>
      ))}
    </figure>
  );
}

const Dashes = ({ mark, d }: { readonly mark: keyof typeof DASHES; readonly d: string }) => (
  <path
    d={d}
    className="stroke-muted"
    strokeWidth="1.5"
    strokeDasharray={DASHES[mark]}
    vectorEffect="non-scaling-stroke"
  />
);

type TableProps = Omit<TokenProps, 'token'> & Pick<TokenHistory, 'currency' | 'lines'> & { readonly name: string };

/** The newest first. Periods in which no wallet was read are left out. */
function LevelsTable({ words: { t, format }, span, periods, name, currency, lines }: TableProps) {
  const rows = periods
    .map((begins, at) => ({ begins, amounts: lines.map(({ amounts }) => amounts[at] ?? null) }))
    .filter(({ amounts }) => amounts.some((one) => one !== null))
    .toReversed();
  return (
    <details className="mt-2 text-[0.8125rem]">
      <summary className="w-fit py-1 text-muted underline decoration-dotted underline-offset-4">
        {t('uiChartTable')}
      </summary>
      <div className="mt-1 max-h-64 overflow-auto">
        <table className="w-full" aria-label={`${t('levels')}: ${name}`}>
          <thead>
            <tr>
              <th scope="col" className="py-1 pe-2 text-start font-semibold">
                {t('levelsFrom')}
              </th>
              {lines.map(({ wallet }) => (
                <th key={wallet} scope="col" className="px-2 py-1 text-end font-semibold">
                  {t(NAMES[wallet])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ begins, amounts }) => (
              <tr key={begins} className="border-t border-line">
                <th scope="row" className="py-1 pe-2 text-start font-normal">
                  {span === 'week' ? format.minute(begins) : format.day(begins)}
                </th>
                {amounts.map((amount, at) => (
                  <td key={lines[at]?.wallet} title={amount ?? undefined} className="px-2 py-1 text-end tabular-nums">
                    {amount === null ? t('levelsUnread') : format.money(shortText(amount, SHOWN_DECIMALS), currency)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
