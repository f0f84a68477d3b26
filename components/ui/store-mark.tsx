// A store's own mark: its logo, or the first letter of its name. Decoration only: the name stands beside it.

/** A picture from our own origin, and its size in pixels, so that the page does not move when it arrives. */
export type Logo = { readonly address: string; readonly width: number; readonly height: number };

export function StoreMark({ name, logo }: { name: string; logo: Logo | null }) {
  if (logo) {
    return <img className="store-logo" src={logo.address} width={logo.width} height={logo.height} alt="" />;
  }
  return (
    <span className="store-mark" aria-hidden="true">
      {[...name.trim()][0]}
    </span>
  );
}
