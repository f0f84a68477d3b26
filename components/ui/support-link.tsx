// The shop's contact for customers: a mail link or a web link. The page's sentences say "contact the shop with the
// reference", so the message includes the reference.

import type { ReactNode } from 'react';

type Props = {
  /** An e-mail address or an https address. */
  readonly contact: string;
  readonly reference: string;
  readonly className?: string;
  /** The label of the link; the address itself by default. */
  readonly children?: ReactNode;
};

export function SupportLink({ contact, reference, className, children }: Props) {
  const isPage = contact.startsWith('https://');
  return (
    <a
      className={className}
      href={isPage ? contact : `mailto:${contact}?subject=${encodeURIComponent(reference)}`}
      {...(isPage ? { rel: 'noreferrer', target: '_blank' } : {})}
      {...(children ? {} : { dir: 'ltr', translate: 'no', 'data-support': '' })}
    >
      {children ?? (isPage ? new URL(contact).host : contact)}
    </a>
  );
}
