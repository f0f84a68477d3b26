// The currencies that a price may be in: the active codes of ISO 4217 list one with their minor digits, as of amendment 180 (without the
// Bulgarian lev, with XCG, ZWG and XAD). Codes without a minor unit (metals, test codes, units of account) are excluded. Intl is no source
// for this: it follows usage, not ISO 4217, and gives the Iraqi dinar no minor digits.

/** Codes by the number of their minor digits. */
const CODES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC
      CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
      KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
      PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
      UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES).flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, Number(digits)] as const)),
);

/** Every code, upper case, in alphabetical order. */
export const CURRENCY_CODES: readonly string[] = [...DIGITS.keys()].toSorted();

/** How many minor digits a currency has (JPY 0, EUR 2, KWD 3), or null when the upper-case code is no active one. */
export const minorDigits = (code: string): number | null => DIGITS.get(code) ?? null;
