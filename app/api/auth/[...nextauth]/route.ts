// Signing in and out: next-auth's form and cookie. What of it is used is lib/merchants/accounts/sign-in/next-auth's business.

import { services } from '@/lib/api/services';
import { answerAuthWeb } from '@/lib/dashboard/next-adapter';

export const dynamic = 'force-dynamic';

const handle = (request: Request): Promise<Response> => answerAuthWeb(services(), request);

export { handle as GET, handle as POST };
