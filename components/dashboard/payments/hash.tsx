'use client';
// The hash of a transaction: shortened for display, complete when copied, with a link to the network's explorer.

import { CopyText } from '@/components/ui/copy-field';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { shortened } from '@/components/ui/shortened';

export function Hash({ hash, explorerUrl }: { hash: string; explorerUrl: string | null }) {
  const { t } = useWords();
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      <CopyText text={hash} shown={shortened(hash)} label={t('payHash')} />
      {explorerUrl !== null && (
        <a
          href={explorerUrl}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 py-1 text-[0.8125rem] font-semibold text-accent"
        >
          {t('payExplorer')}
          <Icon name="external" size={13} />
        </a>
      )}
    </span>
  );
}
