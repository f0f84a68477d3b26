// One request of the fuzzer before signing: its operation, caller and faults. It is built from the document, the
// fuzzer's memory and seeded draws.

import type { Api, Operation } from './document';
import { KINDS, mutated } from './json-inputs';
import type { Memory } from './memory';
import type { Random } from './random';
import { allowed, spoiled, type Maker } from './values';

/** How a request is signed: correctly, or with this part wrong. `replay`: repeats an accepted request and its nonce. */
type Signing = 'right' | 'signature' | 'nonce' | 'time' | 'missing' | 'key' | 'replay';

export type Plan = {
  readonly operation: string;
  readonly method: string;
  /** As it is sent, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  /** Headers besides those of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sent body; `value` is its parsed value, if it has one. */
  readonly body: Buffer;
  readonly value?: unknown;
  readonly signing: Signing;
  /** The index of the caller. */
  readonly caller: number;
};

export type Planner = { readonly random: Random; readonly memory: Memory; readonly api: Api; readonly callers: number };

/** Most requests are correct; the others have one or two faults. */
export function draw(planner: Planner): Plan {
  const { random, memory, api } = planner;
  const operation = random.pick(api.operations);
  const maker: Maker = { random, memory, schemas: api.schemas };
  const parameters = operation.parameters.map((one) => [one, parameterValue(maker, one)] as const);
  const query = parameters
    .filter(([one]) => one.in === 'query' && (one.required ? !random.once(30) : random.once(3)))
    .map(([{ name }, value]) => [name, value] as const);
  const isSigned = (name: string) => /^x-service-/i.test(name);
  const headers = parameters
    .filter(([one]) => one.in === 'header' && !isSigned(one.name) && random.once(12))
    .map(([{ name }, value]) => [name, headerText(random, name, value)] as const);
  const { body, value } = bodyOf(maker, operation);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters.find(([one]) => one.in === 'path' && one.name === name)?.[1] || 'x'),
  );
  return {
    operation: operation.id,
    method: random.once(150) ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) : operation.method,
    path: random.once(60) ? strangePath(random, path) : path,
    query: random.once(40) && query[0] ? [...query, query[0]] : query,
    headers: { ...contentType(random, operation.method), ...Object.fromEntries(headers) },
    body,
    ...(value === undefined ? {} : { value }),
    signing: random.once(12) ? random.pick(['signature', 'nonce', 'time', 'missing', 'key', 'replay']) : 'right',
    caller: random.once(6) ? random.below(planner.callers) : 0,
  };
}

function parameterValue(
  { random, memory, schemas }: Maker,
  { name, in: place, schema }: Operation['parameters'][number],
): string {
  if (random.once(25))
    return random.pick(['', '0', '-1', '101', 'a b', "'", '{}', '%', '\u0000', 'é', 'x'.repeat(300), '../x', '[]']);
  const known = place === 'path' || random.once(2) ? memory.recall(random, name) : null;
  return known ?? String(allowed({ random, memory, schemas }, schema, name));
}

/** Headers are Latin-1 on the wire, and this client sends no control characters in them. */
const headerText = (random: Random, name: string, value: string): string => {
  const text = /version/i.test(name) && random.once(2) ? '2026-11-21' : value;
  return text.replace(/[^ -~]/g, '?').trim();
};

function contentType(random: Random, method: string): Record<string, string> {
  if (method === 'GET') return {};
  if (random.once(100))
    return random.pick([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/json; charset=latin1' }]);
  if (random.once(200)) return { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  return { 'content-type': random.pick(['application/json', 'application/json', 'application/json; charset=utf-8']) };
}

const NO_BODY = Buffer.alloc(0);
/** More than the service reads. */
const TOO_LONG = 70_000;

function bodyOf(maker: Maker, operation: Operation): { body: Buffer; value?: unknown } {
  const { random } = maker;
  if (operation.method === 'GET') return { body: random.once(300) ? Buffer.from('{"a":1}') : NO_BODY };
  if (!operation.body)
    return { body: random.once(4) ? Buffer.from(random.pick(['{}', ' ', '{"a":1}', 'x', '[]'])) : NO_BODY };
  if (random.once(1000)) return { body: Buffer.alloc(TOO_LONG, ' ') };
  if (random.once(40)) return { body: random.pick(Object.values(KINDS))(random) };
  const right = random.once(2) ? fromExample(maker, operation) : allowed(maker, operation.body.schema);
  const value = random.once(3) ? spoiled(random, right) : right;
  const text = JSON.stringify(value) ?? 'null';
  const body = Buffer.from(random.once(20) ? (JSON.stringify(value, null, 2) ?? text) : text);
  return random.once(60) ? { body: mutated(random, body) } : { body, value };
}

/** One of the document's examples, with other ids and sometimes fields of another request. */
function fromExample(maker: Maker, { body }: Operation): unknown {
  const examples = Object.values(body?.examples ?? {});
  if (!body || examples.length === 0) return allowed(maker, body?.schema ?? {});
  const { random, memory } = maker;
  const copy = structuredClone(random.pick(examples).value) as Record<string, unknown>;
  for (const name of Object.keys(copy)) {
    if (!name.endsWith('_id')) continue;
    const known = random.once(3) ? null : memory.recall(random, name);
    // Ids from the service are known from its responses; ids from the merchant must be new most of the time.
    const isOurs = /^(order|refund)_id$/.test(name) || known === null;
    copy[name] = isOurs && !random.once(6) ? random.text(14) : (known ?? random.text(14));
  }
  return copy;
}

function strangePath(random: Random, path: string): string {
  const at = 1 + random.below(path.length - 1);
  switch (random.below(6)) {
    case 0:
      return `${path}/`;
    case 1:
      return path.toUpperCase();
    case 2:
      return `/${path}`;
    case 3:
      return `${path.slice(0, at)}${random.pick(['/', '//', '/./', '/../', '%2e', '%00', '%', '%ff', ';a', '%2F'])}${path.slice(at)}`;
    case 4:
      return path.slice(0, at);
    default:
      return `/api/${random.text(6)}`;
  }
}
