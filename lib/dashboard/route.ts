// The shape of a dashboard request: its access rule, its body and its handler. The table (routes.ts) consists of these, and so
// does the test of every route for every role.

import type { z } from 'zod';
import type { RequestSource } from '@/lib/merchants/accounts/request-source';
import type { Context } from '@/lib/platform/context';
import { LARGEST_BODY } from '@/lib/platform/http';
import { isAboutStore, needsStepUp } from '@/lib/merchants/members/roles';
import type { Access, Actor } from './authorize';

/** The largest request body here, in bytes: a logo of 64 kB as base64 in JSON (lib/merchants/branding/logo). */
export const LARGEST_UPLOAD = 96 * 1024;

type Method = 'GET' | 'POST' | 'PATCH';

/** The input of a handler. `params`: of the path, decoded. `body`: as the schema parses it, without unknown fields. */
export type Call<Body = unknown, Who = Actor> = {
  readonly context: Context;
  readonly actor: Who;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly from: RequestSource;
};

/** A value to answer as JSON with status 200, or a whole response, such as an export. */
type Handled = object | Response;

export type DashboardRoute = {
  readonly method: Method;
  readonly path: string;
  /** `anyone` needs no login; the handler then has no user. */
  readonly access: Access | 'anyone';
  /** Whether the permission is checked in the store that the path names. */
  readonly isInStore: boolean;
  readonly stepUp: boolean;
  readonly body: z.ZodType | null;
  /** Bytes. */
  readonly largestBody: number;
  readonly handle: (call: Call<never, never>) => Promise<Handled>;
};

type Given<A, Schema extends z.ZodType | null, Who> = {
  readonly method: Method;
  /** Below /api/dashboard. */
  readonly path: string;
  readonly access: A;
  /** For requests of accounts. Permissions define it in their table. */
  readonly stepUp?: boolean;
  readonly body?: Schema;
  /** Bytes, at most LARGEST_UPLOAD. Defaults to the general limit. */
  readonly largestBody?: number;
  readonly handle: (call: Call<Schema extends z.ZodType ? z.output<Schema> : null, Who>) => Promise<Handled>;
};

/** A row of the table, for signed-in users. */
export const route = <Schema extends z.ZodType | null = null>(given: Given<Access, Schema, Actor>): DashboardRoute => {
  const { access, method } = given;
  const isPermission = access !== 'account' && access !== 'pending';
  return {
    method,
    path: `/api/dashboard${given.path}`,
    access,
    isInStore: isPermission && isAboutStore(access) && given.path.includes('{store_id}'),
    stepUp: given.stepUp ?? (isPermission && needsStepUp(access)),
    body: given.body ?? null,
    largestBody: given.largestBody ?? LARGEST_BODY,
    handle: given.handle,
  };
};

/** A row of the table that is open to everyone: signing up, links of mails. */
export const openRoute = <Schema extends z.ZodType | null = null>(
  given: Omit<Given<'anyone', Schema, null>, 'access' | 'stepUp' | 'largestBody'>,
): DashboardRoute => ({
  method: given.method,
  path: `/api/dashboard${given.path}`,
  access: 'anyone',
  isInStore: false,
  stepUp: false,
  body: given.body ?? null,
  largestBody: LARGEST_BODY,
  handle: given.handle,
});
