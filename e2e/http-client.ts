// The service without a browser: hand-written requests, and users signed in by the form's own requests. For properties
// of every page that need no rendering.

import { readFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { request as playwright, type APIRequestContext } from '@playwright/test';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SANDBOX_FILE = process.env.SANDBOX_JSON ?? path.join(ROOT, '.data/sandbox.json');
export const DATA_DIRECTORY = path.dirname(SANDBOX_FILE);

type Login = { readonly email: string; readonly password: string };
type Store = { readonly id: string; readonly name: string; readonly merchant_email: string };
export type Sandbox = {
  readonly operator: Login;
  readonly merchants: readonly [Login, Login];
  readonly stores: readonly [Store, Store];
};
export const sandbox = (): Sandbox => JSON.parse(readFileSync(SANDBOX_FILE, 'utf8')) as Sandbox;

/** Every page of the build by its Next name, such as /pay/[session_id]; other routes are left out. */
export function builtPages(): string[] {
  const file = path.join(ROOT, '.next/app-path-routes-manifest.json');
  const routes = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return Object.entries(routes).flatMap(([name, page]) =>
    name.endsWith('/page') && !page.startsWith('/_') ? [page] : [],
  );
}

/** A page's address with its parameters filled in. */
export const pageIn = (page: string, storeId: string): string =>
  page
    .replace('[store_id]', storeId)
    .replace('[environment]', 'test')
    .replaceAll(/\[\w+\]/g, 'x');

/** A client that sends only the cookies it received, and follows no redirect. */
export const stranger = (baseURL: string): Promise<APIRequestContext> =>
  playwright.newContext({ baseURL, maxRedirects: 0, extraHTTPHeaders: { 'accept-language': 'en' } });

/** A client with a signed-in user. */
export async function signedIn(baseURL: string, { email, password }: Login): Promise<APIRequestContext> {
  const person = await stranger(baseURL);
  const { csrfToken } = (await (await person.get('/api/auth/csrf')).json()) as { csrfToken: string };
  const answer = await person.post('/api/auth/callback/credentials', {
    headers: { origin: baseURL, 'sec-fetch-site': 'same-origin' },
    form: { csrfToken, email, password, json: 'true' },
  });
  if (answer.status() !== 200) throw new Error(`signing in as ${email}: ${answer.status()} ${await answer.text()}`);
  return person;
}

/** The Cookie header of a client's requests. */
export const cookieOf = async (person: APIRequestContext): Promise<string> =>
  (await person.storageState()).cookies.map(({ name, value }) => `${name}=${value}`).join('; ');

export type RawResponse = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

/** Sends a request with path and headers exactly as written. */
export function raw(
  baseURL: string,
  at: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<RawResponse> {
  const { hostname, port } = new URL(baseURL);
  return new Promise((resolve, reject) => {
    const sent = http.request({ hostname, port, path: at, method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}
