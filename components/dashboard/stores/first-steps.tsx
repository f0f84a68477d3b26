'use client';
// The list of a store's first steps on its overview: each links to its page, and completed ones are ticked. After the
// merchant hides it, a button shows it again.

import { useEffect, useRef } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import type { FirstSteps as Steps } from '@/lib/merchants/stores/first-steps';
import { useAction } from '@/components/dashboard/use-action';

type Props = {
  readonly steps: Steps;
  readonly storeId: string;
  /** The path of the store's pages in the current environment. */
  readonly base: string;
};

/** Renders nothing once all steps are done. */
export function FirstSteps({ steps: { isHidden, done }, storeId, base }: Props) {
  const { t } = useWords();
  // The pressed button disappears, so its opposite takes over the focus.
  const button = useRef<HTMLButtonElement>(null);
  const wasHidden = useRef(isHidden);
  useEffect(() => {
    if (wasHidden.current !== isHidden) button.current?.focus();
    wasHidden.current = isHidden;
  }, [isHidden]);
  const { run, isPending } = useAction<boolean, { is_hidden: boolean }>((api, wished) =>
    api.post(`/stores/${storeId}/first-steps`, { is_hidden: wished }),
  );
  const store = `/dashboard/${storeId}`;
  const all = [
    { key: 'stepPayment', isDone: done.payment, href: `${store}/test/links?new=1` },
    { key: 'stepBranding', isDone: done.branding, href: `${store}/branding` },
    { key: 'stepWebhook', isDone: done.webhook, href: `${base}/webhooks` },
    { key: 'stepApproval', isDone: done.approval, href: `${store}/settings` },
  ] as const;
  const count = all.filter(({ isDone }) => isDone).length;
  if (count === all.length) return null;
  if (isHidden)
    return (
      <div className="-my-2">
        <Button
          key="show"
          kind="quiet"
          size="small"
          icon="eye"
          ref={button}
          isPending={isPending}
          onClick={() => void run(false)}
        >
          {t('stepsShow')}
        </Button>
      </div>
    );
  return (
    <Card
      title={t('stepsTitle')}
      text={t('stepsText', { done: count, all: all.length })}
      actions={
        // On narrow screens, its text aligns with the card's other text.
        <span className="max-sm:-ms-2.5">
          <Button
            key="hide"
            kind="quiet"
            size="small"
            ref={button}
            isPending={isPending}
            onClick={() => void run(true)}
          >
            {t('stepsHide')}
          </Button>
        </span>
      }
    >
      <ol className="m-0 grid list-none gap-4 p-0" aria-label={t('stepsTitle')}>
        {all.map(({ key, isDone, href }, index) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <span
              aria-hidden
              className={`grid size-7 flex-none place-items-center rounded-full text-[0.8125rem] font-bold ${isDone ? 'bg-good-soft text-good' : 'bg-hover text-muted'}`}
            >
              {isDone ? <Icon name="check" size={14} /> : index + 1}
            </span>
            <span className="min-w-0 flex-1 basis-48">
              <span className="block font-semibold">
                {t(key)}
                {isDone && <span className="only-read"> ({t('uiDone')})</span>}
              </span>
              <span className={`block text-muted ${isDone ? 'max-sm:hidden' : ''}`}>{t(`${key}Text`)}</span>
            </span>
            {/* On a phone a completed step is one line. */}
            <span className={isDone ? 'max-sm:hidden' : 'max-sm:ms-10'}>
              <ButtonLink href={href} size="small" kind={isDone ? 'quiet' : 'secondary'}>
                {t(`${key}Go`)}
              </ButtonLink>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
