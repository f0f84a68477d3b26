// A button that copies one text. Hidden where scripts do not run: the text beside it can be selected there.

import './elements';

type Words = {
  readonly copy: string;
  readonly copied: string;
  readonly failed: string;
  /** Says what is copied; begins with the visible text. */
  readonly label: string;
};

/** `proof` is shown after copying, so that what a clipboard thief would swap can be compared (hardening C-07). */
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
