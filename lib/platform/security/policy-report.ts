// Reads the reports that browsers send about violations of the Content-Security-Policy, in the format of the Reporting API
// (application/reports+json) and the older one (application/csp-report). The result holds only words from fixed lists: a page's
// address can hold a token, and anyone can send any text.

import { JsonError, parseJson, type JsonObject, type JsonValue } from '@/lib/platform/json/json';

/** A violation as it is counted: the directive, and the first segment of the page's path. */
export type Violation = { readonly page: string; readonly directive: string };

/** A browser batches the reports of about a minute. Reports beyond this number in one body are not counted. */
export const MAX_REPORTS = 50;

/** First segments of the paths that pages have. All others count as `other`. */
const PAGE_KINDS: ReadonlySet<string> = new Set([
  ...['claim', 'confirm', 'dashboard', 'docs', 'invite', 'link', 'login', 'operator', 'pay', 'payout-addresses'],
  ...['receipt', 'reset', 'sandbox', 'setup', 'signup', 'status', 'two-factor'],
]);

const DIRECTIVES: ReadonlySet<string> = new Set([
  ...['base-uri', 'child-src', 'connect-src', 'default-src', 'font-src', 'form-action', 'frame-ancestors', 'frame-src'],
  ...['img-src', 'manifest-src', 'media-src', 'object-src', 'script-src', 'script-src-attr', 'script-src-elem'],
  ...['style-src', 'style-src-attr', 'style-src-elem', 'worker-src'],
]);

/** Changes that a browser extension makes to a page are neither our fault nor an attack. */
const EXTENSION = /^(?:chrome|moz|safari|safari-web|ms-browser)-extension(?::|$)/i;

/** The violations in a body, without those that a browser extension caused; null if the body is not a report. */
export function readViolations(contentType: string, body: Uint8Array): readonly Violation[] | null {
  const type = (contentType.split(';')[0] as string).trim().toLowerCase();
  if (type !== 'application/reports+json' && type !== 'application/csp-report') return null;
  const value = parsed(body);
  if (type === 'application/csp-report') {
    const report = isObject(value) ? value['csp-report'] : null;
    return isObject(report) ? violationOf(report, OLD_NAMES) : null;
  }
  if (!Array.isArray(value)) return null;
  return value.slice(0, MAX_REPORTS).flatMap((report) => {
    if (!isObject(report) || report['type'] !== 'csp-violation') return [];
    return isObject(report['body']) ? violationOf(report['body'], NEW_NAMES) : [];
  });
}

const NEW_NAMES = {
  page: ['documentURL'],
  directive: ['effectiveDirective'],
  causes: ['blockedURL', 'sourceFile'],
} as const;
/** CSP 1 had no `effective-directive`; its `violated-directive` is the whole directive. */
const OLD_NAMES = {
  page: ['document-uri'],
  directive: ['effective-directive', 'violated-directive'],
  causes: ['blocked-uri', 'source-file'],
} as const;

function violationOf(report: JsonObject, names: typeof NEW_NAMES | typeof OLD_NAMES): readonly Violation[] {
  if (names.causes.some((name) => EXTENSION.test(textOf(report, name)))) return [];
  const directive = names.directive.map((name) => textOf(report, name).split(' ')[0] as string).find((one) => one);
  return [
    {
      page: pageKind(textOf(report, names.page[0])),
      directive: directive !== undefined && DIRECTIVES.has(directive) ? directive : 'other',
    },
  ];
}

function pageKind(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  if (path === '/') return 'home';
  const segment = path.split('/')[1] ?? '';
  return PAGE_KINDS.has(segment) ? segment : 'other';
}

function parsed(body: Uint8Array): JsonValue {
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !('toJSON' in value);

const textOf = (report: JsonObject, name: string): string => {
  const value = report[name];
  return typeof value === 'string' ? value : '';
};
