// The texts of mails in the reader's language: plain text from messages/dashboard, keys `mail…Subject` and `mail…Body`.

import { createTranslator } from 'next-intl';
import { isDashboardLocale, type DashboardLocale } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS } from '@/lib/i18n/locales';
import ar from '@/messages/dashboard/ar.json';
import en from '@/messages/dashboard/en.json';
import es from '@/messages/dashboard/es.json';
import id from '@/messages/dashboard/id.json';
import pt from '@/messages/dashboard/pt.json';
import ru from '@/messages/dashboard/ru.json';
import tr from '@/messages/dashboard/tr.json';
import vi from '@/messages/dashboard/vi.json';
import zh from '@/messages/dashboard/zh.json';
import zhHant from '@/messages/dashboard/zh-Hant.json';

type Link = { readonly link: string };
type Stored = { readonly store: string };
/** `more`: how many others there are; `settings`: where readers choose their mails. */
type Notice = Link & Stored & { readonly more: string; readonly settings: string };
type AddressNotice = Link &
  Stored & {
    readonly refund: string;
    readonly amount: string;
    readonly network: string;
    readonly address: string;
    /** The earliest time at which it is sent. */
    readonly time: string;
  };

type PayoutAddressNews = Stored & {
  /** `live` or `test`. */
  readonly environment: string;
  readonly network: string;
  readonly address: string;
  /** The store's page of payout addresses. */
  readonly page: string;
};

/** The kinds of mails, and the values of each. */
export type MailValues = {
  readonly Confirm: Link;
  readonly Exists: Link;
  readonly Reset: Link;
  readonly PasswordChanged: Link;
  readonly ChangeEmail: Link;
  readonly EmailChangeAsked: Link & { readonly email: string };
  readonly EmailChanged: { readonly email: string };
  readonly FactorsChanged: Link;
  readonly NewSignIn: Link & { readonly address: string; readonly device: string };
  readonly KeyCreated: Link & Stored & { readonly key: string; readonly creator: string };
  readonly KeyRequiresV2: Link & Stored & { readonly key: string; readonly creator: string };
  readonly KeyAllowsV1: Link & Stored & { readonly key: string; readonly creator: string };
  /** A member lost the role under which they created these keys. */
  readonly KeysKept: Link & Stored & { readonly keys: string; readonly member: string };
  /** Sent to the owners before and after the change. `is`: whether the member gained or lost that role. */
  readonly OwnersChanged: Link &
    Stored & { readonly is: 'owner' | 'no_owner'; readonly member: string; readonly actor: string };
  readonly OperatorMade: Link & { readonly email: string; readonly actor: string };
  readonly OperatorGone: Link & { readonly email: string; readonly actor: string };
  /** To the operator whose sign-in the server’s administrator has reset. */
  readonly OperatorReset: { readonly email: string };
  readonly Invite: Link & Stored & { readonly inviter: string };
  /** Until an operator has seen the store's name, mails to strangers do not contain it. */
  readonly InviteUnnamed: Link & { readonly inviter: string };
  readonly StoreApproved: Link & Stored;
  readonly StoreRejected: Link & Stored & { readonly reason: string };
  readonly StoreSuspended: Stored & { readonly reason: string };
  readonly StoreResumed: Link & Stored;
  readonly WebhookFailing: Link & Stored;
  readonly WebhookGone: Link & Stored;
  readonly PaymentException: Notice & {
    /** A kind of payment exception (lib/payments/sessions/settle/exceptions). */
    readonly reason: string;
    readonly amount: string;
    readonly network: string;
    readonly order: string;
  };
  readonly EventUndelivered: Notice & {
    readonly environment: string;
    readonly event: string;
    readonly host: string;
    /** The status of the last response, or the error's code. */
    readonly answer: string;
    /** `yes` offers the retries for three days, at `offerLink`. */
    readonly offer: 'yes' | 'no';
    readonly offerLink: string;
    readonly minutes: string;
    readonly hours: string;
    readonly total: string;
  };
  readonly RefundAddress: AddressNotice;
  /** The wallet that paid signed for the address. */
  readonly RefundAddressSigned: AddressNotice;
  readonly PayoutAddress: PayoutAddressNews &
    Link & {
      /** Who added it. */
      readonly creator: string;
      /** The earliest time at which it is used. `link` stops it. */
      readonly time: string;
      /** Whether the key of the address signed for it. */
      readonly proof: 'yes' | 'no';
    };
  readonly PayoutAddressStopped: PayoutAddressNews & {
    readonly by: 'person' | 'link';
    readonly actor: string;
  };
  /** `of`: the rate of one store, or of all stores without one of their own. */
  readonly PayoutRate: Link & {
    readonly of: 'store' | 'all';
    /** Empty for all. */
    readonly store: string;
    readonly before: string;
    readonly after: string;
    readonly time: string;
  };
  /** Shows that the mail server of a set-up works. */
  readonly SetupTest: Link;
  /** `severity` and `title` of the worst; `more`: how many others; `list`: all, each with its action and link. */
  readonly Alarms: Link & {
    readonly severity: string;
    readonly title: string;
    readonly more: string;
    readonly list: string;
  };
};
export type MailKind = keyof MailValues;

const CATALOGUES: Readonly<Record<DashboardLocale, Record<string, string>>> = {
  en,
  es,
  zh,
  'zh-Hant': zhHant,
  ru,
  pt,
  tr,
  vi,
  id,
  ar,
};

/** A subject of one line and a body. */
export function mailText<Kind extends MailKind>(
  kind: Kind,
  values: MailValues[Kind],
  locale: string | null,
): { subject: string; body: string } {
  const t = mailWords(locale);
  const said = (part: string): string => t(`mail${kind}${part}`, { ...values });
  return { subject: said('Subject').replaceAll(/\s+/g, ' '), body: `${said('Body')}\n\n${t('mailSignature')}\n` };
}

export type MailWords = {
  (key: string, values?: Record<string, string>): string;
  readonly has: (key: string) => boolean;
};

/** The texts in the reader's language. Falls back to English when unsupported. */
export function mailWords(locale: string | null): MailWords {
  const language = isDashboardLocale(locale) ? locale : 'en';
  return createTranslator({
    locale: LOCALE_FACTS[language].format,
    messages: CATALOGUES[language],
    onError: (error) => {
      throw error;
    },
  }) as MailWords;
}
