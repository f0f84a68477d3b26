// Code as text that can be scrolled with the keyboard and copied.

import { CopyButton } from '@/components/ui/copy-button';

export type SampleWords = { readonly copy: string; readonly copied: string; readonly copyFailed: string };

/** `label` says what it is. */
export function Sample({ text, label, words }: { text: string; label: string; words: SampleWords }) {
  const { copy, copied, copyFailed } = words;
  return (
    <div className="docs-code">
      {/* A wide sample scrolls sideways, so the keyboard must be able to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} words={{ copy, copied, failed: copyFailed, label: `${copy}: ${label}` }} />
    </div>
  );
}
