'use client';
// The test key that a visitor types into the reference: held in the memory of this page alone, for all its calls, and gone
// with it.

import { createContext, useContext, useState, type ReactNode } from 'react';

type Keys = { readonly apiKey: string; readonly apiSecret: string };
const NONE: Keys = { apiKey: '', apiSecret: '' };
const KeysOfPage = createContext<Keys>(NONE);

export type KeyWords = Readonly<Record<'tryTitle' | 'tryIntro' | 'apiKey' | 'apiSecret' | 'onlyTest', string>>;

export const useKeys = (): Keys => useContext(KeysOfPage);

/** Whether both are of the test environment: live keys are not for trying things out. */
export const areTestKeys = ({ apiKey, apiSecret }: Keys): boolean =>
  apiKey.startsWith('ak_test_') && apiSecret.startsWith('as_test_');

/** The two fields, and the calls below them. */
export function KeyFields({ words, children }: { words: KeyWords; children: ReactNode }) {
  const [keys, setKeys] = useState(NONE);
  const change = (field: keyof Keys) => (event: { target: { value: string } }) =>
    setKeys({ ...keys, [field]: event.target.value.trim() });
  const isWrong = (keys.apiKey !== '' || keys.apiSecret !== '') && !areTestKeys(keys);
  return (
    <KeysOfPage value={keys}>
      <form className="docs-form needs-scripts" onSubmit={(event) => event.preventDefault()} autoComplete="off">
        <h2>{words.tryTitle}</h2>
        <p>{words.tryIntro}</p>
        <label>
          {words.apiKey}
          <input value={keys.apiKey} onChange={change('apiKey')} autoComplete="off" spellCheck={false} />
        </label>
        <label>
          {words.apiSecret}
          <input
            type="password"
            value={keys.apiSecret}
            onChange={change('apiSecret')}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <p role="status">{isWrong ? words.onlyTest : ''}</p>
      </form>
      {children}
    </KeysOfPage>
  );
}
