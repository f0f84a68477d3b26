// Signing out: the server deletes the login's row, then a full load leaves the page, so that none of its data stays.

import { forgetTestKeys } from '@/components/ui/test-keys';
import { postForm } from './auth-form';

/** Leaves the page, or returns the error code, so that no user wrongly believes to be signed out. */
export async function signOut(): Promise<string | null> {
  const answer = await postForm('/api/auth/signout', {});
  if ('code' in answer) return answer.code;
  forgetTestKeys();
  window.location.assign('/login');
  return null;
}
