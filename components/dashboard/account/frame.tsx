// The page around sign-in and related forms: one card in the middle, the product above, the language below.

import type { ReactNode } from 'react';
import { DashboardLanguages } from '@/components/dashboard/languages';
import { ProductMark } from '@/components/ui/marks';
import { ThemeSwitch } from '@/components/ui/theme-switch';

export function AccountFrame({ product, children }: { product: string; children: ReactNode }) {
  return (
    <div className="dash grid min-h-dvh grid-rows-[auto_1fr_auto] gap-6 px-4 py-6">
      <header className="mx-auto w-full max-w-sm">
        <a
          href="/"
          className="inline-flex items-center gap-2.5 py-1 text-base font-bold tracking-tight text-ink no-underline"
        >
          <ProductMark />
          {product}
        </a>
      </header>
      <main id="content" className="mx-auto w-full max-w-sm sm:pt-[6vh]">
        {children}
      </main>
      <footer className="mx-auto flex w-full max-w-sm flex-wrap items-center justify-between gap-2">
        <DashboardLanguages />
        <ThemeSwitch isCompact />
      </footer>
    </div>
  );
}

type CardProps = {
  readonly title: string;
  readonly text?: ReactNode;
  readonly after?: ReactNode;
  readonly children?: ReactNode;
};

export function AccountCard({ title, text, after, children }: CardProps) {
  return (
    <>
      <section className="grid gap-5 rounded-2xl border border-line bg-surface p-6 shadow-card sm:p-8">
        <div className="grid gap-1.5">
          <h1 className="text-xl leading-tight font-bold tracking-tight">{title}</h1>
          {text && <div className="text-muted">{text}</div>}
        </div>
        {children}
      </section>
      {after && <div className="mt-4 text-center text-muted">{after}</div>}
    </>
  );
}
