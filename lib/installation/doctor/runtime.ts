// Whether the Node release line that runs this program still gets security fixes. Source: the release schedule of the Node.js
// project (github.com/nodejs/Release), read in November 2026.

import type { Finding } from './findings';

/** Major version → the last day with security fixes. Odd versions are for development only. */
const SUPPORTED_UNTIL: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};

/** `version` as in `process.versions.node`. Warns about a release line without security fixes. */
export function runtimeFinding(version: string, now: Date): Finding {
  const check = 'node';
  const major = Number(version.split('.')[0]);
  const until = SUPPORTED_UNTIL[major];
  if (until === undefined && major > 26) return { check, state: 'ok', message: `Node ${version}` };
  if (until !== undefined && now.toISOString().slice(0, 10) <= until)
    return { check, state: 'ok', message: `Node ${version} gets security fixes until ${until}` };
  const message = `Node ${version} gets no security fixes${until === undefined ? '' : ` since ${until}`}`;
  return { check, state: 'warn', message, todo: 'Run Node 24, as the image does.' };
}
