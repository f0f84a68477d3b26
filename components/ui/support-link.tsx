// Where a customer finds the people of the shop: a link to write to, or to open. The page's sentences say "contact the shop
// with the reference", so the reference is put into the message.

import type { ReactNode } from 'react';

type Props = {
  /** An e-mail address or an https address. */
  readonly contact: string;
  readonly reference: string;
  readonly className?: string;
  /** What the link says; the address itself where nothing is given. */
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
