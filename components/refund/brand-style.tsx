// The store's colour and theme on its customer pages. Paper stays black on white.

import { headers } from 'next/headers';
import { NONCE_HEADER } from '@/lib/platform/http';
import type { Brand } from '@/lib/merchants/branding/logo-columns';
import { brandingStyle } from '@/lib/merchants/branding/branding-style';

export async function BrandStyle({ brand }: { brand: Brand }) {
  const style = brandingStyle(brand);
  if (style === null) return null;
  return (
    <style media="screen" nonce={(await headers()).get(NONCE_HEADER) ?? ''}>
      {style}
    </style>
  );
}
