// What a store's look is to the parts of the page: the logo's address and its size on the screen.

import type { Logo } from '@/components/ui/store-mark';
import type { LookFacts } from '@/lib/sessions/checkout-facts';

/** Pixels: as high as a line with the store's name, and never so wide that the name has no room at 320 px. */
const HEIGHT = 32;
const MOST_WIDTH = 160;

/** The logo as it is shown, or null when the store has none. */
export function logoOf(look: LookFacts | null): Logo | null {
  if (!look?.logo_hash || !look.logo_width || !look.logo_height) return null;
  const scale = Math.min(HEIGHT / look.logo_height, MOST_WIDTH / look.logo_width);
  return {
    address: `/logo/${look.logo_hash}`,
    width: Math.max(1, Math.round(look.logo_width * scale)),
    height: Math.max(1, Math.round(look.logo_height * scale)),
  };
}
