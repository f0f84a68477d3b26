'use client';
// A payment link to share: its QR code, to show or to save for print, and its address.

import { QRCodeSVG } from 'qrcode.react';
import { useRef } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { CopyText } from '@/components/ui/copy-field';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';

type Props = {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly url: string;
  readonly title: string;
};

/** The quiet zone around a code, in modules; scanners need it. */
const QUIET_ZONE = 3;

export function LinkCode({ isOpen, onClose, url, title }: Props) {
  const { t } = useWords();
  const frame = useRef<HTMLDivElement>(null);
  const save = () => {
    const code = frame.current?.querySelector('svg');
    if (code) saveFile('payment-link.svg', new XMLSerializer().serializeToString(code));
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      text={t(isOfThisMachine(url) ? 'lnkShowLocalText' : 'lnkShowText')}
    >
      {/* Black on white in every theme; scanners fail otherwise. */}
      <div ref={frame} className="mx-auto w-56 max-w-full overflow-hidden rounded-xl bg-white p-1">
        <QRCodeSVG
          value={url}
          level="M"
          marginSize={QUIET_ZONE}
          size={216}
          className="h-auto w-full"
          title={t('lnkCodeLabel')}
        />
      </div>
      <p className="text-center">
        <CopyText text={url} label={t('lnkAddress')} />
      </p>
      <DialogActions>
        <Button icon="download" onClick={save}>
          {t('lnkSave')}
        </Button>
        <ButtonLink href={url} icon="external" opensTab>
          {t('lnkOpenPage')}
        </ButtonLink>
      </DialogActions>
    </Dialog>
  );
}

/** Whether only a browser on the installation's own machine can open the link. */
const isOfThisMachine = (url: string): boolean => /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(url);

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
