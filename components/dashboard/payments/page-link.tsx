'use client';
// The customer's page of a payment: opened in a new tab, or its address copied.

import { buttonClass, IconButton } from '@/components/ui/button';
import { useCopy } from '@/components/ui/copy-field';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';

export function PageLink({ url }: { url: string }) {
  const { t } = useWords();
  const [outcome, copy] = useCopy(url);
  return (
    <span className="inline-flex items-center gap-1">
      <a href={url} target="_blank" rel="noreferrer" className={buttonClass()}>
        {t('payPage')}
        <Icon name="external" size={14} />
      </a>
      <span className="needs-scripts inline-flex">
        <IconButton
          icon={outcome === 'copied' ? 'check' : 'copy'}
          label={outcome === 'copied' ? t('uiCopied') : t('uiCopyThis', { what: t('payPage') })}
          onClick={copy}
        />
      </span>
      <span role="status" className="only-read">
        {outcome === 'copied' ? t('uiCopied') : outcome === 'failed' ? t('uiCopyFailed') : ''}
      </span>
    </span>
  );
}
