'use client';
// Every attempt of one delivery, the latest first: time, duration, response, and the sent headers. A receiver's
// response is untrusted and is shown as text only.

import { Badge } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { CodeBlock } from '@/components/ui/code-block';
import { DateTime } from '@/components/ui/date-time';
import { useWords } from '@/components/ui/words';
import { hintOf, useOutcomeText, type OutcomeFacts } from './outcome';

/** Unix seconds. */
export type TryFacts = OutcomeFacts & {
  readonly number: number;
  readonly url: string;
  readonly startedAt: number;
  readonly answer: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
};

export function DeliveryAttempts({ tries, verifyHref }: { tries: readonly TryFacts[]; verifyHref: string }) {
  const { t } = useWords();
  const [latest] = tries;
  if (!latest) return <p className="text-muted">{t('dlvNoAttempt')}</p>;
  return (
    <ol reversed className="m-0 grid list-none grid-cols-1 gap-5 p-0">
      {tries.map((one) => (
        <li key={one.number} className="grid grid-cols-1 gap-3 border-b border-line pb-5 last:border-b-0 last:pb-0">
          <Try facts={one} isLatest={one === latest} verifyHref={verifyHref} />
        </li>
      ))}
    </ol>
  );
}

function Try({ facts, isLatest, verifyHref }: { facts: TryFacts; isLatest: boolean; verifyHref: string }) {
  const { t } = useWords();
  const outcome = useOutcomeText();
  const hint = hintOf(facts);
  const isOver = facts.statusCode !== null || facts.error !== null;
  return (
    <>
      <div className="grid gap-0.5">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-semibold">{t('dlvAttempt', { number: facts.number })}</span>
          <Badge tone={!isOver ? 'info' : hint === null ? 'good' : 'bad'}>{outcome(facts) ?? t('dlvUnderWay')}</Badge>
          <span className="text-muted">
            <DateTime at={facts.startedAt} isExact />
          </span>
        </p>
        <p className="text-[0.8125rem] break-all text-muted">
          <code>{facts.url}</code>
        </p>
      </div>
      {hint !== null && isLatest && (
        <Note tone="warn">
          <p>{t(`dlvHint_${hint}`)}</p>
          {hint === 'auth' && (
            <p className="mt-2">
              <ButtonLink href={verifyHref} size="small">
                {t('dlvVerify')}
              </ButtonLink>
            </p>
          )}
        </Note>
      )}
      <details open={isLatest} className="text-[0.875rem]">
        <summary className="w-fit py-1 text-muted underline decoration-dotted underline-offset-4">
          {t('dlvAnswer')} · {t('dlvHeaders')}
        </summary>
        <div className="mt-2 grid grid-cols-1 gap-3">
          {facts.answer !== null && facts.answer !== '' ? (
            <CodeBlock label={t('dlvAnswer')} text={facts.answer} isWrapped />
          ) : (
            facts.statusCode !== null && <p className="text-muted">{t('dlvNoAnswer')}</p>
          )}
          {facts.headers && (
            <>
              <CodeBlock
                label={t('dlvHeaders')}
                isWrapped
                text={Object.entries(facts.headers)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join('\n')}
              />
              <p className="text-[0.8125rem] text-muted">{t('dlvHeadersText')}</p>
            </>
          )}
        </div>
      </details>
    </>
  );
}
