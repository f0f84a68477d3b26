// Signing out: the login's row ends at the server, and then the page is left by a full load, so that nothing of it stays.

import { forgetTestKeys } from '@/components/ui/test-keys';
import { postForm } from './auth-form';

/** Leaves the page, or answers the code of what kept the login open: nobody may believe to be signed out who is not. */
export async function signOut(): Promise<string | null> {
  const answer = await postForm('/api/auth/signout', {});
  if ('code' in answer) return answer.code;
  forgetTestKeys();
  window.location.assign('/login');
  return null;
}
