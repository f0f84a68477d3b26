// One bounded run of the worker's steps, for hosts without long-running processes.

import { answerCron } from '@/lib/api/cron';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

const handle = async ({ method, headers }: Request): Promise<Response> =>
  toResponse(await answerCron(services(), { method, authorization: headers.get('authorization') }));

// Every method: Next would otherwise run GET for HEAD, and refuse the others without an Allow header.
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
