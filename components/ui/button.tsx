// Buttons, and links with the same style. While its action is pending a button keeps the focus, says that it is busy
// and ignores further presses.

import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import { Link } from './link';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';
type Size = 'normal' | 'small';

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-fill text-fill-ink border-transparent hover:brightness-110 shadow-card',
  secondary: 'bg-surface text-ink border-edge/50 hover:bg-hover hover:border-edge shadow-card',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-hover',
  danger: 'bg-bad text-bad-ink border-transparent hover:brightness-110 shadow-card',
};
const SIZES: Readonly<Record<Size, string>> = {
  normal: 'min-h-9 px-3.5 py-1.5',
  small: 'min-h-8 px-2.5 py-1 text-[0.8125rem] whitespace-nowrap',
};

/** The style of a button, for elements that cannot be a `Button`. */
export const buttonClass = (kind: ButtonKind = 'secondary', size: Size = 'normal'): string =>
  'inline-flex items-center justify-center gap-1.5 rounded-lg border font-semibold no-underline text-center wrap-break-word ' +
  'transition-[background-color,filter,border-color] pointer-coarse:min-h-11 ' +
  'aria-disabled:opacity-60 disabled:border-transparent disabled:bg-hover disabled:text-muted disabled:shadow-none disabled:filter-none ' +
  `${KINDS[kind]} ${SIZES[size]}`;

type Style = {
  readonly kind?: ButtonKind | undefined;
  readonly size?: Size | undefined;
  readonly icon?: IconName | undefined;
};

type ButtonProps = Style &
  Omit<ComponentProps<'button'>, 'className'> & {
    readonly isPending?: boolean | undefined;
    readonly isWide?: boolean | undefined;
  };

export function Button({ kind, size, icon, isPending = false, isWide, children, onClick, ...others }: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (isPending) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...others}
      {...(onClick || isPending ? { onClick: press } : {})}
      aria-disabled={isPending || undefined}
      aria-busy={isPending || undefined}
      className={`${buttonClass(kind, size)} ${isWide ? 'w-full' : ''}`}
    >
      {isPending ? <Spinner /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type ButtonLinkProps = Style & {
  readonly href: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
  readonly download?: boolean;
  readonly opensTab?: boolean;
};

/** A link that looks like a button; `download` for files; `opensTab` for pages outside the dashboard. */
export function ButtonLink({ kind, size, icon, href, isWide, download, opensTab, children }: ButtonLinkProps) {
  const className = `${buttonClass(kind, size)} ${isWide ? 'w-full' : ''}`;
  const inside = (
    <>
      {icon && <Icon name={icon} />}
      {children}
    </>
  );
  return download ? (
    <a href={href} className={className} download>
      {inside}
    </a>
  ) : (
    <Link href={href} className={className} {...(opensTab ? { target: '_blank' } : {})}>
      {inside}
    </Link>
  );
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children'> & {
  readonly icon: IconName;
  /** What it does: the icon alone says nothing to a screen reader. */
  readonly label: string;
};

export function IconButton({ icon, label, ...others }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...others}
      className="inline-grid size-9 flex-none place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
    >
      <Icon name={icon} size={18} />
    </button>
  );
}

function Spinner() {
  return (
    <svg width="16" height="16" viewBox="0 0 24 24" aria-hidden="true" className="flex-none animate-spin">
      <circle cx="12" cy="12" r="9" fill="none" stroke="currentColor" strokeWidth="3" strokeOpacity="0.3" />
      <path d="M21 12a9 9 0 0 0-9-9" fill="none" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}
