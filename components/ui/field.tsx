'use client';
// A form's fields: a label, a hint and the error of that name, linked so that a screen reader announces all three.
// Fields use browser validation, but show errors themselves instead of the browser's bubble.

import { createContext, useContext, useId, useState, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import { Icon } from './icon';
import { useWords } from './words';

/** The errors by field name. Provided by the form (components/dashboard/action-form.tsx). */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({});

type Labelled = {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** Overrides the form's error for this name. */
  readonly error?: string | undefined;
  /** Marks the field as optional beside the label. */
  readonly isOptional?: boolean | undefined;
};

type Wiring = { readonly id: string; readonly describedBy: string | undefined; readonly isInvalid: boolean };
type FieldProps = Labelled & { readonly corner?: ReactNode; readonly children: (wiring: Wiring) => ReactNode };

/** Label, control, hint and error; `children` renders the control with the attributes that link it to them. */
export function Field({ name, label, hint, error, isOptional, corner, children }: FieldProps) {
  const id = useId();
  const { t } = useWords();
  const ofForm = useContext(FieldErrors)[name];
  const [ofBrowser, setOfBrowser] = useState<string>();
  const wrong = error ?? ofBrowser ?? ofForm;
  const describedBy = [hint && `${id}-hint`, wrong && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div
      className="grid content-start gap-1.5"
      onInvalidCapture={(event) => setOfBrowser(invalidMessage(event, t('uiFillIn')))}
      onChange={() => setOfBrowser(undefined)}
    >
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="font-semibold">
          {/* The space keeps the Arabic letters of the two from joining. */}
          {label}
          {isOptional && ' '}
          {isOptional && <span className="ms-0.5 font-normal text-muted">{t('uiOptional')}</span>}
        </label>
        {corner}
      </div>
      {children({ id, describedBy, isInvalid: wrong !== undefined })}
      {hint && (
        <div id={`${id}-hint`} className="text-[0.8125rem] text-muted">
          {hint}
        </div>
      )}
      {wrong !== undefined && (
        <p id={`${id}-error`} className="flex gap-1.5 text-[0.8125rem] font-semibold text-bad">
          <Icon name="warn" className="mt-0.5" />
          <span>{wrong}</span>
        </p>
      )}
    </div>
  );
}

/** Replaces the bubble, which would also focus the first invalid control. */
function invalidMessage(event: FormEvent, fillIn: string): string | undefined {
  const control = event.target;
  if (!isControl(control)) return undefined;
  event.preventDefault();
  if (control.form?.querySelector(':is(input, select, textarea):invalid') === control) control.focus();
  return control.validity.valueMissing ? fillIn : control.validationMessage;
}

const isControl = (node: EventTarget): node is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement =>
  node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;

export const controlClass =
  'w-full min-w-0 min-h-9 rounded-lg border border-edge/70 bg-field px-3 py-1.5 text-ink shadow-card ' +
  'hover:border-edge read-only:bg-ground read-only:text-muted read-only:shadow-none focus-visible:outline-2 focus-visible:-outline-offset-1 aria-invalid:border-bad pointer-coarse:min-h-11';

type InputProps = Labelled &
  Omit<ComponentProps<'input'>, 'name' | 'className' | 'id'> & {
    readonly corner?: ReactNode;
    readonly isMono?: boolean | undefined;
  };

export function TextInput({ name, label, hint, error, isOptional, corner, isMono, ...others }: InputProps) {
  return (
    <Field {...{ name, label, hint, error, isOptional, corner }}>
      {({ id, describedBy, isInvalid }) => (
        <input
          type="text"
          // An address, key or code reads from left to right in every language.
          dir={isMono ? 'ltr' : undefined}
          {...others}
          id={id}
          name={name}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          className={`${controlClass} ${isMono ? 'font-mono' : ''}`}
        />
      )}
    </Field>
  );
}

/** A password that can be revealed. `autoComplete`: `current-password` or `new-password`, for password managers. */
export function PasswordInput({ name, label, hint, error, corner, ...others }: Omit<InputProps, 'type' | 'isMono'>) {
  const [isShown, setIsShown] = useState(false);
  const { t } = useWords();
  return (
    <Field {...{ name, label, hint, error, corner }}>
      {({ id, describedBy, isInvalid }) => (
        <span className="relative block">
          <input
            maxLength={1024}
            spellCheck={false}
            autoCapitalize="none"
            {...others}
            type={isShown ? 'text' : 'password'}
            id={id}
            name={name}
            aria-describedby={describedBy}
            aria-invalid={isInvalid || undefined}
            className={`${controlClass} pe-11`}
          />
          <button
            type="button"
            aria-label={isShown ? t('uiHidePassword') : t('uiShowPassword')}
            aria-pressed={isShown}
            onClick={() => setIsShown(!isShown)}
            className="needs-scripts absolute inset-y-0 end-0 grid w-10 place-items-center rounded-e-lg text-muted hover:text-ink"
          >
            <Icon name={isShown ? 'eyeOff' : 'eye'} />
          </button>
        </span>
      )}
    </Field>
  );
}

type TextAreaProps = Labelled & Omit<ComponentProps<'textarea'>, 'name' | 'className' | 'id'>;

export function TextArea({ name, label, hint, error, isOptional, ...others }: TextAreaProps) {
  return (
    <Field {...{ name, label, hint, error, isOptional }}>
      {({ id, describedBy, isInvalid }) => (
        <textarea
          rows={4}
          {...others}
          id={id}
          name={name}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          className={`${controlClass} resize-y`}
        />
      )}
    </Field>
  );
}
