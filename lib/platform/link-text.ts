// Whether a merchant's text could carry a link into a mail of this service.

/** Text that mail programs turn into a link: an address with a scheme, or a domain, also within an e-mail address. */
const LINK = /\/\/|\bwww\.|\b(?:https?|ftp|mailto|tel|sms|data|javascript):|[\p{L}\p{N}-](?:\.\p{L}{2,}|。[a-z]{2,})/iu;

/** Whether a mail program or a reader could take the text for a link. */
export const looksLikeLink = (text: string): boolean => LINK.test(text.normalize('NFKC'));
