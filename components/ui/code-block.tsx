'use client';
// Code or JSON to read and copy. It scrolls sideways, so the keyboard can reach it.

import { CopyIcon, CopyStatus, useCopy } from './copy-field';
import { useWords } from './words';

const TEXT = 'max-h-96 overflow-auto p-3.5 pe-12 text-[0.8125rem] leading-relaxed';

export function CodeBlock({ text, label }: { text: string; label: string }) {
  const { t } = useWords();
  const [outcome, copy] = useCopy(text);
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-ground">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label} className={TEXT}>
        <code>{text}</code>
      </pre>
      <span className="needs-scripts absolute top-0 right-0 rounded-lg bg-ground p-1">
        <CopyIcon {...{ outcome, copy }} label={t('uiCopyThis', { what: label })} />
      </span>
      <CopyStatus outcome={outcome} />
    </div>
  );
}
