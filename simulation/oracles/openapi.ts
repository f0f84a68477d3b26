// The OpenAPI document as an oracle: an answer or an event that it does not describe is a fault. Every object of the document is
// taken as closed, so a field that it does not name is one too.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument, type OpenApiDocument } from '@/lib/api/openapi/document';
import type { JsonSchema } from '@/lib/api/openapi/json-schema';
import type { Content, OperationObject, PathItem } from '@/lib/api/openapi/types';

export type GivenAnswer = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
};
export type GivenEvent = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
};

export type ApiOracle = {
  /** What the document does not say about an answer, in sentences. */
  readonly checkAnswer: (answer: GivenAnswer) => string[];
  /** The same of an event as a receiver gets it. */
  readonly checkEvent: (event: GivenEvent) => string[];
};

let shared: ApiOracle | undefined;
/** The oracle of this process, because compiling the schemas takes long. No schema names the origin. */
export const apiOracle = (): ApiOracle => (shared ??= openApiOracle('https://pay.example.com'));

/** One schema of the document, and what a value breaks of it. */
type Schemas = (schema: JsonSchema, value: unknown) => string[];

/** `publicUrl`: the origin under which the service answers. */
export function openApiOracle(publicUrl: string): ApiOracle {
  const document = openApiDocument(publicUrl);
  const faultsOf = openSchemas(document);
  return {
    checkAnswer: (answer) => checkAnswer(document, faultsOf, answer),
    checkEvent: (event) => checkEvent(document, faultsOf, event),
  };
}

/** Compiles each schema at its first use. */
function openSchemas({ components }: OpenApiDocument): Schemas {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, closed(schema)]);
  ajv.addSchema({ components: { schemas: Object.fromEntries(schemas) } }, 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema);
    // A reference within the document is one to the document that was added.
    const absolute = JSON.parse(text.replaceAll('"$ref":"#/', '"$ref":"document#/')) as JsonSchema;
    const check = compiled.get(text) ?? ajv.compile(absolute);
    compiled.set(text, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message = '', params }) =>
        `${instancePath === '' ? 'the body' : instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** The schema without unnamed fields. */
function closed(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, closed(one)]);
  return {
    ...schema,
    ...(schema.properties && { additionalProperties: false, properties: Object.fromEntries(properties) }),
    ...(schema.items && { items: closed(schema.items) }),
  };
}

function checkAnswer(document: OpenApiDocument, faultsOf: Schemas, answer: GivenAnswer): string[] {
  const { method, path, status, body } = answer;
  const name = `${method} ${path} answers ${status}`;
  const operation = operationOf(document, method, path);
  if (operation === null) {
    const isRefused = status === 404 || status === 405;
    return isRefused ? about(name, faultsOf(ERROR, body)) : [`${name}, and is not in the OpenAPI document`];
  }
  const content = operation.responses[String(status)]?.content;
  if (content === undefined) return [`${name}, which the OpenAPI document does not list for it`];
  return about(name, [...faultsOf(content['application/json'].schema, body), ...codeFaults(content, body)]);
}

const about = (name: string, faults: readonly string[]): string[] => faults.map((fault) => `${name}: ${fault}`);
const ERROR: JsonSchema = { $ref: '#/components/schemas/Error' };

/** The examples of a refusal are its codes. */
function codeFaults(content: Content, body: unknown): string[] {
  const { schema, examples } = content['application/json'];
  if (schema.$ref !== ERROR.$ref) return [];
  const code = (body as { readonly error?: { readonly code?: string } } | null)?.error?.code ?? '';
  return Object.hasOwn(examples, code) ? [] : [`the code ${code} is not listed`];
}

/** The operation of a path. A literal segment wins over a parameter. */
function operationOf(document: OpenApiDocument, method: string, path: string): OperationObject | null {
  const [given = ''] = path.split('?');
  const found = Object.keys(document.paths)
    .filter((template) => matches(template, given))
    .toSorted((one, other) => one.split('{').length - other.split('{').length);
  const item: PathItem = document.paths[found[0] ?? ''] ?? {};
  return item[method.toLowerCase() as keyof PathItem] ?? null;
}

function matches(template: string, path: string): boolean {
  const [expected, given] = [template, path].map((one) => one.replace(/\/$/, '').split('/')) as [string[], string[]];
  return expected.length === given.length && expected.every((part, n) => part.startsWith('{') || part === given[n]);
}

function checkEvent(document: OpenApiDocument, faultsOf: Schemas, { headers, body }: GivenEvent): string[] {
  const event = JSON.parse(body) as { readonly id?: string; readonly type?: string };
  const name = `the event ${event.type}`;
  const hook = Object.entries(document.webhooks).find(([type]) => type === event.type)?.[1].post;
  if (!hook) return [`${name} is not in the OpenAPI document`];
  const ofHeaders = hook.parameters.flatMap((parameter) => {
    const value = headers[parameter.name.toLowerCase()];
    if (value === undefined) return parameter.required ? [`the header ${parameter.name} is missing`] : [];
    return faultsOf(parameter.schema, value).map((fault) => `the header ${parameter.name}: ${fault}`);
  });
  const names = { 'X-Service-Event-Type': event.type, 'X-Service-Event-ID': event.id };
  const differing = Object.entries(names)
    .filter(([header, value]) => headers[header.toLowerCase()] !== value)
    .map(([header]) => `the header ${header} differs from the body`);
  const schema = hook.requestBody.content['application/json'].schema;
  return about(name, [...faultsOf(schema, event), ...ofHeaders, ...differing]);
}
