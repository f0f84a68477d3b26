'use client';
// Opens the browser's print dialog. Hidden without scripts: the browser's menu prints as well.

export function PrintButton({ text }: { text: string }) {
  return (
    <button type="button" className="button-quiet needs-scripts" onClick={() => globalThis.print()}>
      {text}
    </button>
  );
}
