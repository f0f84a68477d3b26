// The types of the OpenAPI document that its parts and its readers share.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { JsonSchema } from './json-schema';

export type Parameter = {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
};
export type Reference = { readonly $ref: string };
export type Content = {
  readonly 'application/json': {
    readonly schema: JsonSchema;
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
  };
};
export type Response = { readonly description: string; readonly headers?: object; readonly content?: Content };

export type OperationObject = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly Scope[]>>[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
export type PathItem = Partial<Record<'get' | 'post', OperationObject>>;
