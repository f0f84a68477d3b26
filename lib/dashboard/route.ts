// The shape of a dashboard's request: who may make it, what it carries, and what answers it. The table (routes.ts) is made of
// these, and so is the test of every route for every role.

import type { z } from 'zod';
import type { From } from '@/lib/merchants/accounts/from';
import type { Context } from '@/lib/platform/context';
import { LARGEST_BODY } from '@/lib/platform/http';
import { isAboutStore, needsStepUp } from '@/lib/merchants/members/roles';
import type { Access, Actor } from './authorize';

/** The largest body of any request here, in bytes: a logo of 64 kB as base64 in JSON (lib/merchants/branding/logo). */
export const LARGEST_UPLOAD = 96 * 1024;

export type Method = 'GET' | 'POST' | 'PATCH';

/** What a handler is given. `params`: of the path, decoded. `body`: as the schema reads it; fields it does not name are gone. */
export type Call<Body = unknown, Who = Actor> = {
  readonly context: Context;
  readonly actor: Who;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly from: From;
};

/** A value that is answered as JSON with status 200, or a whole response, such as an export. */
export type Handled = object | Response;

export type DashboardRoute = {
  readonly method: Method;
  readonly path: string;
  /** `anyone` needs no login; the handler then knows none. */
  readonly access: Access | 'anyone';
  /** Whether the permission is asked for in the store that the path names. */
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
  /** For accounts' own requests; permissions say it in their table. */
  readonly stepUp?: boolean;
  readonly body?: Schema;
  /** Bytes; as everywhere unless given. At most LARGEST_UPLOAD. */
  readonly largestBody?: number;
  readonly handle: (call: Call<Schema extends z.ZodType ? z.output<Schema> : null, Who>) => Promise<Handled>;
};

/** A row of the table, for somebody who is signed in. */
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

/** A row of the table for everybody: signing up, links of mails. */
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
