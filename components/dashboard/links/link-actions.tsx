'use client';
// What can be done with a payment link: copy its address, show and save its QR code, look at its page, switch it off and on.

import { useState } from 'react';
import { Button, IconButton } from '@/components/ui/button';
import { useCopy } from '@/components/ui/copy-field';
import { Confirm } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import { useAction } from '../use-action';
import { LinkCode } from './link-code';

export type ActedLink = {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly isActive: boolean;
};

type Props = { readonly api: string; readonly canChange: boolean; readonly link: ActedLink };

export function LinkActions({ api, canChange, link }: Props) {
  const { t } = useWords();
  const [isShown, setIsShown] = useState(false);
  const [outcome, copy] = useCopy(link.url);
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-1.5">
      <span className="needs-scripts inline-flex">
        <IconButton
          icon={outcome === 'copied' ? 'check' : 'copy'}
          label={outcome === 'copied' ? t('uiCopied') : t('lnkCopy', { title: link.title })}
          onClick={copy}
        />
        <IconButton icon="code" label={t('lnkShow', { title: link.title })} onClick={() => setIsShown(true)} />
      </span>
      {canChange && <Switch api={api} link={link} />}
      <span role="status" className="only-read">
        {outcome === 'copied' ? t('uiCopied') : outcome === 'failed' ? t('uiCopyFailed') : ''}
      </span>
      <LinkCode isOpen={isShown} onClose={() => setIsShown(false)} url={link.url} title={link.title} />
    </span>
  );
}

function Switch({ api, link: { id, title, isActive } }: { api: string; link: ActedLink }) {
  const { t } = useWords();
  const { run, isPending } = useAction<boolean, { is_active: boolean }>(
    (call, wished) => call.post(`${api}/links/${id}/switch`, { is_active: wished }),
    { done: t(isActive ? 'lnkSwitchedOff' : 'lnkSwitchedOn') },
  );
  if (!isActive)
    return (
      <Button size="small" isPending={isPending} onClick={() => void run(true)}>
        {t('lnkSwitchOn')}
      </Button>
    );
  return (
    <Confirm
      trigger={t('lnkSwitchOff')}
      title={t('lnkSwitchOffTitle', { title })}
      text={t('lnkSwitchOffText')}
      confirm={t('lnkSwitchOff')}
      isSmall
      onConfirm={() => run(false)}
    />
  );
}
