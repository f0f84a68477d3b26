'use client';
// What stands above a store's numbers: how far its approval is, and the steps to its first payment.

import { usePathname } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { Card, Note } from '@/components/ui/card';
import { Icon } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import type { StoreRow } from '@/lib/stores/read';
import { accountBackTo } from '../places';
import { useViewer } from '../viewer';

/** Nothing for an approved store. */
export function StoreNotice({
  status,
  reason,
  isLive,
}: {
  status: StoreRow['status'];
  reason: string | null;
  isLive: boolean;
}) {
  const { t } = useWords();
  const viewer = useViewer();
  const path = usePathname();
  if (status === 'approved') return null;
  // On live pages the notice of the second factor stands above already.
  const saysFactor = status === 'pending' && !isLive && viewer !== null && !viewer.isOperator;
  return (
    <Note tone={status === 'pending' ? 'info' : 'bad'} title={t(`navStatus_${status}`)}>
      <p>{t(`storeNotice_${status}`)}</p>
      {reason !== null && reason !== '' && <p>{t('storeReason', { reason })}</p>}
      {isLive && status === 'pending' && <p>{t('storeNoticeLive')}</p>}
      {saysFactor && !viewer.hasTotp && !viewer.hasPasskeys && (
        <p>
          {t('storeNoticeFactor')} <Link href={accountBackTo(path)}>{t('liveFactorLink')}</Link>
        </p>
      )}
    </Note>
  );
}

type Steps = { readonly hasKey: boolean; readonly hasPayment: boolean; readonly hasWebhook: boolean };

export function FirstSteps({ steps, base, canBuild }: { steps: Steps; base: string; canBuild: boolean }) {
  const { t } = useWords();
  const all = [
    { key: 'stepKey', isDone: steps.hasKey, href: `${base}/keys` },
    { key: 'stepWebhook', isDone: steps.hasWebhook, href: `${base}/webhooks` },
    { key: 'stepPayment', isDone: steps.hasPayment, href: '/docs' },
  ] as const;
  return (
    <Card title={t('stepsTitle')} text={t('stepsText')}>
      <ol className="m-0 grid list-none gap-3 p-0">
        {all.map(({ key, isDone, href }, index) => (
          <li key={key} className="flex flex-wrap items-center gap-3">
            <span
              className={`grid size-7 flex-none place-items-center rounded-full text-[0.8125rem] font-bold ${isDone ? 'bg-good-soft text-good' : 'bg-hover text-muted'}`}
            >
              {isDone ? <Icon name="check" size={14} /> : index + 1}
            </span>
            <span className="min-w-0 flex-1">
              <span className="block font-semibold">
                {t(key)}
                {isDone && <span className="only-read"> ({t('uiDone')})</span>}
              </span>
              <span className="block text-muted">{t(`${key}Text`)}</span>
            </span>
            {!isDone && canBuild && (
              <ButtonLink href={href} size="small">
                {t(`${key}Go`)}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
