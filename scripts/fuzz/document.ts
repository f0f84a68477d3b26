// The OpenAPI document as the fuzzer reads it: the operations, their inputs and their possible responses. No other file
// describes an operation, so a new one is fuzzed as soon as it is documented.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from '@/lib/api/openapi/json-schema';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
};
type Media = { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
type Content = { readonly 'application/json': Media };
type Response = { readonly content?: Content };
type OperationObject = {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

export type Operation = {
  readonly id: string;
  readonly method: string;
  /** As in the document: `/a/{b}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Media | null;
  /** By status: the allowed codes, and a function that describes the faults of a body. */
  readonly responses: ReadonlyMap<
    number,
    { readonly codes: readonly string[]; readonly faults: (body: unknown) => string[] }
  >;
};

export type Api = {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The documented operation for a path as sent, or the methods that the path takes; null for no path. */
  readonly find: (method: string, path: string) => Operation | readonly string[] | null;
  readonly errorFaults: (body: unknown) => string[];
};

/** Reads a document. Objects are closed, so that an undocumented field in a response is a fault. */
export function readApi(document: Document): Api {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, one]) => [name, closed(one)]),
  );
  ajv.addSchema({ components: { schemas } }, 'api');
  const compiled = new Map<string, ValidateFunction>();
  const faultsOf = (schema: JsonSchema) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"api#/components/');
    const check = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(text, check);
    return (body: unknown): string[] =>
      check(body)
        ? []
        : (check.errors ?? []).map(
            (one) => `${one.instancePath || 'the body'} ${one.message} ${JSON.stringify(one.params)}`,
          );
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => ({
      id: one.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (one.parameters ?? []).map((given) => resolved(document, given)),
      body: one.requestBody?.content['application/json'] ?? null,
      responses: new Map(
        Object.entries(one.responses).map(([status, { content }]) => {
          const media = content?.['application/json'];
          return [
            Number(status),
            { codes: Object.keys(media?.examples ?? {}), faults: media ? faultsOf(media.schema) : () => [] },
          ];
        }),
      ),
    })),
  );
  return {
    operations,
    schemas: document.components.schemas,
    find: finder(operations),
    errorFaults: faultsOf({ $ref: '#/components/schemas/Error' }),
  };
}

function resolved({ components }: Document, given: Parameter | { readonly $ref: string }): Parameter {
  if (!('$ref' in given)) return given;
  const found = components.parameters[given.$ref.slice('#/components/parameters/'.length)];
  if (!found) throw new Error(`the document refers to ${given.$ref}, which is not there`);
  return found;
}

/** The schema with every object closed that names its fields. */
function closed(schema: JsonSchema): JsonSchema {
  const all = (list: readonly JsonSchema[] | undefined) => list?.map(closed);
  const properties = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, closed(one)]);
  return {
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(properties),
      additionalProperties: schema.additionalProperties ?? false,
    }),
    ...(schema.items && { items: closed(schema.items) }),
    ...(schema.anyOf && { anyOf: all(schema.anyOf) as JsonSchema[] }),
    ...(schema.oneOf && { oneOf: all(schema.oneOf) as JsonSchema[] }),
  };
}

/** Literal segments win over parameters, and a trailing slash changes nothing, as in the service. */
function finder(operations: readonly Operation[]): Api['find'] {
  const paths = [...new Set(operations.map(({ path }) => path))]
    .toSorted((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({ path, segments: segmentsOf(path) }));
  return (method, sent) => {
    const given = segmentsOf(sent);
    const found = paths.find(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((one, n) => (one.startsWith('{') ? isValue(given[n]) : one === given[n])),
    );
    if (!found) return null;
    const there = operations.filter(({ path }) => path === found.path);
    return there.find((one) => one.method === method) ?? there.map((one) => one.method);
  };
}

const segmentsOf = (path: string): string[] => path.replace(/(?<=.)\/$/, '').split('/');

function isValue(segment = ''): boolean {
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}
