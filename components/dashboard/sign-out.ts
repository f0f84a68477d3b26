// Signing out: the login's row ends at the server, and then the page is left by a full load, so that nothing of it stays.

import { postForm } from './auth-form';

export async function signOut(): Promise<void> {
  await postForm('/api/auth/signout', {});
  window.location.assign('/login');
}
