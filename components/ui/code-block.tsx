'use client';
// Code or JSON to read and copy. Long lines scroll sideways or wrap; the copy is the exact text. The keyboard can reach
// it to scroll.

import { CopyIcon, CopyStatus, useCopy } from './copy-field';
import { useWords } from './words';

const TEXT = 'm-0 max-h-96 overflow-auto p-3.5 pe-12 text-[0.8125rem] leading-relaxed';

type Props = {
  readonly text: string;
  readonly label: string;
  /** Long lines wrap, for data without line breaks of its own. */
  readonly isWrapped?: boolean;
};

export function CodeBlock({ text, label, isWrapped = false }: Props) {
  const { t } = useWords();
  const [outcome, copy] = useCopy(text);
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-ground">
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`${TEXT} ${isWrapped ? 'break-all whitespace-pre-wrap' : ''}`}
      >
        <code>{text}</code>
      </pre>
      <span className="needs-scripts absolute top-0 right-0 rounded-lg bg-ground p-1">
        <CopyIcon {...{ outcome, copy }} label={t('uiCopyThis', { what: label })} />
      </span>
      <CopyStatus outcome={outcome} />
    </div>
  );
}
