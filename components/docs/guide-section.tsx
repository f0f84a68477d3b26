// One section of a guide: its text, and the samples and tables beside it.

import { Calculator } from './calculator';
import { currentDocs } from './current-docs';
import { CodeBlock, LinkedHeading } from './docs-frame';
import type { Section } from './docs-text';
import type { Snippet } from './languages';
import { RichText } from './rich-text';
import { SIGNING_EXAMPLE, SigningExample } from './signing-example';
import { SnippetTabs } from './snippet-tabs';

/** `snippets`: the section's program in every language, if it shows one. */
export async function GuideSection({ section, snippets }: { section: Section; snippets: readonly Snippet[] | null }) {
  const { id, title, text, list, steps, table, code, widget } = section;
  const { words } = await currentDocs();
  return (
    <section>
      <LinkedHeading id={id} title={title} />
      {text.map((paragraph) => (
        <p key={paragraph}>
          <RichText text={paragraph} />
        </p>
      ))}
      {steps && <ol className="plain">{items(steps)}</ol>}
      {list && <ul className="plain">{items(list)}</ul>}
      {table && <Table {...table} label={title} />}
      {code && <CodeBlock text={code} label={title} />}
      {snippets && <SnippetTabs id={`code-${id}`} title={title} snippets={snippets} />}
      {widget === 'example' && <SigningExample />}
      {widget === 'calculator' && <Calculator words={words.calculator} start={SIGNING_EXAMPLE} />}
    </section>
  );
}

const items = (texts: readonly string[]) =>
  texts.map((text) => (
    <li key={text}>
      <RichText text={text} />
    </li>
  ));

/** A wide table scrolls in its own frame. */
export function Table({
  head,
  rows,
  label,
}: {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  label: string;
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="docs-table" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join('|')}>
              {row.map((text, n) => (
                <td key={head[n]}>
                  <RichText text={text} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
