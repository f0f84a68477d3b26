'use client';
// The keypad of the till: digits fill the amount from its last digit, as on a cash register, so that no point is typed.
// The keyboard does the same as long as no field has the focus.

import { useEffect, useRef } from 'react';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';

/** `back` takes the last digit off, `clear` all of them. */
export type Key = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | '00' | 'back' | 'clear';

/** Digits that an amount may have: the largest price of a session has sixteen. */
const MAX_DIGITS = 15;

/** The digits after a key press, without leading zeros. */
export function pressed(digits: string, key: Key): string {
  if (key === 'clear') return '';
  if (key === 'back') return digits.slice(0, -1);
  const next = `${digits}${key}`.replace(/^0+/, '');
  return next.length > MAX_DIGITS ? digits : next;
}

const ROWS: readonly Key[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '0', 'back'];

type Props = {
  readonly onKey: (key: Key) => void;
  /** Enter. */
  readonly onCharge: () => void;
};

export function Keypad({ onKey, onCharge }: Props) {
  const { t } = useWords();
  useKeyboard({ onKey, onCharge });
  return (
    <div role="group" aria-label={t('tillKeypad')} dir="ltr" className="needs-scripts grid grid-cols-3 gap-2">
      {ROWS.map((key) => (
        <button
          key={key}
          type="button"
          aria-label={key === 'back' ? t('tillErase') : undefined}
          onClick={() => onKey(key)}
          className="grid min-h-16 touch-manipulation place-items-center rounded-xl border border-line bg-surface text-2xl font-semibold tabular-nums shadow-card select-none hover:bg-hover active:bg-accent-soft"
        >
          {key === 'back' ? <Icon name="erase" size={24} /> : key}
        </button>
      ))}
    </div>
  );
}

function useKeyboard({ onKey, onCharge }: Props): void {
  const latest = useRef({ onKey, onCharge });
  useEffect(() => {
    latest.current = { onKey, onCharge };
  });
  useEffect(() => {
    const onDown = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      // Typing in a field or a dialog is not meant for the keypad.
      if (event.ctrlKey || event.metaKey || event.altKey || target?.closest(ELSEWHERE)) return;
      if (event.key === 'Enter') {
        // On a button or a link, the key presses that element.
        if (!target?.closest('button, a')) latest.current.onCharge();
        return;
      }
      const key = keyOf(event.key);
      if (!key) return;
      event.preventDefault();
      latest.current.onKey(key);
    };
    window.addEventListener('keydown', onDown);
    return () => window.removeEventListener('keydown', onDown);
  }, []);
}

const ELSEWHERE = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]';

function keyOf(name: string): Key | null {
  if (/^\d$/.test(name)) return name as Key;
  if (name === 'Backspace') return 'back';
  return name === 'Delete' || name === 'Escape' ? 'clear' : null;
}
