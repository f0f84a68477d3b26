// The Content-Security-Policy of pages and where browsers report violations of it. `proxy.ts` sets both on every page.

/** Takes reports of browsers in both formats (lib/api/public/policy-report.ts). */
export const REPORT_PATH = '/csp-report';

/** Not `default`: under that name browsers would also send reports about deprecations and crashes. */
const ENDPOINT = 'csp';

/** Names the endpoint of `report-to`. Browsers resolve the path against the address of the page. */
export const REPORTING_HEADER = ['Reporting-Endpoints', `${ENDPOINT}="${REPORT_PATH}"`] as const;

export type Framing = {
  /** The origins that may frame the page. */
  readonly hosts: readonly string[];
  /** Whether the page may frame pages of this origin. Those pages have a policy of their own about it. */
  readonly framesOwn: boolean;
};

/**
 * `strict-dynamic` lets the scripts that carry the nonce load their own chunks. Everything else must come from this origin.
 * Browsers that know `report-to` ignore `report-uri`.
 */
export const pagePolicy = (nonce: string, { hosts, framesOwn }: Framing): string =>
  [
    `default-src 'none'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    ...(framesOwn ? [`frame-src 'self'`] : []),
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${hosts.length > 0 ? hosts.join(' ') : "'none'"}`,
    `report-uri ${REPORT_PATH}`,
    `report-to ${ENDPOINT}`,
  ].join('; ');

/** The policy of the preview of a store's branding. Only the dashboard frames it, and it runs no script and sends nothing. */
export const previewPolicy = (nonce: string): string =>
  [
    `default-src 'none'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'self'`,
    `report-uri ${REPORT_PATH}`,
    `report-to ${ENDPOINT}`,
  ].join('; ');
