'use client';
// Pastes the clipboard into a field. Hidden where the browser cannot read the clipboard, and without scripts.

import { useIsInBrowser } from '@/components/ui/is-in-browser';

type Props = {
  /** The id of the field. */
  readonly field: string;
  readonly text: string;
};

export function PasteButton({ field, text }: Props) {
  const isInBrowser = useIsInBrowser();
  if (!isInBrowser || !('clipboard' in navigator && 'readText' in navigator.clipboard)) return null;
  const paste = async () => {
    const input = document.getElementById(field) as HTMLInputElement;
    // If the browser denies clipboard access, the user pastes with the keyboard.
    const copied = await navigator.clipboard.readText().catch(() => null);
    if (copied !== null) input.value = copied.trim();
    input.focus();
  };
  return (
    <button type="button" className="button-quiet" aria-controls={field} onClick={() => void paste()}>
      {text}
    </button>
  );
}
