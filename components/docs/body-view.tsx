// The body of a request, a response or an event: the fields and an example of each shape. Secondary content is folded.

import type { ReactNode } from 'react';
import type { JsonSchema } from '@/lib/api/openapi/json-schema';
import type { Content } from '@/lib/api/openapi/types';
import { CodeBlock } from './docs-frame';
import { DOCS_WORDS } from './docs-text';
import { SchemaView } from './schema-view';

export type Schemas = Readonly<Record<string, JsonSchema>>;
type BodyProps = { readonly title: string; readonly content: Content; readonly schemas: Schemas };

/** The first shape is open. Other shapes and further examples are folded. The code below sends the first. */
export function RequestBody({ title, content, schemas }: BodyProps) {
  const [first, ...others] = shapesOf(content);
  const [, ...more] = examplesOf(content);
  return (
    <>
      <h3>{title}</h3>
      {first && <SchemaView schema={schemas[first] ?? {}} />}
      {others.map((name) => (
        <Fold key={name} title={title} name={name}>
          <SchemaView schema={schemas[name] ?? {}} />
        </Fold>
      ))}
      {more.length > 0 && (
        <Fold title={DOCS_WORDS.operation.examples}>
          {more.map(({ name, text }) => (
            <div key={name}>
              <h4>{name}</h4>
              <CodeBlock label={`${title}, ${name}`} text={text} />
            </div>
          ))}
        </Fold>
      )}
    </>
  );
}

/** Every shape is folded; the examples are in the first fold. */
export function FoldedBody({ title, content, schemas }: BodyProps) {
  const shapes = shapesOf(content);
  return shapes.map((shape, at) => (
    <Fold key={shape} title={title} name={shape}>
      {at === 0 &&
        examplesOf(content).map(({ name, text }) => <CodeBlock key={name} label={`${title}, ${name}`} text={text} />)}
      <SchemaView schema={schemas[shape] ?? {}} />
    </Fold>
  ));
}

/** An event has one shape: its example and fields are open. */
export function EventBody({ title, content, schemas }: BodyProps) {
  const [shape = ''] = shapesOf(content);
  return (
    <>
      <h3>{title}</h3>
      {examplesOf(content).map(({ name, text }) => (
        <CodeBlock key={name} label={`${title}, ${name}`} text={text} />
      ))}
      <SchemaView schema={schemas[shape] ?? {}} />
    </>
  );
}

/** `name`: of a shape or an example. */
export function Fold({ title, name, children }: { title: string; name?: string; children: ReactNode }) {
  return (
    <details className="docs-fold">
      <summary>
        {title}
        {name !== undefined && <code>{name}</code>}
      </summary>
      <div>{children}</div>
    </details>
  );
}

function shapesOf(content: Content): readonly string[] {
  const { schema } = content['application/json'];
  return [schema, ...(schema.anyOf ?? [])].flatMap(({ $ref }) => ($ref ? [$ref.split('/').at(-1) ?? ''] : []));
}

const examplesOf = (content: Content) =>
  Object.entries(content['application/json'].examples).map(([name, { value }]) => ({
    name,
    text: JSON.stringify(value, null, 2),
  }));
