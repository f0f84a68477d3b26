// Requests a passkey from the browser. The library is loaded at the first use.

import type { Answer, Send } from './api';

type PasskeyRequest = Parameters<typeof import('@simplewebauthn/browser').startAuthentication>[0]['optionsJSON'];

/** The browser's response to a challenge of the server; null if dismissed, timed out or refused. */
export async function requestPasskey(send: Send, from = '/passkeys/prove/options'): Promise<object | null> {
  const options = await send<PasskeyRequest>('POST', from);
  return 'fault' in options ? null : show(options.value);
}

/** The passkey's signature of what an operator approves. `none`: the text for a missing passkey. */
export async function signApproval(
  send: (path: string, body: object) => Promise<Answer<PasskeyRequest>>,
  { path, digest, none }: { readonly path: string; readonly digest: string; readonly none: string },
): Promise<Answer<object>> {
  const options = await send(`${path}/options`, { digest });
  if ('fault' in options) return options;
  const passkey = await show(options.value);
  return passkey ? { value: passkey } : { fault: { code: 'no_passkey', message: none, param: null } };
}

async function show(optionsJSON: PasskeyRequest): Promise<object | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    return await startAuthentication({ optionsJSON });
  } catch {
    // Every exception of the browser means that no passkey was used.
    return null;
  }
}
