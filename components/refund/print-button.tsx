'use client';
// Opens the browser's own printing. Hidden where scripts do not run: the browser's menu prints there as well.

export function PrintButton({ text }: { text: string }) {
  return (
    <button type="button" className="button-quiet needs-scripts" onClick={() => globalThis.print()}>
      {text}
    </button>
  );
}
