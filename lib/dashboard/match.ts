// Finds the route of a path in a table. A literal segment wins over a parameter, whatever the order of the table.

import { MethodNotAllowed } from '@/lib/api/routes';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { DashboardRoute } from './route';

/** Throws NOT_FOUND, or METHOD_NOT_ALLOWED with the methods that the path supports. */
export function matchRoute(
  table: readonly DashboardRoute[],
  method: string,
  path: string,
): { route: DashboardRoute; params: Record<string, string> } {
  const segments = path.split('/');
  const matches = table
    .flatMap((route) => {
      const params = matchSegments(route.path.split('/'), segments);
      return params ? [{ route, params }] : [];
    })
    .toSorted((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  const [best] = matches;
  if (!best) throw new ServiceError('NOT_FOUND');
  const equal = matches.filter(({ params }) => Object.keys(params).length === Object.keys(best.params).length);
  const found = equal.find(({ route }) => route.method === method);
  if (!found) throw new MethodNotAllowed([...new Set(equal.map(({ route }) => route.method))]);
  return found;
}

function matchSegments(pattern: readonly string[], given: readonly string[]): Record<string, string> | null {
  if (pattern.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [n, expected] of pattern.entries()) {
    const found = given[n] as string;
    if (!expected.startsWith('{')) {
      if (expected !== found) return null;
      continue;
    }
    // None of our identifiers has a character that needs encoding.
    if (!/^[0-9A-Za-z_-]{1,1400}$/.test(found)) return null;
    params[expected.slice(1, -1)] = found;
  }
  return params;
}
