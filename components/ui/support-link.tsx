// Where a customer finds the people of the shop: a link to write to, or to open. The page's sentences say "contact the shop
// with the reference", so the reference is put into the message.

type Props = {
  /** An e-mail address or an https address. */
  readonly contact: string;
  readonly reference: string;
};

export function SupportLink({ contact, reference }: Props) {
  const isPage = contact.startsWith('https://');
  return (
    <a
      href={isPage ? contact : `mailto:${contact}?subject=${encodeURIComponent(reference)}`}
      {...(isPage ? { rel: 'noreferrer', target: '_blank' } : {})}
      dir="ltr"
      translate="no"
      data-support=""
    >
      {isPage ? new URL(contact).host : contact}
    </a>
  );
}
