'use client';
// The language of the code, chosen once for every sample: one choice changes the whole page, and a cookie keeps it for
// the next page. Without scripts each sample is switched on its own.

import { useEffect } from 'react';
import { pageCookieName } from '@/lib/platform/security/page-cookies';
import { YEAR_SECONDS } from '@/components/ui/use-theme';
import { isLanguageId } from './languages';

export function CodeChoice() {
  useEffect(() => {
    const changed = ({ target }: Event) => {
      if (target instanceof HTMLInputElement && target.matches('.docs-snippet > input')) choose(target);
    };
    document.addEventListener('change', changed);
    return () => document.removeEventListener('change', changed);
  }, []);
  return null;
}

function choose(chosen: HTMLInputElement): void {
  if (!isLanguageId(chosen.value)) return;
  const before = chosen.getBoundingClientRect().top;
  for (const one of document.querySelectorAll<HTMLInputElement>(`.docs-snippet > input[value="${chosen.value}"]`)) {
    one.checked = true;
  }
  // Samples above may have changed their height: keep the one in use at its place on the screen.
  window.scrollBy({ top: chosen.getBoundingClientRect().top - before, behavior: 'instant' });
  const isTls = window.location.protocol === 'https:';
  const secure = isTls ? '; Secure' : '';
  const name = pageCookieName('code', isTls);
  document.cookie = `${name}=${chosen.value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
}
