// The calls of `query` in a source file, with the row types that they claim.

import { parseSync, Visitor, type Node } from 'oxc-parser';

/** A `query` call of the source. */
export type QueryCall = {
  readonly line: number;
  /** The span of its row type; null when it has none. */
  readonly type: { readonly start: number; readonly end: number } | null;
  /** Whether its rows are read where it is made: `const { rows } = …` or `(…).rows`. */
  readonly readsRows: boolean;
};

/** The lines of a source text where rows are read without a row type. */
export const untypedReads = (text: string): number[] =>
  queryCalls(text)
    .filter(({ type, readsRows }) => type === null && readsRows)
    .map(({ line }) => line);

/** The `query` calls of a source text, in its order. */
export function queryCalls(text: string): QueryCall[] {
  const calls: QueryCall[] = [];
  const read = new Set<Node>();
  new Visitor({
    VariableDeclarator({ id, init }) {
      const keys =
        id.type === 'ObjectPattern' ? id.properties.map((one) => (one.type === 'Property' ? one.key : null)) : [];
      if (init && keys.some((key) => key?.type === 'Identifier' && key.name === 'rows')) read.add(unwrapped(init));
    },
    MemberExpression({ object, property }) {
      if (property.type === 'Identifier' && property.name === 'rows') read.add(unwrapped(object));
    },
    CallExpression(node) {
      const { callee, typeArguments } = node;
      if (callee.type !== 'MemberExpression') return;
      if (callee.property.type !== 'Identifier' || callee.property.name !== 'query') return;
      const [type] = typeArguments?.params ?? [];
      calls.push({
        line: text.slice(0, callee.property.start).split('\n').length,
        type: type ? { start: type.start, end: type.end } : null,
        readsRows: read.has(node),
      });
    },
  }).visit(parseSync('source.ts', text).program);
  return calls;
}

/** The expression inside `await` and parentheses. */
const unwrapped = (node: Node): Node =>
  node.type === 'AwaitExpression'
    ? unwrapped(node.argument)
    : node.type === 'ParenthesizedExpression'
      ? unwrapped(node.expression)
      : node;
