// One program in several languages, of which the reader chooses one. Radio buttons and the stylesheet do it, so it works with
// the keyboard and without scripts.

import { currentDocs } from './current-docs';
import { CodeBlock } from './docs-frame';
import type { Snippet } from './languages';

/** `id` is unique on the page. */
export async function SnippetTabs({
  id,
  title,
  snippets,
}: {
  id: string;
  title: string;
  snippets: readonly Snippet[];
}) {
  const { words } = await currentDocs();
  return (
    <fieldset className="docs-snippet">
      <legend className="only-read">{`${words.language}: ${title}`}</legend>
      {snippets.flatMap((snippet, n) => [
        <input key={snippet.id} type="radio" name={id} id={`${id}-${snippet.id}`} defaultChecked={n === 0} />,
        <label key={`${snippet.id} label`} htmlFor={`${id}-${snippet.id}`}>
          {snippet.title}
        </label>,
      ])}
      {snippets.map((snippet) => (
        <div key={snippet.id}>
          <CodeBlock text={snippet.text} label={`${title}, ${snippet.title}`} language={snippet.title} />
        </div>
      ))}
    </fieldset>
  );
}
