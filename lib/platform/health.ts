// Whether this process can do its work. Load balancers and supervisors need yes or no and nothing else.

import type { Context } from './context';
import { jsonResponse, type ApiResponse } from './http';

/** 200 when the database answers, else 503. The answer reveals no version and no reason. */
export async function healthAnswer({ pool, log }: Pick<Context, 'pool' | 'log'>): Promise<ApiResponse> {
  try {
    await pool.query('SELECT 1');
    return jsonResponse(200, '{"status":"ok"}');
  } catch (error) {
    log.warn({ err: error }, 'the database does not answer');
    return jsonResponse(503, '{"status":"unavailable"}');
  }
}
