'use client';
// One choice of many, found by typing a part of it. The form sends the value, one of the options, under its name.

import * as Ariakit from '@ariakit/react';
import { useMemo, useState, type ReactNode } from 'react';
import { controlClass, Field } from './field';
import { useIsInBrowser } from './is-in-browser';
import type { Option } from './select';
import { useWords } from './words';

type Props = {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly options: readonly Option[];
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
};

/** More matches than users read. */
const MAX_SHOWN = 50;

export function Combobox({ name, label, hint, error, options, defaultValue = '', onChange }: Props) {
  const { t } = useWords();
  const isInBrowser = useIsInBrowser();
  const [chosen, setChosen] = useState(defaultValue);
  const labelOf = (value: string) => options.find((one) => one.value === value)?.label ?? '';
  const [typed, setTyped] = useState(labelOf(defaultValue));
  const matches = useMemo(() => {
    const wanted = typed.trim().toLocaleLowerCase();
    const isChosen = options.some((one) => one.value === chosen && one.label === typed);
    if (wanted === '' || isChosen) return options.slice(0, MAX_SHOWN);
    return options
      .filter((one) => `${one.label} ${one.value}`.toLocaleLowerCase().includes(wanted))
      .slice(0, MAX_SHOWN);
  }, [chosen, options, typed]);
  const choose = (value: string) => {
    setChosen(value);
    onChange?.(value);
  };
  return (
    <Field {...{ name, label, hint, error }}>
      {({ id, describedBy, isInvalid }) => (
        <Ariakit.ComboboxProvider
          value={typed}
          setValue={setTyped}
          selectedValue={chosen}
          setSelectedValue={choose}
          setOpen={(isOpen) => {
            // Text that was typed but not chosen is reset to the current choice.
            if (!isOpen) setTyped(labelOf(chosen));
          }}
        >
          <Ariakit.Combobox
            id={id}
            autoSelect
            // Text that is typed before hydration would be lost.
            readOnly={!isInBrowser}
            aria-describedby={describedBy}
            aria-invalid={isInvalid || undefined}
            className={controlClass}
          />
          <input type="hidden" name={name} value={chosen} />
          <Ariakit.ComboboxPopover
            unmountOnHide
            portal
            sameWidth
            gutter={4}
            className="dash z-50 max-h-72 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 text-ink shadow-pop"
          >
            {matches.map((one) => (
              <Ariakit.ComboboxItem
                key={one.value}
                value={one.value}
                setValueOnClick={() => {
                  setTyped(one.label);
                  return false;
                }}
                className="cursor-pointer rounded-lg px-2.5 py-2 data-active-item:bg-hover pointer-coarse:py-2.5"
              >
                {one.label}
              </Ariakit.ComboboxItem>
            ))}
            {matches.length === 0 && <p className="px-2.5 py-2 text-muted">{t('uiNoMatch')}</p>}
          </Ariakit.ComboboxPopover>
        </Ariakit.ComboboxProvider>
      )}
    </Field>
  );
}
