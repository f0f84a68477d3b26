// Service-Version: the version of the contract that a caller requests. One version exists so far, so every date selects it. A
// later version would be selected here by the date.

import { ServiceError } from '@/lib/platform/errors/errors';
import type { ApiRequest } from '@/lib/platform/http';

export const VERSION_HEADER = 'Service-Version';

/** The applied version, as the header of each response names it. */
export const CURRENT_VERSION = '2026-11-22';

/** Whether the caller requested a version. */
export const hasVersion = (request: Pick<ApiRequest, 'header'>): boolean =>
  request.header(VERSION_HEADER.toLowerCase()).length > 0;

/** Throws INVALID_VERSION for a header that is not one date of the calendar. */
export function checkVersion(request: Pick<ApiRequest, 'header'>): void {
  const values = request.header(VERSION_HEADER.toLowerCase());
  if (values.length === 0) return;
  if (values.length > 1 || !isDate(values[0] as string)) throw new ServiceError('INVALID_VERSION');
}

/** A date that the parser does not move to another day. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
