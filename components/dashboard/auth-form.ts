// The requests to next-auth: a form with the token that it requires. Returns the address to go to, or the error code.

export type AuthAnswer = { readonly url: string } | { readonly code: string };

/** Longer than any request takes. After this time the request counts as lost. */
const LONGEST_MILLISECONDS = 30_000;

/** Never throws. */
export async function postForm(path: string, fields: Readonly<Record<string, string>>): Promise<AuthAnswer> {
  try {
    const signal = AbortSignal.timeout(LONGEST_MILLISECONDS);
    const { csrfToken } = (await (await fetch('/api/auth/csrf', { signal })).json()) as { csrfToken: string };
    const response = await fetch(path, {
      method: 'POST',
      signal,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
    });
    const answer = (await response.json()) as { url?: string; error?: string | { code?: string } | null };
    if (response.ok && answer.url !== undefined && !answer.error) return { url: answer.url };
    const code = typeof answer.error === 'string' ? answer.error : answer.error?.code;
    return { code: code ?? 'internal_error' };
  } catch {
    // No response, or none from the service.
    return { code: 'network' };
  }
}
