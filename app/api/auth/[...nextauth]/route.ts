// Signing in and out: the parts of next-auth that lib/merchants/accounts/sign-in/next-auth selects.

import { services } from '@/lib/api/services';
import { answerAuthWeb } from '@/lib/dashboard/next-adapter';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> => answerAuthWeb(services(), request);

export { handle as GET, handle as POST };
