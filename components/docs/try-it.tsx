'use client';
// Sends one call of the reference, signed in the browser with the visitor's own test key, to this origin only.

import { useState } from 'react';
import { canSign, signInBrowser } from './sign';
import { canSignWith, useTestKeys } from '@/components/ui/test-keys';

export type TryWords = Readonly<
  Record<'send' | 'sending' | 'needsKey' | 'unsafe' | 'requestBody' | 'answer' | 'unreachable', string>
>;
type Call = {
  readonly method: string;
  readonly path: string;
  /** Names in the path and in the query. */
  readonly pathNames: readonly string[];
  readonly queryNames: readonly string[];
  /** Those of them that may stay empty. */
  readonly optional: readonly string[];
  /** The initial body; null for a call without one. */
  readonly body: string | null;
};
type Outcome = { readonly status: string; readonly text: string };

export function TryIt({ call, words }: { call: Call; words: TryWords }) {
  const keys = useTestKeys();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(call.body ?? '');
  const [outcome, setOutcome] = useState<Outcome | 'sending' | null>(null);
  const names = [...call.pathNames, ...call.queryNames];
  const isReady =
    canSignWith(keys) && names.every((name) => call.optional.includes(name) || (values[name] ?? '') !== '');

  const send = async () => {
    if (!canSign()) {
      setOutcome({ status: '', text: words.unsafe });
      return;
    }
    setOutcome('sending');
    setOutcome(await sendCall(call, { ...keys, values, body, unreachable: words.unreachable }));
  };
  return (
    <form
      className="docs-form needs-scripts"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {names.map((name) => (
        <label key={name}>
          {name}
          <input
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      ))}
      {call.body !== null && (
        <label>
          {words.requestBody}
          <textarea rows={8} value={body} onChange={(event) => setBody(event.target.value)} spellCheck={false} />
        </label>
      )}
      <button type="submit" className="button" disabled={!isReady || outcome === 'sending'}>
        {outcome === 'sending' ? words.sending : words.send}
      </button>
      {!canSignWith(keys) && <p className="hint">{words.needsKey}</p>}
      <div role="status" data-answer>
        {outcome !== null && outcome !== 'sending' && (
          <>
            <p className="label">{`${words.answer} ${outcome.status}`}</p>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <pre tabIndex={0} role="group" aria-label={words.answer}>
              <code>{outcome.text}</code>
            </pre>
          </>
        )}
      </div>
    </form>
  );
}

type Filled = {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
  readonly unreachable: string;
};

async function sendCall(call: Call, { apiKey, apiSecret, values, body, unreachable }: Filled): Promise<Outcome> {
  const filled = (name: string) => encodeURIComponent(values[name] ?? '');
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled(name));
  const given = call.queryNames.filter((name) => (values[name] ?? '') !== '');
  const query = given.map((name) => `${name}=${filled(name)}`).join('&');
  const sent = call.body === null ? '' : body;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = crypto.randomUUID();
  const { signature } = await signInBrowser(apiSecret, { timestamp, nonce, body: sent });
  try {
    const answer = await fetch(query === '' ? path : `${path}?${query}`, {
      method: call.method,
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${apiKey}`,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': signature,
      },
      ...(call.body === null ? {} : { body: sent }),
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
    });
    return { status: `${answer.status}`, text: indented(await answer.text()) };
  } catch (error) {
    // Browsers report a failed connection only by this error.
    if (error instanceof TypeError) return { status: '', text: unreachable };
    throw error;
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
