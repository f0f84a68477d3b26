// What the signed API's hot path may load. Prisma's client costs memory and plans each kind of query anew, so the process that
// answers the API must not load it for its operations.

import type { Rule } from './architecture-rules';

const PRISMA = 'lib/platform/database/prisma.ts';
/** The signed operations and what recognizes their caller, the signer, the watcher, and where money is counted and paid. */
const HOT =
  /^lib\/(api\/operations|merchants\/api-keys\/(authenticate|verify-key|nonces|key-uses)\.ts|signer|ledger|refunds|networks|payments\/(sessions|watcher|checkout))/;

/** No import leads from the hot path to Prisma's client. Types cost nothing. */
export const hotPathsWithoutPrisma: Rule = (sources) => {
  const edges = new Map(
    sources.map((one) => [one.path, one.imports.flatMap(({ file, typeOnly }) => (file && !typeOnly ? [file] : []))]),
  );
  const from = sources.map((one) => one.path).filter((path) => HOT.test(path) && !path.includes('.test.'));
  return from.flatMap((start) => {
    const seen = new Map<string, string[]>([[start, [start]]]);
    for (const [file, trail] of seen) {
      if (file === PRISMA) return [`${start} loads Prisma: ${trail.join(' → ')}`];
      for (const next of edges.get(file) ?? []) if (!seen.has(next)) seen.set(next, [...trail, next]);
    }
    return [];
  });
};
