// A store's mark: its logo, or the first letter of its name. Decoration only: the name stands beside it.

/** A picture from our own origin by its hash, and its own size in pixels. */
export type Logo = { readonly hash: string; readonly width: number; readonly height: number };

export function StoreMark({ name, logo }: { name: string; logo: Logo | null }) {
  // With its size, so that the layout does not shift when it loads.
  if (logo) return <img className="store-logo" src={`/logo/${logo.hash}`} {...shownSize(logo)} alt="" />;
  return (
    <span className="store-mark" aria-hidden="true">
      {[...name.trim()][0]}
    </span>
  );
}

/** Pixels: as high as a line with the store's name, and narrow enough that the name fits at 320 px. */
const HEIGHT = 32;
const MAX_WIDTH = 160;

function shownSize({ width, height }: Logo): { width: number; height: number } {
  const scale = Math.min(HEIGHT / height, MAX_WIDTH / width);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
