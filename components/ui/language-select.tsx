'use client';
// The list of languages. A choice applies at once, except with the keyboard: there each arrow key is a choice (WCAG
// 3.2.2), and the button beside it applies it. The payment page's own script does the same.

import { useEffect, useRef, type ReactNode } from 'react';

type Props = {
  readonly name: string;
  readonly chosen: string;
  readonly label: string;
  /** The options. */
  readonly children: ReactNode;
};

export function LanguageSelect({ name, chosen, label, children }: Props) {
  const select = useRef<HTMLSelectElement>(null);
  const isByKeys = useRef(false);
  useEffect(() => {
    // A choice made before this script ran.
    if (select.current && select.current.value !== chosen) select.current.form?.requestSubmit();
  }, [chosen]);
  return (
    <select
      ref={select}
      name={name}
      defaultValue={chosen}
      aria-label={label}
      autoComplete="off"
      onPointerDown={() => (isByKeys.current = false)}
      onKeyDown={({ key }) => (isByKeys.current ||= key !== 'Tab')}
      onChange={({ currentTarget }) => isByKeys.current || currentTarget.form?.requestSubmit()}
    >
      {children}
    </select>
  );
}
