/**
 * 32 random hexadecimal digits. They identify a press, so that a repeated request creates nothing twice. This also
 * works on pages without HTTPS, where browsers have no `randomUUID`.
 */
export const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
