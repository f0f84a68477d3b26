// Fields of the API as a list: name and type first, meaning beside them. Inner fields are folded, so that a reader sees
// the outer field first.

import { Fragment } from 'react';
import { DOCS_WORDS } from './docs-text';
import { ReferenceText, RichText } from './rich-text';

export type FieldRow = {
  /** As `error.param` writes it. */
  readonly path: string;
  readonly isRequired: boolean;
  readonly kind: string;
  readonly meaning: string;
};

export function FieldList({ rows }: { rows: readonly FieldRow[] }) {
  return (
    <ul className="docs-fields">
      {withInner(rows).map(({ field, inner }) => (
        <li key={field.path}>
          <FieldText {...field} />
          {inner.length > 0 && (
            <details>
              <summary>{`${DOCS_WORDS.schema.fields}: ${inner.length}`}</summary>
              <ul className="docs-fields">
                {inner.map((one) => (
                  <li key={one.path}>
                    <FieldText {...one} />
                  </li>
                ))}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

const isInside = (path: string, outer: string) => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[]`);

/** Each outermost field with all its inner fields. */
export function withInner(
  rows: readonly FieldRow[],
): readonly { readonly field: FieldRow; readonly inner: readonly FieldRow[] }[] {
  const outermost = rows.filter(({ path }) => !rows.some((other) => isInside(path, other.path)));
  return outermost.map((field) => ({ field, inner: rows.filter(({ path }) => isInside(path, field.path)) }));
}

function FieldText({ path, isRequired, kind, meaning }: FieldRow) {
  return (
    <>
      <div>
        {/* A long path breaks between its names. */}
        <code>
          {path.split('.').map((name, n) => (
            <Fragment
              key={path
                .split('.')
                .slice(0, n + 1)
                .join('.')}
            >
              {n > 0 && (
                <>
                  .<wbr />
                </>
              )}
              {name}
            </Fragment>
          ))}
        </code>
        <p className="docs-kind">
          <RichText text={kind} />
          {isRequired && <strong>{DOCS_WORDS.schema.required}</strong>}
        </p>
      </div>
      <p>
        <ReferenceText text={meaning} />
      </p>
    </>
  );
}
