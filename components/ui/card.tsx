// The building blocks of pages: the page's head, cards, lists of facts, notes, and empty states.

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import { Link } from './link';

type HeadProps = {
  readonly title: ReactNode;
  readonly text?: ReactNode;
  /** The parent page, as a link back. */
  readonly back?: { readonly href: string; readonly label: string } | undefined;
  readonly badge?: ReactNode;
  readonly actions?: ReactNode;
};

export function PageHead({ title, text, back, badge, actions }: HeadProps) {
  return (
    <header className="mb-5 grid gap-1.5">
      {back && (
        <Link
          href={back.href}
          className="inline-flex w-fit items-center gap-1 py-1 text-[0.8125rem] font-semibold text-accent no-underline hover:underline"
        >
          <Icon name="left" size={14} className="rtl:rotate-180" />
          {back.label}
        </Link>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="grid min-w-0 gap-1.5">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-2xl leading-tight font-bold tracking-tight wrap-anywhere">{title}</h1>
            {badge}
          </div>
          {text && <div className="max-w-prose text-muted">{text}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </header>
  );
}

type CardProps = {
  readonly title?: string | undefined;
  readonly text?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding around its content, for tables. */
  readonly isFlush?: boolean;
  readonly id?: string;
  readonly children?: ReactNode;
};

export function Card({ title, text, actions, isFlush, id, children }: CardProps) {
  return (
    <section id={id} className="rounded-xl border border-line bg-surface shadow-card">
      {(title ?? actions) && (
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4 sm:px-5">
          <div className="min-w-0">
            {title && <h2 className="text-base leading-6 font-bold">{title}</h2>}
            {text && <div className="mt-0.5 max-w-prose text-muted">{text}</div>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      {children && <div className={isFlush ? (title ? 'pt-3' : '') : 'p-4 sm:px-5'}>{children}</div>}
    </section>
  );
}

/** Names and values of one thing. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="m-0 grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(8rem,max-content)_minmax(0,1fr)] sm:gap-y-2.5">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="sm:contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

type EmptyProps = {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: ReactNode;
  readonly children?: ReactNode;
};

/** An empty state: what would be here, and how to create the first one. */
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <span className="mb-1 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent">
        <Icon name={icon} size={22} />
      </span>
      <h2 className="text-base font-bold">{title}</h2>
      {text && <div className="max-w-md text-muted">{text}</div>}
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

type NoteTone = 'info' | 'good' | 'warn' | 'bad';
const NOTES: Readonly<Record<NoteTone, readonly [string, IconName]>> = {
  info: ['bg-accent-soft text-accent', 'info'],
  good: ['bg-good-soft text-good', 'check'],
  warn: ['bg-warn-soft text-warn', 'warn'],
  bad: ['bg-bad-soft text-bad', 'warn'],
};

type NoteProps = {
  readonly tone?: NoteTone;
  readonly title?: string;
  readonly isAlert?: boolean;
  readonly children?: ReactNode;
};

/** Important information in advance. `isAlert`: announced at once by screen readers, for new errors. */
export function Note({ tone = 'info', title, isAlert, children }: NoteProps) {
  const [colours, icon] = NOTES[tone];
  return (
    <div role={isAlert ? 'alert' : undefined} className={`flex gap-2.5 rounded-lg px-3.5 py-2.5 ${colours}`}>
      <Icon name={icon} size={18} className="mt-px" />
      <div className="grid min-w-0 gap-0.5">
        {title && <p className="font-semibold">{title}</p>}
        {children && <div className="text-ink">{children}</div>}
      </div>
    </div>
  );
}
