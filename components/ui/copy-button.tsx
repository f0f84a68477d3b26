'use client';
// Copies one text and confirms it. Without scripts it is hidden; the adjacent text can still be selected.

import { useEffect, useState } from 'react';

type Words = {
  readonly copy: string;
  readonly copied: string;
  readonly failed: string;
  /** Names what is copied; begins with the visible text. */
  readonly label: string;
};

/** `proof` is shown after copying, so that the reader can notice a clipboard hijack (C-07 in docs/failure-model.md#payment-page). */
export function CopyButton({ text, proof, words }: { text: string; proof?: string; words: Words }) {
  const [outcome, setOutcome] = useState<'none' | 'copied' | 'failed'>('none');

  useEffect(() => {
    if (outcome === 'none') return;
    const timer = setTimeout(() => setOutcome('none'), 6000);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  return (
    <span className="copy needs-scripts">
      <button
        type="button"
        className="button-quiet"
        aria-label={outcome === 'copied' ? undefined : words.label}
        onClick={() => void copy()}
      >
        {outcome === 'copied' ? words.copied : words.copy}
      </button>
      <span className="copy-proof" role="status">
        {outcome === 'copied' ? proof : outcome === 'failed' ? words.failed : ''}
      </span>
    </span>
  );
}
