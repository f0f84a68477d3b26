// A button that copies one text. Without scripts it is hidden; the adjacent text can still be selected.

import './elements';

type Words = {
  readonly copy: string;
  readonly copied: string;
  readonly failed: string;
  /** Names what is copied; begins with the visible text. */
  readonly label: string;
};

/** `proof` is shown after copying, so that the reader can notice a clipboard hijack (C-07 in docs/failure-model.md#payment-page). */
export function CopyText({ text, proof, words }: { text: string; proof?: string; words: Words }) {
  return (
    <copy-text
      className="copy needs-scripts"
      data-text={text}
      data-proof={proof}
      data-copy={words.copy}
      data-label={words.label}
      data-copied={words.copied}
      data-failed={words.failed}
    >
      <button type="button" className="button-quiet" aria-label={words.label}>
        {words.copy}
      </button>
      <span className="copy-proof" role="status" />
    </copy-text>
  );
}
