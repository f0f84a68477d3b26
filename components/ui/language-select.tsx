'use client';
// The list of languages, which takes a choice at once. The payment page's own script does the same there.

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
      onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
    >
      {children}
    </select>
  );
}
