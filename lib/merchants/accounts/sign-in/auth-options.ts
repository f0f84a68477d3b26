// next-auth's settings: one form, one cookie. The form signs in by password, by password and second factor, or by a passkey.
// The cookie carries only the login's value. Everything that next-auth would read from the environment is passed here.

import type { NextAuthOptions } from 'next-auth';
import Credentials from 'next-auth/providers/credentials';
import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { parseJson } from '@/lib/platform/json/json';
import { COOKIE_SECONDS, cookieSecret, decodeToken, tokenOf } from './cookie';
import { cookieNames } from './cookie-names';
import { requestSource } from '@/lib/merchants/accounts/request-source';
import { knownDevice } from './known-device';
import { isToken, signOut } from './logins';
import { isForSignIn, passkeyAnswer, type PasskeyAnswer } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import { safePath } from './return-path';
import { completeSignIn, signInByPasskey, signInByPassword, type SignedIn } from './sign-in';

const field = (longest: number) => z.string().max(longest).default('');

/** What the form sends: e-mail and password, then the code or passkey if the account needs one; or a passkey alone. */
const form = z.object({
  email: field(1000),
  password: field(1000),
  code: field(40),
  passkey: field(60_000),
});

/** `onComplete`: called when a user has given everything that their account requires. */
export function authOptions(context: Context, onComplete: (userId: string) => void): NextAuthOptions {
  const { config } = context;
  const { knownDevice: _, ...cookies } = cookieNames(config);
  return {
    providers: [
      Credentials({
        credentials: { email: {}, password: {}, code: {}, passkey: {} },
        authorize: (given, request) =>
          signInAnew(context, given, request.headers ?? {}).then(
            ({ token, userId, isComplete }) => {
              if (isComplete) onComplete(userId);
              return { id: userId, token };
            },
            (error: unknown) => refuse(context, error),
          ),
      }),
    ],
    secret: cookieSecret(config),
    session: { strategy: 'jwt', maxAge: COOKIE_SECONDS },
    jwt: { maxAge: COOKIE_SECONDS, decode: async ({ token }) => decodeToken(config, token ?? '') },
    useSecureCookies: cookies.sessionToken.options.secure,
    cookies,
    pages: { signIn: '/login', error: '/login', signOut: '/login' },
    callbacks: {
      jwt: ({ user }) => ({ token: (user as { token?: string } | undefined)?.token ?? null }),
      // next-auth's session endpoint would answer with this. It reveals nothing about a user.
      session: ({ session }) => ({ expires: session.expires }),
      redirect: ({ url }) => `${config.PUBLIC_URL}${safePath(url, config.PUBLIC_URL)}`,
    },
    events: {
      signOut: async ({ token }) => {
        const value = (token as { token?: unknown } | undefined)?.token;
        if (isToken(value)) await signOut(context, value);
      },
    },
    logger: {
      error: (code) => context.log.error({ code }, 'signing in failed in next-auth'),
      warn: () => undefined,
      debug: () => undefined,
    },
  };
}

/** next-auth passes the message of a thrown error to the form, so it contains only a code. */
function refuse({ log }: Context, error: unknown): never {
  if (!(error instanceof ServiceError)) log.error({ err: error }, 'signing in failed unexpectedly');
  throw new Error(error instanceof ServiceError ? error.code : 'internal_error', { cause: error });
}

/** The browser's former login ends and its cookie is replaced, so that an attacker who planted it gains nothing. */
async function signInAnew(context: Context, given: unknown, headers: Record<string, string>): Promise<SignedIn> {
  const former = await tokenOf(context, headers.cookie);
  const signedIn = await signInByForm(context, given, headers);
  if (former !== null) await signOut(context, former);
  return signedIn;
}

/** Throws ServiceError. */
async function signInByForm(context: Context, given: unknown, headers: Record<string, string>): Promise<SignedIn> {
  const read = form.safeParse(given);
  if (!read.success) throw new ServiceError('sign_in_failed');
  const { email, password, code, passkey } = read.data;
  const from = requestSource(headers['x-client-address'] ?? '', headers['user-agent']);
  const device = knownDevice(context.config, headers.cookie);
  const answer = passkey === '' ? null : readPasskey(passkey);
  if (email === '' && answer !== null && (await isForSignIn(context, answer)))
    return signInByPasskey(context, { answer, from, device });
  const first = email === '' ? null : await signInByPassword(context, { email, password, from, device });
  if (first && (first.isComplete || (code === '' && answer === null))) return first;
  const pending = first?.token ?? (await tokenOf(context, headers.cookie));
  if (pending === null) throw new ServiceError('not_signed_in');
  const proof = answer === null ? { code } : { passkey: answer };
  return completeSignIn(context, { token: pending, proof, from, device });
}

function readPasskey(text: string): PasskeyAnswer {
  try {
    const read = passkeyAnswer.safeParse(parseJson(text));
    if (read.success) return read.data;
  } catch (error) {
    if ((error as Error).name !== 'JsonError') throw error;
  }
  throw new ServiceError('sign_in_failed');
}
