// Marks API names in plain sentences as code: fields, codes, statuses, headers, events and paths. The texts of the
// OpenAPI document and of the error pages are plain, because other programs show them too.

/** Text that is already code or a link stays unchanged. */
const MARKED = String.raw`\`[^\`]+\`|\[[^\]]+\]\([^)]*\)|https?:\S+`;

const NAMES = [
  String.raw`Authorization: Bearer (?:\w+…?)`,
  String.raw`application\/json`,
  // Names of the API, the documentation and the dashboard.
  String.raw`\/(?:api|docs|v1)\/[\w{}/.-]*[\w}/]`,
  String.raw`X-[A-Z]\w*(?:-[A-Z]\w*)+`,
  'Idempotency-Key|Service-Version|Retry-After|Content-(?:Type|Digest|Encoding)|Signature-Input',
  String.raw`(?:payment|payout|refund)\.[a-z]+`,
  String.raw`error\.[a-z_]+`,
  'PENDING|COMPLETED|EXPIRED|FAILED|CANCELED',
  String.raw`(?:order|signatureVersion)(?:=|: )(?:asc|desc|2)`,
  String.raw`__\w+__`,
  // A name with an underscore, alone or in a path of fields; a placeholder ends with an ellipsis.
  String.raw`[A-Za-z]+(?:_[A-Za-z0-9…]+)+(?:\[\])?(?:\.[a-z_]+)*`,
].join('|');

const PARTS = new RegExp(String.raw`${MARKED}|(?<![\w./-])(${NAMES})(?![\w-])`, 'g');

/** The text with every name in backticks. */
export const withApiNames = (text: string): string =>
  text.replaceAll(PARTS, (part, name: string | undefined) => (name === undefined ? part : `\`${name}\``));
