'use client';
// Yes or no, and several of many: the system’s own control in the page’s colours.

import { useId, type ComponentProps, type ReactNode } from 'react';

type Props = Omit<ComponentProps<'input'>, 'className' | 'type' | 'id'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
};

export const Checkbox = (props: Props) => <Tick {...props} />;

function Tick({ label, hint, ...others }: Props) {
  const id = useId();
  return (
    <div className="flex gap-2.5 py-1 pointer-coarse:py-2.5">
      <input
        {...others}
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4 flex-none accent-accent pointer-coarse:size-5"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="block cursor-pointer">
          {label}
        </label>
        {hint && (
          <div id={`${id}-hint`} className="text-[0.8125rem] text-muted">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

/** A named group of check boxes or radio buttons. */
export function Choices({ label, hint, children }: { label: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-semibold">{label}</legend>
      {hint && <div className="mb-1 text-[0.8125rem] text-muted">{hint}</div>}
      {children}
    </fieldset>
  );
}
