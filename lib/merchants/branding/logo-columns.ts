// A store's logo, colour and theme for pages, from columns that statements read along with other data. The logo is represented
// by its hash and size.

/** Columns of store_branding: all three or none. None where the store has no branding. */
export type LogoColumns = {
  readonly logo_hash: string | null;
  readonly logo_width: number | null;
  readonly logo_height: number | null;
};

/** The hash is its address below /logo. The size is in the picture's own pixels. */
export type LogoFacts = { readonly hash: string; readonly width: number; readonly height: number };

/** Null when there is none. */
export function logoOf(row: LogoColumns | null): LogoFacts | null {
  const { logo_hash: hash, logo_width: width, logo_height: height } = row ?? NONE;
  return hash === null || width === null || height === null ? null : { hash, width, height };
}

const NONE: LogoColumns = { logo_hash: null, logo_width: null, logo_height: null };

/** Columns of store_branding; null where the store has no branding. */
export type BrandColumns = { readonly brand_color: string | null; readonly theme: Brand['theme'] | null };

/** `brandColor`: `#rrggbb`, or null for the page's own. */
export type Brand = { readonly brandColor: string | null; readonly theme: 'auto' | 'light' | 'dark' };

export const brandOf = (row: BrandColumns | null): Brand => ({
  brandColor: row?.brand_color ?? null,
  theme: row?.theme ?? 'auto',
});
