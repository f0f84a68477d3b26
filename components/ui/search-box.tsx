'use client';
// A search in the page's address: Enter sends it like any form, so that it works without scripts and can be shared.

import { useRouter, useSearchParams, usePathname } from 'next/navigation';
import { useRef, type FormEvent } from 'react';
import { IconButton } from './button';
import { Icon } from './icon';
import { useWords } from './words';

type Props = {
  /** The searched content, as the field's name and placeholder. */
  readonly label: string;
  readonly name?: string;
  /** Parameters of the address that a new search drops. */
  readonly forgets?: readonly string[];
};

export function SearchBox({ label, name = 'q', forgets = ['after', 'before'] }: Props) {
  const { t } = useWords();
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const field = useRef<HTMLInputElement>(null);
  const current = query.get(name) ?? '';
  const go = (text: string) => {
    const next = new URLSearchParams(query);
    for (const one of [name, ...forgets]) next.delete(one);
    if (text.trim() !== '') next.set(name, text.trim());
    router.push(next.size > 0 ? `${path}?${next}` : path);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(field.current?.value ?? '');
  };
  return (
    <form
      role="search"
      method="get"
      action={path}
      onSubmit={submit}
      className="relative min-w-0 flex-[1_1_12rem] sm:max-w-sm"
    >
      {[...query].map(([key, value]) =>
        key === name || forgets.includes(key) ? null : <input key={key} type="hidden" name={key} value={value} />,
      )}
      <Icon name="search" className="pointer-events-none absolute start-3 top-1/2 -translate-y-1/2 text-muted" />
      <input
        key={current}
        ref={field}
        type="search"
        name={name}
        aria-label={label}
        placeholder={label}
        defaultValue={current}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        className={`min-h-9 w-full appearance-none rounded-lg text-ellipsis border border-edge/50 bg-surface py-1.5 ps-9 shadow-card ${current === '' ? 'pe-3' : 'pe-9'} pointer-coarse:min-h-11 [&::-webkit-search-cancel-button]:hidden`}
      />
      {current !== '' && (
        <span className="needs-scripts absolute inset-y-0 end-0 grid place-items-center">
          <IconButton icon="close" label={t('uiClear')} onClick={() => go('')} />
        </span>
      )}
    </form>
  );
}
