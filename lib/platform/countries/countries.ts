// Countries as data: the officially assigned codes of ISO 3166-1 alpha-2, and the groups that a rule can name.

/** ISO 3166-1 as of 2026-11-29: 249 codes. A test compares them with the region names of the Unicode CLDR in Node. */
const CODES = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
  UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`;

export const COUNTRIES: ReadonlySet<string> = new Set(CODES.split(/\s+/));

/**
 * The European Economic Area as of 2026-11-29 (European Commission, "European Economic Area (EEA)"; EEA Agreement, articles 2 and 126): the
 * 27 states of the EU, Iceland, Liechtenstein and Norway. Territories of the EU with codes of their own are in it (article 355(1) TFEU):
 * Åland, French Guiana, Guadeloupe, Martinique, Mayotte, Réunion and Saint-Martin. Svalbard is not.
 */
const EEA = `AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO AX GF GP MF MQ RE YT`;

/** What a rule can name beside a country. */
export const GROUPS: Readonly<Record<string, ReadonlySet<string>>> = { EEA: new Set(EEA.split(' ')) };

/** The place of a customer whose country the merchant does not pass. */
export const UNKNOWN_COUNTRY = 'unknown';

/** Countries, groups and `unknown`. */
export const isPlace = (text: string): boolean =>
  COUNTRIES.has(text) || Object.hasOwn(GROUPS, text) || text === UNKNOWN_COUNTRY;
