// The dashboard's own requests; lib/dashboard/routes defines them.

import { services } from '@/lib/api/services';
import { answerDashboardWeb } from '@/lib/dashboard/next-adapter';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> => answerDashboardWeb(services(), request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
