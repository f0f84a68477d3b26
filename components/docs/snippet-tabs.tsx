// One program in several languages; the reader chooses one. Radio buttons and the stylesheet switch it, so it works
// with the keyboard and without scripts. The initial language is the reader's last choice (code-choice.tsx).

import { cookies } from 'next/headers';
import { pageCookieName } from '@/lib/platform/security/page-cookies';
import { currentDocs } from './current-docs';
import { CodeBlock } from './docs-frame';
import { FIRST_LANGUAGE, isLanguageId, type LanguageId } from './languages';

type Tab = { readonly id: LanguageId; readonly title: string; readonly text: string };

/** `id` is unique on the page. */
export async function SnippetTabs({ id, title, snippets }: { id: string; title: string; snippets: readonly Tab[] }) {
  const { words } = await currentDocs();
  const [only, ...others] = snippets;
  if (only && others.length === 0) return <CodeBlock text={only.text} label={title} language={only.title} />;
  const chosen = await chosenLanguage(snippets);
  return (
    <fieldset className="docs-snippet">
      <legend className="only-read">{`${words.language}: ${title}`}</legend>
      {snippets.flatMap((snippet) => [
        <input
          key={snippet.id}
          type="radio"
          name={id}
          id={`${id}-${snippet.id}`}
          value={snippet.id}
          defaultChecked={snippet.id === chosen}
        />,
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

/** The reader's own choice if these tabs have it, else the first language. */
async function chosenLanguage(snippets: readonly Tab[]): Promise<LanguageId> {
  const jar = await cookies();
  const kept = [true, false].map((isTls) => jar.get(pageCookieName('code', isTls))?.value).find(isLanguageId);
  return kept !== undefined && snippets.some(({ id }) => id === kept) ? kept : FIRST_LANGUAGE;
}
