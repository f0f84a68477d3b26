'use client';
// A value to keep: an id, an address, or a secret that is shown once and can be copied, downloaded and printed.

import { useEffect, useState } from 'react';
import { Button, IconButton } from './button';
import { useWords } from './words';

type Outcome = 'none' | 'copied' | 'failed';
/** As long as a glance takes. */
const SHOWN_MILLISECONDS = 3000;

/** Copies a text and shows for a few seconds whether it worked. */
export function useCopy(text: string): readonly [Outcome, () => void] {
  const [outcome, setOutcome] = useState<Outcome>('none');
  useEffect(() => {
    if (outcome === 'none') return;
    const timer = setTimeout(() => setOutcome('none'), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return [outcome, copy];
}

/** The icon button of useCopy(). `label` says what it copies. */
export function CopyIcon({ outcome, copy, label }: { outcome: Outcome; copy: () => void; label: string }) {
  const { t } = useWords();
  const isCopied = outcome === 'copied';
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? t('uiCopied') : label} onClick={copy} />;
}

/** Tells screen readers the outcome. */
export function CopyStatus({ outcome }: { outcome: Outcome }) {
  const { t } = useWords();
  return (
    <span role="status" className="only-read">
      {outcome === 'copied' ? t('uiCopied') : outcome === 'failed' ? t('uiCopyFailed') : ''}
    </span>
  );
}

/** A short value beside a button that copies it. `label` names it. */
export function CopyText({ text, label, shown }: { text: string; label: string; shown?: string }) {
  const { t } = useWords();
  const [outcome, copy] = useCopy(text);
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="min-w-0 text-[0.8125rem] break-all">{shown ?? text}</code>
      <span className="needs-scripts -my-2 inline-flex">
        <CopyIcon {...{ outcome, copy }} label={t('uiCopyThis', { what: label })} />
      </span>
      <CopyStatus outcome={outcome} />
    </span>
  );
}

type SecretProps = {
  /** One secret or several, each on its line. */
  readonly values: readonly string[];
  readonly label: string;
  /** The name of the download; the file's first line is a comment, so that it can be used as a .env file. */
  readonly file: string;
  readonly canPrint?: boolean;
};

/** Short values, such as recovery codes, have two columns; a key and its secret are long and have a line each. */
const SHORT = 30;

/** A secret that cannot be shown again. */
export function CopyField({ values, label, file, canPrint = false }: SecretProps) {
  const { t } = useWords();
  const text = values.join('\n');
  const [outcome, copy] = useCopy(text);
  const isInColumns = values.length > 2 && values.every(({ length }) => length <= SHORT);
  return (
    <div className="grid gap-2.5">
      <div
        role="group"
        aria-label={label}
        className={`grid gap-x-3 gap-y-1 rounded-lg border border-line bg-ground p-3 font-mono select-all ${isInColumns ? 'text-[0.8125rem] sm:grid-cols-2 sm:text-center' : ''}`}
      >
        {values.map((value) => (
          <code key={value} className="break-all">
            {value}
          </code>
        ))}
      </div>
      <div className="no-print flex flex-wrap items-center gap-2">
        <Button size="small" icon={outcome === 'copied' ? 'check' : 'copy'} onClick={copy}>
          {outcome === 'copied' ? t('uiCopied') : t('uiCopy')}
        </Button>
        <Button size="small" icon="download" onClick={() => download(file, `# ${label}\n${text}\n`)}>
          {t('uiDownload')}
        </Button>
        {canPrint && (
          <Button size="small" icon="print" onClick={() => window.print()}>
            {t('uiPrint')}
          </Button>
        )}
        <span role="status" className="text-[0.8125rem] text-bad">
          {outcome === 'failed' ? t('uiCopyFailed') : ''}
        </span>
      </div>
    </div>
  );
}

function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: file });
  link.click();
  URL.revokeObjectURL(url);
}
