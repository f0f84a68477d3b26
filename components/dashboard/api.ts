// The dashboard's requests to the server: JSON to /api/dashboard, with its one error envelope as a value. No request is
// retried automatically: a lost one is reported, and the user decides.

export type Fault = {
  /** From the table of errors; `network` without a response. */
  readonly code: string;
  /** English, for codes that the catalogue has no sentence for. */
  readonly message: string;
  /** The field with the error. */
  readonly param: string | null;
  /** Seconds after which a retry makes sense, if the server says so. */
  readonly retryAfter?: number;
};

export type Answer<Value> = { readonly value: Value } | { readonly fault: Fault };

export type Send = <Value = unknown>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<Answer<Value>>;

/** Longer than any request takes. After this time the request counts as lost. */
const LONGEST_MILLISECONDS = 30_000;

/** One request; `path` is below /api/dashboard. Never throws. Components use useApi(), which also requests step-up. */
export const send: Send = async <Value>(method: string, path: string, body?: object): Promise<Answer<Value>> => {
  try {
    const response = await fetch(`/api/dashboard${path}`, {
      method,
      credentials: 'same-origin',
      signal: AbortSignal.timeout(LONGEST_MILLISECONDS),
      ...(method === 'GET'
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) }),
    });
    const read = (await response.json()) as unknown;
    return response.ok ? { value: read as Value } : { fault: { ...faultOf(read), ...retryAfterOf(response) } };
  } catch {
    // The connection broke, or the response did not come from the service.
    return { fault: { code: 'network', message: '', param: null } };
  }
};

/** The path as this page has it, so that signing in leads back to it. */
export function goToSignIn(): void {
  const here = `${window.location.pathname}${window.location.search}`;
  window.location.assign(`/login?callbackUrl=${encodeURIComponent(here)}`);
}

function faultOf(read: unknown): Fault {
  const { error } = (read ?? {}) as { error?: { code?: unknown; message?: unknown; param?: unknown } };
  return {
    code: typeof error?.code === 'string' ? error.code : 'internal_error',
    message: typeof error?.message === 'string' ? error.message : '',
    param: typeof error?.param === 'string' ? error.param : null,
  };
}

/** Whole seconds, as this service writes them; any other value is ignored. */
function retryAfterOf({ headers }: Response): Pick<Fault, 'retryAfter'> {
  const seconds = headers.get('Retry-After') ?? '';
  return /^[1-9]\d{0,8}$/.test(seconds) ? { retryAfter: Number(seconds) } : {};
}
