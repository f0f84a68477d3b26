// Code that can be scrolled with the keyboard and copied, below a line that names its language.

import { CopyButton } from '@/components/ui/copy-button';
import { partsOf, type CodePart } from './highlight';

export type SampleWords = { readonly copy: string; readonly copied: string; readonly copyFailed: string };

export type SampleProps = {
  readonly text: string;
  /** The label of the sample. */
  readonly label: string;
  readonly language: string;
};

export function Sample({ text, label, language, words }: SampleProps & { readonly words: SampleWords }) {
  const { copy, copied, copyFailed } = words;
  return (
    <div className="docs-code">
      <div className="docs-code-head">
        <span>{language}</span>
        <CopyButton text={text} words={{ copy, copied, failed: copyFailed, label: `${copy}: ${label}` }} />
      </div>
      {/* A wide sample scrolls sideways, so the keyboard must be able to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>
          {partsOf(text, language).map((part) => (
            <Part key={part.at} {...part} />
          ))}
        </code>
      </pre>
    </div>
  );
}

const Part = ({ text, kind }: Pick<CodePart, 'text' | 'kind'>) =>
  kind ? <span className={`docs-${kind}`}>{text}</span> : text;
