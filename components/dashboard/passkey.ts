// A passkey asked of the browser. The library is loaded when somebody first uses one.

import type { Send } from './api';

type AskOptions = Parameters<typeof import('@simplewebauthn/browser').startAuthentication>[0]['optionsJSON'];

/** The browser's answer to a question of the server; null when there was none: dismissed, timed out, or refused. */
export async function askPasskey(send: Send, from = '/passkeys/prove/options'): Promise<object | null> {
  const asked = await send<AskOptions>('POST', from);
  if ('fault' in asked) return null;
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    return await startAuthentication({ optionsJSON: asked.value });
  } catch {
    // All that browsers throw here means that no passkey was shown.
    return null;
  }
}
