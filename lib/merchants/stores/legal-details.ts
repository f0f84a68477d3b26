// Who sells, as receipts name them: the store's name and address in law and its VAT number. A VAT number is checked by its form alone:
// asking the authority would tell a foreign service about every store. A name in law may look like a link (Example.com B.V.). Pure.

import { ServiceError } from '@/lib/platform/errors/errors';
import { checkText } from './fields';

/** `address`: lines of text. */
export type LegalDetails = { readonly name: string; readonly address: string; readonly vatNumber: string | null };

const LONGEST_NAME = 120;
const LONGEST_LINE = 100;
const MOST_LINES = 6;

/** The form after the prefix, by the prefixes that the member states use (Greece: EL), and XI for Northern Ireland. */
const EU_FORMS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^(?:[A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z])$/,
  FI: /^\d{8}$/,
  FR: /^[A-HJ-NP-Z0-9]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(?:\d{7}[A-W][A-I]?|\d[A-Z+*]\d{5}[A-W])$/,
  IT: /^\d{11}$/,
  LT: /^(?:\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^[A-Z0-9+*]{10}\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{12}$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^(?:\d{9}|\d{12}|(?:GD|HA)\d{3})$/,
};
/** Tax numbers of other countries have too many forms to check. */
const OTHER_FORM = /^(?=.*\d)[A-Z0-9]{4,20}$/;

/** The values to store. Throws INVALID_PARAMETER with the field's name. */
export function checkLegalDetails(given: {
  readonly name: string;
  readonly address: string;
  readonly vatNumber?: string | null | undefined;
}): LegalDetails {
  return {
    name: checkText('legal_name', given.name, LONGEST_NAME),
    address: checkAddress(given.address),
    vatNumber: (given.vatNumber ?? '') === '' ? null : checkVatNumber(given.vatNumber ?? ''),
  };
}

function checkAddress(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0 || lines.length > MOST_LINES)
    throw invalid('legal_address', `legal_address must have 1 to ${MOST_LINES} lines.`);
  return lines.map((line) => checkText('legal_address', line, LONGEST_LINE)).join('\n');
}

/** Without spaces, dots and hyphens, in upper case. Exported for its test. */
export function checkVatNumber(text: string): string {
  const number = text.replaceAll(/[\s.\-/]/g, '').toUpperCase();
  const prefix = number.slice(0, 2);
  if (prefix === 'GR') throw invalid('vat_number', 'The VAT number of Greece begins with EL.');
  const form = EU_FORMS[prefix];
  const isRight = form ? form.test(number.slice(2)) : OTHER_FORM.test(number);
  if (!isRight) throw invalid('vat_number', `vat_number does not have the form of ${form ? prefix : 'a tax number'}.`);
  return number;
}

const invalid = (param: string, message: string): ServiceError =>
  new ServiceError('INVALID_PARAMETER', { param, message });
