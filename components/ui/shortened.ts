// Hashes and ids shortened to the part that people compare, for the server's pages and the browser.

const SHOWN = 10;
export const shortened = (text: string): string =>
  text.length > 2 * SHOWN ? `${text.slice(0, SHOWN)}…${text.slice(2 - SHOWN)}` : text;
