'use client';
// Puts what was copied into a field. There is no button where the browser has no way to read what was copied, nor without scripts.

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
    // A browser that is not allowed to read it leaves the field to the keyboard.
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
