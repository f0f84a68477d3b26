'use client';
// The approval status of a store.

import { usePathname } from 'next/navigation';
import { Note } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import type { StoreRow } from '@/lib/merchants/stores/read';
import { accountPathWithReturn } from '@/components/dashboard/places';
import { useViewer } from '@/components/dashboard/viewer';

/** Nothing for an approved store. */
export function StoreNotice({
  status,
  reason,
  isLive,
  contactPage,
}: {
  status: StoreRow['status'];
  reason: string | null;
  isLive: boolean;
  /** The page that sets the contact which a pending store still needs. */
  contactPage?: string | undefined;
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
      {status === 'pending' && contactPage !== undefined && (
        <p>
          {t('storeNoticeContact')} <Link href={contactPage}>{t('storeNoticeContactLink')}</Link>
        </p>
      )}
      {saysFactor && !viewer.hasTotp && !viewer.hasPasskeys && (
        <p>
          {t('storeNoticeFactor')} <Link href={accountPathWithReturn(path)}>{t('liveFactorLink')}</Link>
        </p>
      )}
    </Note>
  );
}
