// The OpenAPI 3.1 document of the signed API, generated from the table of routes, the schemas that check requests and the table
// of errors. New entries there appear in it, and a missing description fails a test.

import { ROUTES, type Route } from '@/lib/api/routes';
import words from '@/messages/docs/reference/en.json';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { DELIVERY_HEADERS, eventSchemaName } from './events';
import { EVENTS } from './event-examples';
import { jsonSchema } from './json-schema';
import { OPERATIONS, type Operation } from './operations';
import { answerHeaders, headerParameters, parameterRefs } from './parameters';
import { errorResponses, sharedErrors } from './refusals';
import { componentSchemas } from './schemas';
import type { Content, OperationObject, Parameter, PathItem } from './types';

const VERSION = '1.0.0';

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** `publicUrl`: the origin of this installation. Throws when a route has no description. */
export function openApiDocument(publicUrl: string) {
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: words.title, version: VERSION, description: words.description },
    servers: [{ url: publicUrl }],
    externalDocs: { description: words.guides, url: `${publicUrl}/docs` },
    tags: Object.entries(words.tags).map(([name, description]) => ({ name, description })),
    paths: paths(publicUrl),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        ApiKey: { type: 'http', scheme: 'bearer', description: words.security },
        // OpenAPI has no type for message signatures. This names the header that carries one.
        MessageSignature: { type: 'apiKey', in: 'header', name: 'Signature', description: words.securityV2 },
      },
      parameters: headerParameters(),
      schemas: componentSchemas(),
    },
  };
}

function paths(publicUrl: string): Record<string, PathItem> {
  const all: Record<string, PathItem> = {};
  for (const route of ROUTES) {
    const method = route.method === 'GET' ? 'get' : 'post';
    all[route.path] = { ...all[route.path], [method]: operationObject(route, publicUrl) };
  }
  return all;
}

function operationObject(route: Route, publicUrl: string): OperationObject {
  const operation = OPERATIONS[`${route.method} ${route.path}`];
  if (!operation) throw new Error(`${route.method} ${route.path} is not described in lib/api/openapi/operations.ts`);
  const { id, tag, request, answer } = operation;
  const text = textsOf(id);
  return {
    operationId: id,
    tags: [tag],
    summary: text.summary,
    description: text.description,
    // Either of two scopes is sufficient, and so is either signature version.
    security: [route.scope, ...(route.orScopes ?? [])].flatMap((scope) => [
      { ApiKey: [scope] },
      { ApiKey: [scope], MessageSignature: [] },
    ]),
    parameters: [...pathParameters(route.path), ...queryParameters(operation), ...parameterRefs(operation)],
    ...(request && { requestBody: { required: true, content: content(request) } }),
    responses: {
      [answer.status]: { description: words.success, headers: answerHeaders(), content: content(answer) },
      ...errorResponses([...operation.errors, ...sharedErrors(route, request !== undefined)], publicUrl),
    },
  };
}

function textsOf(id: string): { summary: string; description: string } {
  const text = (words.operations as Readonly<Record<string, { summary: string; description: string }>>)[id];
  if (!text) throw new Error(`${id} has no text in messages/docs/reference/en.json`);
  return text;
}

const content = ({ schema, examples }: Operation['answer'] | NonNullable<Operation['request']>): Content => ({
  'application/json': {
    schema: reference(schema),
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

const reference = (schema: Operation['answer']['schema']) =>
  typeof schema === 'string'
    ? { $ref: `#/components/schemas/${schema}` }
    : { anyOf: schema.map((name) => ({ $ref: `#/components/schemas/${name}` })) };

const parameterTexts = words.parameters as Readonly<Record<string, string>>;

const pathParameters = (path: string): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: parameterTexts[name] ?? '',
    schema: { type: 'string' },
  }));

function queryParameters({ query }: Operation): Parameter[] {
  const { properties = {}, required = [] } = query ? jsonSchema(query) : {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: parameterTexts[name] ?? '',
    schema,
  }));
}

function webhooks() {
  const headerTexts = words.headers as Readonly<Record<string, string>>;
  const parameters = Object.entries(DELIVERY_HEADERS).map(([name, { schema, required }]) => ({
    name,
    in: 'header',
    required,
    description: headerTexts[name] ?? '',
    schema: jsonSchema(schema),
  }));
  const one = (type: (typeof EVENT_TYPES)[number]) => ({
    post: {
      operationId: `on${eventSchemaName(type)}`,
      tags: ['webhooks'],
      summary: words.events[type],
      description: words.delivery,
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${eventSchemaName(type)}` },
            examples: { example: { value: EVENTS[type] } },
          },
        },
      },
      responses: { '2XX': { description: words.acknowledged }, default: { description: words.retried } },
    },
  });
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, one(type)]));
}
