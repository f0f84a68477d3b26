// "I have paid, but it does not show": a form that sends a transaction hash to this page, and the result from the
// chain. It works without scripts and is folded at first.

import { findSentences } from '@/lib/payments/finder/sentence';
import type { Found } from '@/lib/payments/finder/find';
import type { FindVerdict } from '@/lib/payments/finder/verdict';
import { getWords, type Words } from '@/lib/i18n/translate';

/** The finder query from the page's address: its text, and the result or the seconds to wait. */
export type FinderQuery = { readonly text: string } & ({ readonly found: Found } | { readonly waitSeconds: number });

type Props = {
  readonly sessionId: string;
  /** The parts of the page's address that are kept. */
  readonly kept: Readonly<Record<string, string | undefined>>;
  readonly finderQuery: FinderQuery | null;
};

/** The longest input that the finder reads (lib/payments/finder/hash.ts). */
const LONGEST_TEXT = 500;

export async function Finder({ sessionId, kept, finderQuery }: Props) {
  const words = await getWords();
  const { t } = words;
  return (
    <details className="finder fold" id="find" open={finderQuery !== null}>
      <summary>{t('findTitle')}</summary>
      <form method="get" action={`/pay/${sessionId}#find`}>
        {Object.entries(kept).map(
          ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <label className="label" htmlFor="find-transaction">
          {t('findLabel')}
        </label>
        <div className="finder-row">
          <input
            id="find-transaction"
            name="transaction"
            defaultValue={finderQuery?.text}
            required
            maxLength={LONGEST_TEXT}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            aria-describedby="find-hint"
          />
          <button className="button-quiet" type="submit">
            {t('findButton')}
          </button>
        </div>
        <p className="hint" id="find-hint">
          {t('findHint')}
        </p>
      </form>
      <div role="status">{finderQuery && <Answer finderQuery={finderQuery} words={words} />}</div>
    </details>
  );
}

function Answer({ finderQuery, words }: { finderQuery: FinderQuery; words: Words }) {
  if (!('found' in finderQuery))
    return <p className="finder-answer finder-wait">{words.t('findBusy', { count: finderQuery.waitSeconds })}</p>;
  const { result } = finderQuery.found;
  return (
    <div className={`finder-answer finder-${MARKS[result.verdict]}`} data-verdict={result.verdict}>
      {findSentences(result, words).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

const MARKS: Readonly<Record<FindVerdict['verdict'], 'good' | 'wait' | 'bad'>> = {
  counted: 'good',
  waiting: 'wait',
  unmined: 'wait',
  unclear: 'wait',
  not_found: 'wait',
  unanswered: 'wait',
  unreadable: 'wait',
  too_early: 'bad',
  wrong_network: 'bad',
  wrong_token: 'bad',
  too_late: 'bad',
  unfinished: 'bad',
  returned: 'bad',
  failed: 'bad',
  fake_token: 'bad',
  other_address: 'bad',
  no_token: 'bad',
};
