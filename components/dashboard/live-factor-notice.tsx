'use client';
// The notice on live pages for a member without a second factor. It shows in advance what the server refuses, and links
// to the set-up of one and back.

import { usePathname } from 'next/navigation';
import { Note } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import { accountPathWithReturn, needsFactorAt } from './places';
import { useViewer } from './viewer';

export function LiveFactorNotice() {
  const { t } = useWords();
  const viewer = useViewer();
  const path = usePathname();
  if (!viewer || !needsFactorAt(viewer, path)) return null;
  return (
    <div className="no-print mb-5">
      <Note tone="info" title={t('liveFactorTitle')}>
        <p>{t('liveFactorText')}</p>
        <Link href={accountPathWithReturn(path)} className="font-semibold text-accent">
          {t('liveFactorLink')}
        </Link>
      </Note>
    </div>
  );
}
