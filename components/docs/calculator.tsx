'use client';
// The signing calculator: the browser signs the typed values, and nothing leaves the page.

import { useEffect, useState, useSyncExternalStore } from 'react';
import { canSign, signInBrowser } from './sign';

export type CalculatorWords = Readonly<
  Record<'secret' | 'timestamp' | 'nonce' | 'body' | 'fresh' | 'signString' | 'signature' | 'unsafe' | 'stays', string>
>;
type Inputs = { readonly secret: string; readonly timestamp: string; readonly nonce: string; readonly body: string };

export function Calculator({ words, start }: { words: CalculatorWords; start: Inputs }) {
  const [inputs, setInputs] = useState(start);
  const [result, setResult] = useState<{ signString: string; signature: string } | null>(null);
  // The server cannot detect Web Crypto; without it a sentence replaces the buttons and the result.
  const unsafe = useSyncExternalStore(
    never,
    () => !canSign(),
    () => false,
  );

  useEffect(() => {
    if (unsafe) return;
    let isCurrent = true;
    void signInBrowser(inputs.secret, inputs).then((signed) => {
      if (isCurrent) setResult(signed);
    });
    return () => {
      isCurrent = false;
    };
  }, [inputs, unsafe]);

  const change = (field: keyof Inputs) => (event: { target: { value: string } }) =>
    setInputs({ ...inputs, [field]: event.target.value });
  const fresh = () =>
    setInputs({ ...inputs, timestamp: String(Math.floor(Date.now() / 1000)), nonce: crypto.randomUUID() });
  return (
    <form className="docs-form needs-scripts" onSubmit={(event) => event.preventDefault()}>
      {(['secret', 'timestamp', 'nonce'] as const).map((field) => (
        <label key={field}>
          {words[field]}
          <input value={inputs[field]} onChange={change(field)} autoComplete="off" spellCheck={false} />
        </label>
      ))}
      <label>
        {words.body}
        <textarea rows={4} value={inputs.body} onChange={change('body')} spellCheck={false} />
      </label>
      <button type="button" className="button-quiet" disabled={unsafe} onClick={fresh}>
        {words.fresh}
      </button>
      {unsafe ? (
        <p role="alert">{words.unsafe}</p>
      ) : (
        <dl className="docs-result" aria-live="polite">
          <dt>{words.signString}</dt>
          <dd>
            <code data-result="sign-string">{result?.signString}</code>
          </dd>
          <dt>{words.signature}</dt>
          <dd>
            <code data-result="signature">{result?.signature}</code>
          </dd>
        </dl>
      )}
      <p className="hint">{words.stays}</p>
    </form>
  );
}

/** Whether a browser can sign does not change while a page is open. */
const never = () => () => undefined;
