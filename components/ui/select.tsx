'use client';
// Choices from a list. The short list is the system's own control. It is the best one on phones, works without scripts,
// and every keyboard and screen reader supports it.

import type { ComponentProps, ReactNode } from 'react';
import { controlClass, Field } from './field';
import { Icon } from './icon';

export type Option = { readonly value: string; readonly label: string };

type Props = Omit<ComponentProps<'select'>, 'name' | 'className' | 'id' | 'children'> & {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly options: readonly Option[];
};

export function Select({ name, label, hint, error, options, ...others }: Props) {
  return (
    <Field {...{ name, label, hint, error }}>
      {({ id, describedBy, isInvalid }) => (
        <span className="relative block">
          <select
            {...others}
            id={id}
            name={name}
            aria-describedby={describedBy}
            aria-invalid={isInvalid || undefined}
            className={`${controlClass} appearance-none pe-9 read-only:bg-field! read-only:text-ink!`}
          >
            {options.map((one) => (
              <option key={one.value} value={one.value}>
                {one.label}
              </option>
            ))}
          </select>
          <Icon name="down" className="pointer-events-none absolute end-3 top-1/2 -translate-y-1/2 text-muted" />
        </span>
      )}
    </Field>
  );
}

type BareProps = Omit<ComponentProps<'select'>, 'className' | 'children'> & {
  readonly label: string;
  readonly options: readonly Option[];
};

/** A small list whose label only screen readers get, for bars and rows. */
export function BareSelect({ label, options, ...others }: BareProps) {
  return (
    <span className="relative inline-block max-w-full min-w-0">
      <select
        aria-label={label}
        {...others}
        className="min-h-8 max-w-full text-ellipsis max-sm:w-full appearance-none rounded-lg border border-edge/50 bg-surface py-1 ps-2.5 pe-8 text-[0.8125rem] font-semibold shadow-card hover:bg-hover pointer-coarse:min-h-11"
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      <Icon
        name="down"
        size={14}
        className="pointer-events-none absolute end-2.5 top-1/2 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
