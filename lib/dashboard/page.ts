// Identifies and authorizes the visitor of a dashboard page before it reads anything. Each page must call it itself: Next does
// not run a layout again on every navigation.

import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { signedInUser } from '@/lib/merchants/accounts/sign-in/cookie';
import type { Who } from '@/lib/merchants/accounts/sign-in/logins';
import { PATH_HEADER, safePath } from '@/lib/merchants/accounts/sign-in/return-path';
import { clientAddress } from '@/lib/api/client-address';
import { services } from '@/lib/api/services';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { authorize, type Access, type Actor } from './authorize';
import { noteRefusal } from './note-refusal';

/** The authorized visitor. Redirects others to sign in, or answers that the page does not exist. */
export async function requirePage(
  permission: Access,
  storeId?: string | null,
): Promise<{ actor: Actor; context: Context }> {
  const context = services();
  const who = await pageVisitor(context);
  try {
    return { actor: authorize(context, who, { permission, storeId, stepUp: false }), context };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    noteRefusal(context, error, { address: clientAddress(await headers()), account: who?.userId });
    if (error.code === 'not_signed_in') return redirect(await signInPath(context));
    if (error.code === 'second_factor_needed') return redirect('/two-factor');
    if (error.code === 'operator_factor_needed') return redirect('/dashboard/account');
    return notFound();
  }
}

/** The visitor of a page that is open to everyone; null when signed out. */
export async function pageVisitor(context: Context = services()): Promise<Who | null> {
  return signedInUser(context, (await headers()).get('cookie'));
}

async function signInPath({ config }: Context): Promise<string> {
  const here = safePath((await headers()).get(PATH_HEADER), config.PUBLIC_URL);
  return `/login?callbackUrl=${encodeURIComponent(here)}`;
}
