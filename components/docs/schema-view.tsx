// A schema of the OpenAPI document as a list of its fields.

import { fieldsOf, type JsonSchema } from '@/lib/api/openapi/json-schema';
import { DOCS_WORDS } from './docs-text';
import { FieldList } from './field-list';
import { ReferenceText } from './rich-text';

/** `name` is left out where a heading or a fold already shows it. */
export function SchemaView({ name, schema }: { name?: string; schema: JsonSchema }) {
  const rows = fieldsOf(schema).map(([path, one, isRequired]) => ({
    ...{ path, isRequired },
    ...{ kind: kindOf(one), meaning: one.description ?? '' },
  }));
  return (
    <>
      {name && <h4>{name}</h4>}
      <p>
        <ReferenceText text={schema.description ?? ''} />
      </p>
      {rows.length > 0 && <FieldList rows={rows} />}
    </>
  );
}

/** The type and its limits in few words. */
function kindOf(schema: JsonSchema): string {
  const { most, least, between, characters, entries, usually } = DOCS_WORDS.schema;
  if (schema.const !== undefined)
    return `\`${typeof schema.const === 'string' ? schema.const : JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' ');
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(' | ');
  if (schema.$ref) return `\`${schema.$ref.split('/').at(-1) ?? ''}\``;
  const range = (from = 0, to = Number.MAX_SAFE_INTEGER, unit: string) => {
    const isOpen = to === Number.MAX_SAFE_INTEGER;
    if (from === 0) return isOpen ? [] : [`${most} ${counted(to)}${unit}`];
    return [isOpen ? `${least} ${counted(from)}${unit}` : `${counted(from)} ${between} ${counted(to)}${unit}`];
  };
  return [
    schema.items?.$ref || schema.items?.anyOf
      ? `${String(schema.type)} (${kindOf(schema.items)})`
      : String(schema.type ?? 'object'),
    ...range(schema.minimum, schema.maximum, ''),
    ...range(schema.minLength, schema.maxLength, ` ${characters}`),
    ...range(schema.minItems, schema.maxItems, ` ${entries}`),
    ...range(undefined, schema.maxProperties, ` ${entries}`),
    ...(schema.default === undefined ? [] : [`${usually} ${JSON.stringify(schema.default)}`]),
  ].join(', ');
}

const grouped = new Intl.NumberFormat('en');
const counted = (count: number): string => grouped.format(count);
