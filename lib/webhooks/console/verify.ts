// "Paste and verify": a merchant whose verifier rejects a request pastes the headers and the body. The page shows step
// by step what matches, and which other secret, bytes or order would yield the signature. Pure. The caller passes only
// this store's secrets, and no step reveals a secret or the correct signature.

import { findMatch, type Match, type NamedSecret, type SecretName } from './verify-candidates';

/** `unknown`: not checked because an earlier step failed. */
export type Verdict = 'right' | 'wrong' | 'unknown';
type StepName =
  | 'headers'
  | 'timestamp_form'
  | 'timestamp_age'
  | 'nonce'
  | 'event'
  | 'signature'
  | 'previous_signature'
  | 'computed_signature';

/** The reason, as a key for which the page has a sentence in each language. `details` fill that sentence. */
type Reason =
  | 'all_there'
  | 'missing'
  | 'repeated'
  | 'well_formed'
  | 'milliseconds'
  | 'not_seconds'
  | 'recent'
  | 'too_old'
  | 'in_the_future'
  | 'not_uuid'
  | 'event_fits'
  | 'event_differs'
  | 'body_not_json'
  | 'signature_fits'
  | 'would_fit'
  | 'fits_nothing'
  | 'not_sent'
  | 'not_judged';

export type VerifyStep = {
  readonly step: StepName;
  readonly verdict: Verdict;
  readonly reason: Reason;
  /** Header names or the age in seconds, for the sentence. */
  readonly details: Readonly<Record<string, string>>;
  /** The other secret, bytes, order or notation that yields the signature. */
  readonly match: Match | null;
};

export type PastedRequest = {
  /** The pasted headers, one `name: value` per line. Request lines and empty lines are skipped. */
  readonly headers: string;
  readonly body: string;
  /** The signature that the merchant's own code computed for this request. It identifies the mistake. */
  readonly computed?: string | undefined;
  readonly secrets: readonly NamedSecret[];
  /** Unix seconds. */
  readonly now: number;
};

const NEEDED = [
  'x-service-signature',
  'x-service-timestamp',
  'x-service-nonce',
  'x-service-event-type',
  'x-service-event-id',
] as const;
const PREVIOUS = 'x-service-signature-previous';
/** The contract's tolerance, in seconds. */
const TOLERANCE = 300;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** Longer pasted text is cut: events are a few hundred bytes. */
const MAX_PASTED = 64 * 1024;

/** All steps in the order of the documented check, and whether the request verifies. */
export function verifyPasted(request: PastedRequest): { isRight: boolean; steps: VerifyStep[] } {
  const headers = headersOf(request.headers.slice(0, MAX_PASTED));
  const body = request.body.slice(0, MAX_PASTED);
  const one = (name: string): string => headers.get(name)?.[0] ?? '';
  const timestamp = one('x-service-timestamp');
  const pasted = { timestamp, nonce: one('x-service-nonce'), body };
  const steps = [
    presence(headers),
    ...age(timestamp, request.now),
    nonceStep(pasted.nonce),
    eventStep(body, { id: one('x-service-event-id'), type: one('x-service-event-type') }),
    signatureStep('signature', { ...pasted, signature: one('x-service-signature') }, request.secrets, 'present'),
    signatureStep('previous_signature', { ...pasted, signature: one(PREVIOUS) }, request.secrets, 'previous'),
  ];
  const isRight = steps.every(({ verdict, step: name }) => verdict === 'right' || name === 'previous_signature');
  const computed = (request.computed ?? '').trim();
  if (computed !== '')
    steps.push(signatureStep('computed_signature', { ...pasted, signature: computed }, request.secrets, 'present'));
  return { isRight, steps };
}

const step = (
  name: StepName,
  verdict: Verdict,
  reason: Reason,
  { details = {}, match = null }: { details?: Record<string, string>; match?: Match | null } = {},
): VerifyStep => ({ step: name, verdict, reason, details, match });

/** Values by lower-case name, in the order in which they were pasted. */
function headersOf(text: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    // A line copied from JSON, a shell or a log may be quoted and end with a comma.
    const [, name = '', value = ''] = /^\s*["']?([A-Za-z0-9_-]+)["']?\s*[:=]\s*["']?(.*?)["']?,?\s*$/.exec(line) ?? [];
    if (name === '') continue;
    // PHP and CGI show a header as HTTP_X_SERVICE_NONCE.
    const plain = name
      .toLowerCase()
      .replace(/^http_/, '')
      .replaceAll('_', '-');
    headers.set(plain, [...(headers.get(plain) ?? []), value]);
  }
  return headers;
}

function presence(headers: ReadonlyMap<string, readonly string[]>): VerifyStep {
  const missing = NEEDED.filter((name) => (headers.get(name)?.[0] ?? '') === '');
  if (missing.length > 0) return step('headers', 'wrong', 'missing', { details: { headers: missing.join(', ') } });
  const repeated = NEEDED.filter((name) => (headers.get(name)?.length ?? 0) > 1);
  if (repeated.length > 0) return step('headers', 'wrong', 'repeated', { details: { headers: repeated.join(', ') } });
  return step('headers', 'right', 'all_there');
}

function age(timestamp: string, now: number): VerifyStep[] {
  if (!/^[0-9]{10}$/.test(timestamp)) {
    const reason = /^[0-9]{13}$/.test(timestamp) ? 'milliseconds' : 'not_seconds';
    return [step('timestamp_form', 'wrong', reason), step('timestamp_age', 'unknown', 'not_judged')];
  }
  const seconds = now - Number(timestamp);
  const details = { seconds: String(Math.abs(seconds)), tolerance: String(TOLERANCE) };
  const reason = Math.abs(seconds) <= TOLERANCE ? 'recent' : seconds > 0 ? 'too_old' : 'in_the_future';
  return [
    step('timestamp_form', 'right', 'well_formed'),
    step('timestamp_age', reason === 'recent' ? 'right' : 'wrong', reason, { details }),
  ];
}

function nonceStep(nonce: string): VerifyStep {
  if (nonce === '') return step('nonce', 'unknown', 'not_judged');
  return UUID_V4.test(nonce) ? step('nonce', 'right', 'well_formed') : step('nonce', 'wrong', 'not_uuid');
}

/** Whether headers and body belong to one request. Parts pasted from different attempts never match. */
function eventStep(body: string, header: { id: string; type: string }): VerifyStep {
  let event: { id?: unknown; type?: unknown } | null;
  try {
    event = JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return step('event', 'wrong', 'body_not_json');
    throw error;
  }
  if (header.id === '' || header.type === '') return step('event', 'unknown', 'not_judged');
  const fits = event?.id === header.id && event.type === header.type;
  return fits ? step('event', 'right', 'event_fits') : step('event', 'wrong', 'event_differs');
}

function signatureStep(
  name: 'signature' | 'previous_signature' | 'computed_signature',
  pasted: { signature: string; timestamp: string; nonce: string; body: string },
  secrets: readonly NamedSecret[],
  expected: SecretName,
): VerifyStep {
  if (pasted.signature === '') {
    return step(name, 'unknown', name === 'previous_signature' ? 'not_sent' : 'not_judged');
  }
  const match = findMatch(pasted, secrets);
  if (match === null) return step(name, 'wrong', 'fits_nothing');
  const isDocumented = match.body === 'raw' && match.form === 'documented' && match.notation === 'hex';
  return match.secret === expected && isDocumented
    ? step(name, 'right', 'signature_fits', { match })
    : step(name, 'wrong', 'would_fit', { match });
}
