// Browsers' CSP reports, for hosts that run Next alone; server.ts handles them without Next.

import { services } from '@/lib/api/services';
import { answerReportWeb } from '@/lib/api/adapters/next-adapter';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> => answerReportWeb(services(), request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
