// Service-Version: which version of the contract a request is answered by (decisions: Quick-start variant). There is one so far,
// so every date that is no future one gets it; a later version would be found here by the date.

import { ServiceError } from '@/lib/errors';
import type { ApiRequest } from '@/lib/http';

export const VERSION_HEADER = 'Service-Version';

/** The version that is applied, as each answer's header tells it. */
export const CURRENT_VERSION = '2026-11-21';

/** Throws INVALID_VERSION for a header that is no calendar date or, by UTC, one to come. */
export function checkVersion(request: ApiRequest, now: Date): void {
  const values = request.header('service-version');
  if (values.length === 0) return;
  const [text = ''] = values;
  const isPast = isDate(text) && text <= now.toISOString().slice(0, 10);
  if (values.length > 1 || !isPast) throw new ServiceError('INVALID_VERSION', { param: VERSION_HEADER });
}

/** A date of the calendar: what the parser does not move to another day. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
