/**
 * 32 hexadecimal digits by chance: what a page calls a press, so that sending it again makes nothing twice. Also where a page is
 * not served by HTTPS, in which browsers have no `randomUUID`.
 */
export const newName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
