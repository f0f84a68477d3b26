// JSON Schemas (2020-12) generated from the zod schemas that the service checks with, and their fields by path, so that each
// field can get its description. Pure.

import { z } from 'zod';

/** The keywords that our schemas use. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly $ref?: string;
};

/**
 * The JSON Schema of what a zod schema accepts. Throws for a rule that JSON Schema cannot express, so that no rule is lost
 * silently.
 */
export function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return made as JsonSchema;
}

/** Every field by its path, as in `error.param` but without indices: `line_items[].price_data.currency`. */
export function fieldsOf(schema: JsonSchema, path = ''): [path: string, field: JsonSchema, isRequired: boolean][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): ReturnType<typeof fieldsOf> => {
    const at = path === '' ? name : `${path}.${name}`;
    return [[at, field, schema.required?.includes(name) ?? false], ...fieldsOf(field, at)];
  });
  const below = [schema.items ? fieldsOf(schema.items, `${path}[]`) : [], ...alternatives(schema, path)].flat();
  return [...own, ...below];
}

const alternatives = ({ anyOf = [], oneOf = [] }: JsonSchema, path: string) =>
  [...anyOf, ...oneOf].map((one) => fieldsOf(one, path));

/** The schema with a description for each field that has one in `descriptions`. */
export function withDescriptions(
  schema: JsonSchema,
  descriptions: Readonly<Record<string, string>>,
  path = '',
): JsonSchema {
  const inner = (one: JsonSchema) => withDescriptions(one, descriptions, path);
  const field = ([name, one]: [string, JsonSchema]): [string, JsonSchema] => {
    const at = path === '' ? name : `${path}.${name}`;
    const described = descriptions[at] === undefined ? {} : { description: descriptions[at] };
    return [name, { ...withDescriptions(one, descriptions, at), ...described }];
  };
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(Object.entries(schema.properties).map(field)) }),
    ...(schema.items && { items: withDescriptions(schema.items, descriptions, `${path}[]`) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inner) }),
    ...(schema.oneOf && { oneOf: schema.oneOf.map(inner) }),
  };
}
