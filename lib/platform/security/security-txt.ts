// The text of /.well-known/security.txt (RFC 9116): where researchers report a vulnerability of this installation. Pure.

/** RFC 9116 recommends less than a year. The text is generated for each request, so it never expires while the service runs. */
const EXPIRES_DAYS = 180;
const DAY = 86_400_000;

/**
 * `contact` was validated by lib/platform/config/config.ts. The expiry is midnight UTC, so that the text changes once a day.
 */
export function securityTxt({ contact, publicUrl, now }: { contact: string; publicUrl: string; now: Date }): string {
  const today = now.getTime() - (now.getTime() % DAY);
  return [
    `Contact: ${contact}`,
    `Expires: ${new Date(today + EXPIRES_DAYS * DAY).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n');
}
