'use client';
// The actions of a payment link: copy its address, show and save its QR code, open its page, switch it off and on.

import { useState } from 'react';
import { CopyIcon, CopyStatus, useCopy } from '@/components/ui/copy-field';
import { ConfirmDialog } from '@/components/ui/dialog';
import type { MenuEntry } from '@/components/ui/menu';
import { RowMenu } from '@/components/ui/row-menu';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';
import { LinkCode } from './link-code';

type ActedLink = {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly isActive: boolean;
};

type Props = { readonly api: string; readonly canChange: boolean; readonly link: ActedLink };

/** Copying is the most common action, so it stands beside the menu. */
export function LinkActions({ api, canChange, link: { id, title, url, isActive } }: Props) {
  const { t } = useWords();
  const [shown, setShown] = useState<'code' | 'off' | null>(null);
  const [outcome, copy] = useCopy(url);
  const close = () => setShown(null);
  const { run } = useAction<boolean, { is_active: boolean }>(
    (call, wished) => call.post(`${api}/links/${id}/switch`, { is_active: wished }),
    { done: t(isActive ? 'lnkSwitchedOff' : 'lnkSwitchedOn') },
  );
  const change: MenuEntry = isActive
    ? { kind: 'action', label: t('lnkSwitchOff'), onSelect: () => setShown('off') }
    : { kind: 'action', label: t('lnkSwitchOn'), onSelect: () => void run(true) };
  return (
    <span className="ms-auto inline-flex items-center justify-end">
      <span className="needs-scripts inline-flex">
        <CopyIcon {...{ outcome, copy }} label={t('lnkCopy', { title })} />
      </span>
      <RowMenu
        name={title}
        entries={[
          { kind: 'link', label: t('lnkOpenPage'), href: url },
          { kind: 'action', label: t('lnkShow', { title }), onSelect: () => setShown('code') },
          ...(canChange ? [change] : []),
        ]}
      />
      <CopyStatus outcome={outcome} />
      <LinkCode isOpen={shown === 'code'} onClose={close} url={url} title={title} />
      <ConfirmDialog
        isOpen={shown === 'off'}
        onClose={close}
        title={t('lnkSwitchOffTitle', { title })}
        text={t('lnkSwitchOffText')}
        confirm={t('lnkSwitchOff')}
        onConfirm={() => run(false)}
      />
    </span>
  );
}
