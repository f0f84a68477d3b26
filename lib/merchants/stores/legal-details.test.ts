// The legal details of a store: a VAT number has the form of its country, and each line is visible text.

import { expect, test } from 'vitest';
import { checkLegalDetails, checkVatNumber } from './legal-details';

test.each([
  ['DE123456789', 'DE123456789'],
  ['de 123 456 789', 'DE123456789'],
  ['ATU12345678', 'ATU12345678'],
  ['BE 0123.456.789', 'BE0123456789'],
  ['EL123456789', 'EL123456789'],
  ['ESX1234567X', 'ESX1234567X'],
  ['FRXX999999999', 'FRXX999999999'],
  ['IE1234567FA', 'IE1234567FA'],
  ['NL123456789B01', 'NL123456789B01'],
  ['SE123456789012', 'SE123456789012'],
  ['XI123456789', 'XI123456789'],
  ['GB123456789', 'GB123456789'],
  ['CHE-123.456.789', 'CHE123456789'],
])('accepts the VAT number %s', (given, stored) => expect(checkVatNumber(given)).toBe(stored));

test.each([
  'DE12345678',
  'DE1234567890',
  'AT12345678',
  'GR123456789',
  'ES123',
  'FROI999999999',
  'NL123',
  'abc',
  '=1+1',
  'VAT',
])('rejects the VAT number %s', (given) =>
  expect(() => checkVatNumber(given)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' })),
);

test('accepts a name in law that looks like a web address', () => {
  expect(checkLegalDetails({ name: 'Example.com B.V.', address: 'St.Gallen' })).toMatchObject({
    name: 'Example.com B.V.',
    address: 'St.Gallen',
  });
});

test('stores the lines of an address without empty ones', () => {
  expect(checkLegalDetails({ name: ' Example GmbH ', address: 'Street 1\r\n\r\n 12345 Town ', vatNumber: '' })).toEqual(
    {
      name: 'Example GmbH',
      address: 'Street 1\n12345 Town',
      vatNumber: null,
    },
  );
});

test.each([
  ['legal_name', { name: '', address: 'a' }],
  ['legal_name', { name: 'a\u202eb', address: 'a' }],
  ['legal_address', { name: 'a', address: ' \n ' }],
  ['legal_address', { name: 'a', address: 'Street 1\n\u0000' }],
  ['legal_address', { name: 'a', address: 'a\nb\nc\nd\ne\nf\ng' }],
  ['vat_number', { name: 'a', address: 'b', vatNumber: 'DE1' }],
])('rejects a wrong %s by its name', (param, given) => {
  expect(() => checkLegalDetails(given)).toThrow(expect.objectContaining({ param }));
});
