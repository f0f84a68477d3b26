'use client';
// The form for the reader's test keys, which fill the samples and sign the calls of the reference.

import { useState } from 'react';
import {
  forgetTestKeys,
  isTestKey,
  keepTestKeys,
  NO_KEYS,
  useTestKeys,
  type TestKeys,
} from '@/components/ui/test-keys';

export type KeyWords = Readonly<
  Record<'tryTitle' | 'tryIntro' | 'apiKey' | 'apiSecret' | 'onlyTest' | 'forget', string>
>;

const FIELDS = ['apiKey', 'apiSecret'] as const;

/** The form of the reference. */
export function KeyFields({ words }: { words: KeyWords }) {
  return (
    <form className="docs-form needs-scripts" onSubmit={(event) => event.preventDefault()} autoComplete="off">
      <h2>{words.tryTitle}</h2>
      <p>{words.tryIntro}</p>
      <Fields words={words} />
    </form>
  );
}

/** The same, folded below a sample that has places for keys. */
export function SampleKeys({ title, words }: { title: string; words: KeyWords }) {
  return (
    <details className="docs-keys needs-scripts">
      <summary>{title}</summary>
      <form className="docs-form" onSubmit={(event) => event.preventDefault()} autoComplete="off">
        <p>{words.tryIntro}</p>
        <Fields words={words} />
      </form>
    </details>
  );
}

/** Text that is not a test key stays in its field and is not stored. */
function Fields({ words }: { words: KeyWords }) {
  const kept = useTestKeys();
  const [typed, setTyped] = useState<Partial<TestKeys>>({});
  const shown = { ...kept, ...typed };
  const change = (field: keyof TestKeys) => (event: { target: { value: string } }) => {
    const text = event.target.value.trim();
    setTyped({ ...typed, [field]: isTestKey(field, text) ? undefined : text });
    keepTestKeys({ ...kept, [field]: text });
  };
  const forget = () => {
    setTyped({});
    forgetTestKeys();
  };
  return (
    <>
      {FIELDS.map((field) => (
        <label key={field}>
          {words[field]}
          <input
            type={field === 'apiKey' ? 'text' : 'password'}
            value={shown[field] ?? kept[field]}
            onChange={change(field)}
            aria-invalid={!isTestKey(field, shown[field] ?? '')}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      ))}
      <p role="status">{FIELDS.some((field) => !isTestKey(field, shown[field] ?? '')) ? words.onlyTest : ''}</p>
      {Object.values({ ...NO_KEYS, ...kept }).some((text) => text !== '') && (
        <button type="button" className="button-quiet" onClick={forget}>
          {words.forget}
        </button>
      )}
    </>
  );
}
