// The paths of the quick-start flow, for hosts that run Next without server.ts; lib/api/routes defines them.

import { services } from '@/lib/api/services';
import { answerWeb } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> => answerWeb(services(), request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
