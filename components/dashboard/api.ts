// How the dashboard's pages ask the server to do something: JSON to /api/dashboard, and its one error envelope as a value.
// Nothing is sent twice by itself: what is lost on the way is said, and who asked decides.

export type Fault = {
  /** Of the table of errors; `network` when no answer came. */
  readonly code: string;
  /** English, for codes that the catalogue has no sentence for. */
  readonly message: string;
  /** The field at fault. */
  readonly param: string | null;
  /** Seconds after which trying again makes sense, where the server says so. */
  readonly retryAfter?: number;
};

export type Answer<Value> = { readonly value: Value } | { readonly fault: Fault };

export type Send = <Value = unknown>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<Answer<Value>>;

/** Longer than any request takes; then it counts as lost. */
const LONGEST_MILLISECONDS = 30_000;

/** One request; `path` below /api/dashboard. Never throws. Components use useApi(), which also asks for step-up. */
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
    // The connection broke, or what answered was not the service.
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

/** Whole seconds, as this service writes them; anything else is as good as nothing. */
function retryAfterOf({ headers }: Response): Pick<Fault, 'retryAfter'> {
  const said = headers.get('Retry-After') ?? '';
  return /^[1-9]\d{0,8}$/.test(said) ? { retryAfter: Number(said) } : {};
}
