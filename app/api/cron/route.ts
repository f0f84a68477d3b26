// One bounded pass of the worker's steps, for hosts without long-running processes.

import { answerCron } from '@/lib/api/cron';
import { services } from '@/lib/api/services';
import { toResponse } from '@/lib/api/web-door';

export const dynamic = 'force-dynamic';

export const POST = async (request: Request): Promise<Response> =>
  toResponse(await answerCron(services(), request.headers.get('authorization')));
